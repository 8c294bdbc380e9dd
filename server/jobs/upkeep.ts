import type { Context } from '../context.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * everyMs;

/** Archives idle jobs and bounds what lies on the disk, now and every hour. Answers how to stop. */
export function keepTidy(context: Context, tidyWorkspace: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const tidy = () => {
    running = running
      .then(async () => {
        await archiveIdleJobs(context);
        await tidyWorkspace();
      })
      .catch((error: unknown) =>
        context.log.error('Jobs could not be tidied up, it is tried again in an hour:', error),
      );
  };
  tidy();
  const timer = setInterval(tidy, everyMs).unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

async function archiveIdleJobs({ store, config, now }: Context): Promise<void> {
  const { archiveDays } = config.jobs;
  if (archiveDays > 0) await store.jobs.archiveIdleJobs(now() - archiveDays * dayMs, now());
}
