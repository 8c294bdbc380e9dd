import type { Starter } from '../store/jobs/automations.ts';
import type { Job } from '../store/jobs/job.ts';
import type { FinishedJob } from '../store/outbox.ts';
import type { Store } from '../store/store.ts';
import { type Alert, keyOf } from './alert.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Jobs that finished or failed within the last day, and were not reported yet. */
export async function findJobAlerts(
  { outbox, jobs }: Pick<Store, 'outbox' | 'jobs'>,
  projectId: string,
  now: number,
): Promise<Alert[]> {
  const finished = await outbox.listFinishedJobs(projectId, now - dayMs);
  const sent = await outbox.findAnnounced(projectId, finished.map(keyOfJob));
  const found: Alert[] = [];
  for (const { id, endedAt } of finished) {
    if (sent.includes(keyOfJob({ id, endedAt }))) continue;
    const job = await jobs.findJob(projectId, id);
    if (!job || job.stopped || (job.status !== 'completed' && job.status !== 'failed')) continue;
    const { status, prLink, failure, noChange, startedBy } = job;
    found.push({
      ...ofJob({ id, endedAt }),
      title: `${jobOf(startedBy)} ${status === 'completed' ? 'finished' : 'failed'}`,
      paragraphs: [reasonOf(job), ...(prLink === null ? [] : [`Pull request: ${prLink}`])],
      page: `/jobs/${id}`,
      facts: {
        job: id,
        status,
        prLink,
        failure,
        noChange,
        startedBy,
        endedAt: new Date(endedAt).toISOString(),
      },
    });
  }
  return found;
}

/** Such as `the job of the schedule “Monday”`. */
function jobOf(startedBy: Starter | null): string {
  return startedBy === null ? 'a job' : `the job of the ${startedBy.kind} “${startedBy.name}”`;
}

/** A message makes a job active again, and it finishes again. */
function ofJob({ id, endedAt }: FinishedJob): Pick<Alert, 'kind' | 'key'> {
  return { kind: 'finished_job', key: `${id} ${endedAt}` };
}

function keyOfJob(job: FinishedJob): string {
  return keyOf(ofJob(job));
}

function reasonOf({ status, failure, noChange }: Pick<Job, 'status' | 'failure' | 'noChange'>): string {
  if (status === 'failed') return `It failed: ${failure?.message ?? 'It could not go on.'}`;
  if (noChange !== null) return `Nothing was changed. The agent says: ${noChange}`;
  return 'The agent finished its work.';
}
