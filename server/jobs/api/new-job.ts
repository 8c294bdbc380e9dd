import { basename } from 'node:path';
import { ApiError } from '../../errors.ts';
import { randomText } from '../../projects/key.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { NewJob } from '../../store/job-store.ts';
import { hasPrice } from '../agent/model/prices.ts';
import { inSettings } from '../text/in-settings.ts';
import { readBudget } from '../turn/budget.ts';
import type { JobServices } from '../turn/services.ts';
import type { SpendingRefusal } from './reply.ts';

type JobProject = Pick<LiveProject, 'id' | 'settings'>;

/** Undefined: the project may spend more. What an agent of one's own spends, nobody here sees. */
export async function refuseSpending(
  services: Pick<JobServices, 'store' | 'now'>,
  project: JobProject,
  model: string,
): Promise<SpendingRefusal> {
  const { turnCost, monthlyBudget, agentCommand } = project.settings;
  if ((turnCost === null && monthlyBudget === null) || agentCommand !== null) return undefined;
  if (!hasPrice(model)) {
    return `The price of ${model} is not known, so that a limit in dollars cannot be held: choose another model, or limit steps and tokens instead ${inSettings(`${project.id} --turn-cost "" --monthly-budget ""`)}.`;
  }
  if ((await readBudget(services, project)) > 0) return undefined;
  return `The $${monthlyBudget} that jobs of this project may cost in a month are spent: raise the budget ${inSettings(`${project.id} --monthly-budget <dollars>`)}, or wait for the next month.`;
}

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
