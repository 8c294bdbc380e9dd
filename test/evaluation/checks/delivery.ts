import type { Check } from '../task.ts';

/** A pull request where one is wanted, and none where there is nothing to do. */
export const delivery: Check = {
  name: 'delivery',
  find: ({ task, job, pull }) => {
    if (job.failure !== null) return [`The job failed: ${job.failure.message}`];
    if (task.allowed.length === 0) return pull ? ['A pull request was opened, and none was wanted.'] : [];
    return pull ? [] : ['No pull request was opened.'];
  },
};
