import { theServer } from '../../audit/audit-list.ts';
import { periodically } from '../../periodic.ts';
import type { JobServices } from './services.ts';

const everyMs = 60 * 60 * 1000;
const dayMs = 24 * everyMs;

/** Archives idle jobs now and every hour, in every process: it may be the only one. Answers how to stop. */
export function keepArchiving(services: JobServices): () => Promise<void> {
  return hourly(services, () => archiveIdleJobs(services));
}

/** Runs some maintenance of jobs now and every hour. Answers how to stop. */
export function hourly({ log }: JobServices, action: () => Promise<void>): () => Promise<void> {
  const failure = 'Old jobs could not be cleaned up; trying again in an hour:';
  return periodically(action, { everyMs, isDueNow: true, log, failure }).stop;
}

async function archiveIdleJobs({ store, config }: JobServices): Promise<void> {
  const { archiveDays } = config.jobs;
  if (archiveDays > 0) await store.jobs.archiveIdleJobs(archiveDays * dayMs, theServer);
}
