import type { Accepted, CommentKey, Reverted, RevertingJob } from '../../jobs/job-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { readClock, type StoreClock } from '../store-clock.ts';
import { isKnown, noteComment } from './heard-comments.ts';
import { readJob } from './job-rows.ts';
import { accept, addTo, insertJob, type LockedJob, lockJob, lockProject } from './requests.ts';

/** A merged pull request is taken back by one job. */
export class RevertWriter {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  revertMerge(job: RevertingJob, comment: CommentKey | null): Promise<Reverted> {
    return this.#database.transaction(async (db) => {
      const project = await lockProject(db, job.projectId);
      if (project === undefined) return { kind: 'not_found' };
      const heard = comment && (await lockJob(db, project, comment.jobId));
      if (comment && heard && (await isKnown(db, heard.row, comment.key))) return { kind: 'known' };
      const now = await readClock(db, this.#clock);
      const outcome = await revert(db, project, job, { now, asksAgain: comment !== null });
      if (comment && heard) {
        await noteComment(db, heard.row, comment.key, outcome.kind === 'limited' ? 'limited' : 'heard');
      }
      return outcome;
    });
  }
}

/** In a transaction that holds the lock of the project. */
async function revert(
  db: Queryable,
  project: number,
  job: RevertingJob,
  { now, asksAgain }: { now: number; asksAgain: boolean },
): Promise<Accepted> {
  const { prompt, record } = job;
  const [present] = await db.query<LockedJob & { jobId: string }>(
    `select id as row, status, public_id as "jobId" from jobs
     where project = $1 and reverts = $2 and status <> 'archived' for no key update`,
    [project, job.reverts],
  );
  const asked = { idempotency: null, isSpent: false, now };
  if (!present) {
    const asking = { ...asked, project, route: 'create', keyRoute: 'create' } as const;
    return await accept(db, asking, () => insertJob(db, project, job, now));
  }
  if (present.status === 'active' && !asksAgain)
    return { kind: 'repeated', job: await readJob(db, present.row) };
  return await addTo(db, { project, job: present }, { ...asked, jobId: present.jobId, prompt, record });
}
