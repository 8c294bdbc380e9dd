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
import { type Accepted, hourlyUses, type NewJob, type Started } from '../../jobs/job-store.ts';
import type { TurnRecord } from '../../jobs/job-turn.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { readClock, type StoreClock } from '../store-clock.ts';
import { type Asking, findRepeated, remember, spend } from './allowance.ts';
import { isKnown, noteComment } from './heard-comments.ts';
import { readJob } from './job-rows.ts';
import { findRefusal, noteStart } from './starts.ts';
import { appendEvents } from './transcript.ts';
import { activate, queueTurn, resume } from './turn-queue.ts';

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

interface LockedJob {
  row: number;
  status: Job['status'];
}

/**
 * One request of a project at a time, over all nodes, so that its limits and keys hold. The project stays meanwhile.
 * Undefined: there is none.
 */
async function lockProject(db: Queryable, projectId: string): Promise<number | undefined> {
  const [project] = await db.query<{ id: number }>(
    'select id from projects where public_id = $1 for key share',
    [projectId],
  );
  if (project) await db.query('select pg_advisory_xact_lock(4, $1)', [project.id]);
  return project?.id;
}

async function lockJob(db: Queryable, project: number, jobId: string): Promise<LockedJob | undefined> {
  const [job] = await db.query<LockedJob>(
    'select id as row, status from jobs where project = $1 and public_id = $2 for no key update',
    [project, jobId],
  );
  return job;
}

interface FoundJob {
  project: number;
  job: LockedJob;
}

async function lockJobOf(db: Queryable, projectId: string, jobId: string): Promise<FoundJob | undefined> {
  const project = await lockProject(db, projectId);
  const job = project === undefined ? undefined : await lockJob(db, project, jobId);
  return project === undefined || !job ? undefined : { project, job };
}

interface Asked extends Pick<Asking, 'idempotency' | 'isSpent' | 'now'> {
  jobId: string;
  prompt: string;
  images?: readonly NewImage[];
  record?: TurnRecord;
}

/** One more turn. */
async function addTo(
  db: Queryable,
  { project, job }: FoundJob,
  { jobId, prompt, record, images, ...rest }: Asked,
): Promise<Accepted> {
  const asking: Asking = { project, route: 'message', keyRoute: `message ${jobId}`, ...rest };
  const apply = async () => {
    await activate(db, job.row, rest.now);
    await resume(db, job.row, rest.now);
    await queueTurn(db, job.row, prompt, rest.now, { record, images });
    return job.row;
  };
  return await accept(db, asking, apply, job);
}

/** The order matters: what was accepted before is answered again, whatever has happened since. */
async function accept(
  db: Queryable,
  asking: Asking,
  apply: () => Promise<number>,
  job?: LockedJob,
): Promise<Accepted> {
  const repeated = await findRepeated(db, asking);
  if (repeated === 'reused') return { kind: 'key_reused' };
  if (repeated !== undefined) return { kind: 'repeated', job: await readJob(db, repeated) };
  if (job?.status === 'archived') return { kind: 'archived' };
  if (asking.isSpent) return { kind: 'spent' };
  const retryAfterMs = await spend(db, asking);
  if (retryAfterMs !== undefined) return { kind: 'limited', retryAfterMs, ...hourlyUses };
  const row = await apply();
  await remember(db, asking, row);
  return { kind: 'accepted', job: await readJob(db, row) };
}

async function insertJob(
  db: Queryable,
  project: number,
  { id, repository, ref, model, prompt, ...told }: NewJob,
  now: number,
): Promise<number> {
  // What `ref` means is asked of the repository when the first turn begins; until then, what it meant last.
  const [job] = await db.query<{ row: number }>(
    `insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at, started_by, base_branch)
     values ($1, $2, 'active', $3, $4, $5, $6, $6, $7, (
       select base_branch from jobs
       where project = $2 and repository = $3 and ref = $4 and base_branch is not null
       order by id desc limit 1))
     returning id as row`,
    [id, project, repository, ref, model, now, told.startedBy ? JSON.stringify(told.startedBy) : null],
  );
  const row = job?.row as number;
  await queueTurn(db, row, prompt, now, told);
  return row;
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
