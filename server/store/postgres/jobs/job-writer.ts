import type { Idempotency } from '../../idempotency.ts';
import type { Job } from '../../jobs/job.ts';
import {
  type CommentMessage,
  type CommentOutcome,
  type CommentState,
  commentOutcomeOf,
} from '../../jobs/job-comment.ts';
import { eventOf, type NewEvent } from '../../jobs/job-event.ts';
import type { NewImage } from '../../jobs/job-image.ts';
import type { Start } from '../../jobs/job-start.ts';
import type { Accepted, NewJob, Started } from '../../jobs/job-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { readClock, type StoreClock } from '../store-clock.ts';
import type { Asking } from './allowance.ts';
import { isKnown, noteComment } from './heard-comments.ts';
import { readJob } from './job-rows.ts';
import { accept, addTo, insertJob, lockJob, lockJobOf, lockProject } from './requests.ts';
import { findRefusal, noteStart } from './starts.ts';
import { appendEvents } from './transcript.ts';

/** What people do with jobs. */
export class JobWriter {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  createJob(job: NewJob, idempotency: Idempotency | null, isSpent = false): Promise<Accepted> {
    return this.#database.transaction(async (db) => {
      const project = await lockProject(db, job.projectId);
      if (project === undefined) return { kind: 'not_found' };
      const now = await readClock(db, this.#clock);
      const asking: Asking = { project, route: 'create', keyRoute: 'create', idempotency, isSpent, now };
      return await accept(db, asking, () => insertJob(db, project, job, now));
    });
  }

  startJob(job: NewJob, start: Start): Promise<Started> {
    return this.#database.transaction(async (db) => {
      const project = await lockProject(db, job.projectId);
      if (project === undefined) return { kind: 'not_found' };
      const now = await readClock(db, this.#clock);
      const refusal = await findRefusal(db, project, start, now);
      if (refusal !== undefined) return { kind: refusal };
      const asking = { project, route: 'create', keyRoute: 'create', now } as const;
      return await accept(db, { ...asking, idempotency: null, isSpent: false }, async () => {
        await noteStart(db, project, start, job.id, now);
        return await insertJob(db, project, job, now);
      });
    });
  }

  addMessage(
    projectId: string,
    jobId: string,
    prompt: string,
    idempotency: Idempotency | null,
    isSpent = false,
    images: readonly NewImage[] = [],
  ): Promise<Accepted> {
    return this.#database.transaction(async (db) => {
      const found = await lockJobOf(db, projectId, jobId);
      if (!found) return { kind: 'not_found' };
      const now = await readClock(db, this.#clock);
      return await addTo(db, found, { jobId, prompt, images, idempotency, isSpent, now });
    });
  }

  hearComment(
    projectId: string,
    jobId: string,
    { prompt, origin }: CommentMessage,
    isSpent: boolean,
  ): Promise<CommentOutcome> {
    return this.#database.transaction(async (db) => {
      const found = await lockJobOf(db, projectId, jobId);
      if (!found) return 'not_found';
      const { row } = found.job;
      if (await isKnown(db, row, origin.key)) return 'known';
      const now = await readClock(db, this.#clock);
      const asked = { jobId, prompt, idempotency: null, isSpent, now, record: { origin } };
      const outcome = commentOutcomeOf(await addTo(db, found, asked));
      if (outcome === 'heard' || outcome === 'limited' || outcome === 'spent') {
        await noteComment(db, row, origin.key, outcome);
      }
      return outcome;
    });
  }

  noteComment(
    projectId: string,
    jobId: string,
    key: string,
    state: Exclude<CommentState, 'heard'>,
  ): Promise<void> {
    return this.#database.transaction(async (db) => {
      const found = await lockJobOf(db, projectId, jobId);
      if (found) await noteComment(db, found.job.row, key, state);
    });
  }

  archiveJob(projectId: string, jobId: string): Promise<Job | null> {
    return this.#database.transaction(async (db) => {
      const [project] = await db.query<{ id: number }>('select id from projects where public_id = $1', [
        projectId,
      ]);
      const job = project && (await lockJob(db, project.id, jobId));
      if (!job) return null;
      if (job.status !== 'archived') {
        await close(db, job.row, await readClock(db, this.#clock), eventOf.archived);
      }
      return await readJob(db, job.row);
    });
  }

  archiveIdleJobs(idleMs: number): Promise<number> {
    return this.#database.transaction(async (db) => {
      const now = await readClock(db, this.#clock);
      // Other nodes do the same at the same time.
      const idle = await db.query<{ row: number }>(
        `select id as row from jobs where status in ('completed', 'failed') and active_at < $1
         order by id for no key update skip locked`,
        [now - idleMs],
      );
      for (const { row } of idle) await close(db, row, now, eventOf.idle);
      return idle.length;
    });
  }
}

/** Archives a job. */
async function close(db: Queryable, job: number, now: number, event: NewEvent): Promise<void> {
  await db.query(`update jobs set status = 'archived', archived_at = $2 where id = $1`, [job, now]);
  await db.query(
    `update turns set phase = 'settled', leased = false, fence = fence + 1 where job = $1 and phase <> 'settled'`,
    [job],
  );
  const [last] = await db.query<{ turn: number }>(
    'select coalesce(max(number), 0) as turn from turns where job = $1',
    [job],
  );
  await appendEvents(db, { job, turn: last?.turn ?? 0, events: [event], now, kind: 'archived' });
}
