import { basename } from 'node:path';
import { ApiError } from '../../errors.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { NewJob } from '../../store/job-store.ts';
import { inSettings } from '../text/in-settings.ts';

type JobProject = Pick<LiveProject, 'id' | 'settings'>;

/** @throws ApiError `invalid` where the project lacks what a job needs */
export function newJob({ id, settings }: JobProject, prompt: string, asDraft?: boolean): NewJob {
  const [program] = settings.agentCommand ?? [];
  const model = program === undefined ? settings.model : basename(program);
  if (settings.repository === null) {
    throw new ApiError(
      'invalid',
      `The project has no repository to work on: set one ${inSettings(`${id} --repository <address>`)}.`,
    );
  }
  if (model === null) {
    throw new ApiError(
      'invalid',
      `The project has no model to work with: set one ${inSettings(`${id} --model <provider>/<model>`)}.`,
    );
  }
  return {
    // 62^24 is more than 2^142: nobody guesses one.
    id: `job_${randomText(24)}`,
    projectId: id,
    repository: settings.repository,
    ref: settings.ref,
    model,
    prompt,
    ...(asDraft !== undefined && { record: { draft: asDraft } }),
  };
}
