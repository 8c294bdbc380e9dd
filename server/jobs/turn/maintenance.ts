import type { JobServices } from './services.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * everyMs;

/** Archives idle jobs now and every hour, in every process: it may be the only one. Answers how to stop. */
export function keepArchiving(services: JobServices): () => Promise<void> {
  return hourly(services, () => archiveIdleJobs(services));
}

/** Runs some maintenance of jobs now and every hour. Answers how to stop. */
export function hourly({ log }: JobServices, action: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  const tidy = () => {
    running = running
      .then(action)
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

async function archiveIdleJobs({ store, config }: JobServices): Promise<void> {
  const { archiveDays } = config.jobs;
  if (archiveDays > 0) await store.jobs.archiveIdleJobs(archiveDays * dayMs);
}
