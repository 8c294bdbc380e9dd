import type { Context } from '../../context.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * everyMs;

/** Archives idle jobs now and every hour, in every process: it may be the only one. Answers how to stop. */
export function keepArchiving(context: Context): () => Promise<void> {
  return hourly(context, () => archiveIdleJobs(context));
}

/** Does some upkeep of jobs now and every hour. Answers how to stop. */
export function hourly({ log }: Context, work: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const tidy = () => {
    running = running
      .then(work)
      .catch((error: unknown) =>
        log.error('Jobs could not be tidied up, it is tried again in an hour:', error),
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
