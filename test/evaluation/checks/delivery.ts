import type { Check } from '../task.ts';

/** A pull request that can be merged where one is wanted, and none where there is nothing to do. */
export const delivery: Check = {
  name: 'delivery',
  find: ({ task, job, pull, isMergeable }) => {
    if (job.failure !== null) return [`The job failed: ${job.failure.message}`];
    if (task.allowed.length === 0) return pull ? ['A pull request was opened, and none was wanted.'] : [];
    if (!pull) return ['No pull request was opened.'];
    return isMergeable ? [] : ['The pull request conflicts with its base.'];
  },
};
