import { basename } from 'node:path';
import { ApiError } from '../../errors.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { NewImage } from '../../store/jobs/job-image.ts';
import type { NewJob } from '../../store/jobs/requests.ts';
import { seesImages } from '../agent/model/vision.ts';
import { inSettings } from '../text/in-settings.ts';

type JobProject = Pick<LiveProject, 'id' | 'settings'>;

interface Besides {
  asDraft?: boolean | undefined;
  images?: readonly NewImage[] | undefined;
}

/** @throws ApiError `invalid` where the project lacks what a job needs */
export function newJob(
  { id, settings }: JobProject,
  prompt: string,
  { asDraft, images = [] }: Besides = {},
): NewJob {
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
  refuseImages(model, images);
  return {
    // 62^24 is more than 2^142: nobody guesses one.
    id: `job_${randomText(24)}`,
    projectId: id,
    repository: settings.repository,
    ref: settings.ref,
    model,
    prompt,
    images,
    ...(asDraft !== undefined && { record: { draft: asDraft } }),
  };
}

/** @param model of the job @throws ApiError `invalid` where nobody would look at them */
export function refuseImages(model: string, images: readonly NewImage[]): void {
  if (images.length === 0 || seesImages(model)) return;
  const why = model.includes('/')
    ? `The model ${model} does not see images`
    : `The agent "${model}" is a program of its own, which is given no images`;
  throw new ApiError(
    'invalid',
    `${why}: send the prompt without them, or create a job with a model that does.`,
    {
      details: [{ message: 'cannot be seen by the model', path: 'images' }],
    },
  );
}
