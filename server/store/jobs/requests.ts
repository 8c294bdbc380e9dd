import type { Sql } from '../../database/sql.ts';
import { type Idempotency, idempotencyMs } from '../page.ts';
import type { Job, TurnOrigin, TurnRecord } from './job.ts';
import { addImages, type NewImage } from './job-image.ts';
import { parseRecord, readJob } from './job-rows.ts';
import { appendEvents, eventOf } from './transcript.ts';

/** Answer of a request that spends the limit of an hour. */
export type Accepted =
  | { kind: 'accepted' | 'repeated'; job: Job }
  | { kind: 'limited'; retryAfterMs: number; limit: number; windowMs: number }
  | { kind: 'key_reused' }
  | { kind: 'spent' }
  | { kind: 'archived' }
  | { kind: 'not_found' };

export interface NewJob extends Pick<Job, 'id' | 'projectId' | 'repository' | 'ref' | 'model'>, TurnOrigin {
  prompt: string;
  reverts?: string;
}

export interface LockedJob {
  row: number;
  status: Job['status'];
}

/**
 * One request of a project at a time, over all nodes, so that its limits and keys hold. The project stays meanwhile.
 * Undefined: there is none.
 */
export async function lockRequests(sql: Sql, projectId: string): Promise<number | undefined> {
  const [project] = await sql.query<{ id: number }>(
    `select id from projects where public_id = $1 ${sql.dialect.forKeyShare}`,
    [projectId],
  );
  if (project) await sql.lock('requests', project.id);
  return project?.id;
}

export async function lockJob(sql: Sql, project: number, jobId: string): Promise<LockedJob | undefined> {
  const [job] = await sql.query<LockedJob>(
    `select id as row, status from jobs where project = $1 and public_id = $2 ${sql.dialect.forUpdate}`,
    [project, jobId],
  );
  return job;
}

interface FoundJob {
  project: number;
  job: LockedJob;
}

export async function lockJobOf(sql: Sql, projectId: string, jobId: string): Promise<FoundJob | undefined> {
  const project = await lockRequests(sql, projectId);
  const job = project === undefined ? undefined : await lockJob(sql, project, jobId);
  return project === undefined || !job ? undefined : { project, job };
}

interface Asked extends Pick<Asking, 'idempotency' | 'isSpent' | 'now'> {
  jobId: string;
  prompt: string;
  images?: readonly NewImage[];
  record?: TurnRecord;
}

/** One more turn. */
export function addTurn(
  sql: Sql,
  { project, job }: FoundJob,
  { jobId, prompt, record, images, ...rest }: Asked,
): Promise<Accepted> {
  const asking: Asking = { project, route: 'message', keyRoute: `message ${jobId}`, ...rest };
  const apply = async () => {
    await sql.query(`update jobs set status = 'active', active_at = $2, failure = null where id = $1`, [
      job.row,
      rest.now,
    ]);
    await resume(sql, job.row, rest.now);
    await queueTurn(sql, job.row, prompt, rest.now, { record, images });
    return job.row;
  };
  return accept(sql, asking, apply, job);
}

/** A job that is created. @param before notes what goes with it */
export function acceptJob(
  sql: Sql,
  asked: Omit<Asking, 'route' | 'keyRoute'>,
  job: NewJob,
  before?: () => Promise<unknown>,
): Promise<Accepted> {
  return accept(sql, { ...asked, route: 'create', keyRoute: 'create' }, async () => {
    await before?.();
    return insertJob(sql, asked.project, job, asked.now);
  });
}

/** The order matters: what was accepted before is answered again, whatever has happened since. */
async function accept(
  sql: Sql,
  asking: Asking,
  apply: () => Promise<number>,
  job?: LockedJob,
): Promise<Accepted> {
  const repeated = await findRepeated(sql, asking);
  if (repeated === 'reused') return { kind: 'key_reused' };
  if (repeated !== undefined) return { kind: 'repeated', job: await readJob(sql, repeated) };
  if (job?.status === 'archived') return { kind: 'archived' };
  if (asking.isSpent) return { kind: 'spent' };
  const retryAfterMs = await spend(sql, asking);
  if (retryAfterMs !== undefined) return { kind: 'limited', retryAfterMs, ...hourlyUses };
  const row = await apply();
  await remember(sql, asking, row);
  return { kind: 'accepted', job: await readJob(sql, row) };
}

async function insertJob(
  sql: Sql,
  project: number,
  { id, repository, ref, model, prompt, reverts, ...origin }: NewJob,
  now: number,
): Promise<number> {
  // What `ref` means is asked of the repository when the first turn begins; until then, what it meant last.
  const [known] = await sql.query<{ baseBranch: string }>(
    `select base_branch as "baseBranch" from jobs
     where project = $1 and repository = $2 and ref = $3 and base_branch is not null order by id desc limit 1`,
    [project, repository, ref],
  );
  const [job] = await sql.query<{ row: number }>(
    `insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at, started_by, reverts,
       base_branch)
     values ($1, $2, 'active', $3, $4, $5, $6, $7, $8, $9, $10) returning id as row`,
    [
      ...[id, project, repository, ref, model, now, now],
      origin.startedBy ? JSON.stringify(origin.startedBy) : null,
      reverts ?? null,
      known?.baseBranch ?? null,
    ],
  );
  const row = job?.row as number;
  await queueTurn(sql, row, prompt, now, origin);
  return row;
}

/** One more turn of a job whose row is locked. */
async function queueTurn(
  sql: Sql,
  job: number,
  prompt: string,
  now: number,
  { record, startedBy, images = [] }: TurnOrigin,
): Promise<void> {
  const [last] = await sql.query<{ number: number }>(
    'select coalesce(max(number), -1) as number from turns where job = $1',
    [job],
  );
  const number = (last?.number ?? -1) + 1;
  await sql.query(
    `insert into turns (job, number, prompt, phase, created_at, due_at, record)
     values ($1, $2, $3, 'queued', $4, $5, $6)`,
    [job, number, JSON.stringify(prompt), now, now, record ? [JSON.stringify(record)] : []],
  );
  const listed = await addImages(sql, job, number, images);
  const events = [eventOf.message(prompt, { startedBy, origin: record?.origin, images: listed })];
  await appendEvents(sql, { job, turn: number, events, now, kind: 'queued' });
}

/**
 * Turns that wait for it go on from the phase that they had reached, with all their attempts before them. A later one that a
 * runner holds was only to be put off: it loses its lease and comes after them.
 */
export async function resume(sql: Sql, job: number, now: number): Promise<void> {
  await sql.query(
    `update turns as t set phase = case phase when 'claimed' then 'queued' else phase end, leased = false,
       fence = fence + 1, due_at = $2, attempt = attempt - 1
     where t.job = $1 and t.phase <> 'settled' and t.leased
       and exists (select 1 from turns e where e.job = t.job and e.number < t.number and e.resumes_at is not null)`,
    [job, now],
  );
  const waiting = await sql.query<{ number: number; record: string }>(
    `select number, ${sql.dialect.listAsJson('record')} as record from turns
     where job = $1 and resumes_at is not null`,
    [job],
  );
  for (const { number, record } of waiting) {
    const { failures: _failures, refusal: _refusal, mending: _mending, ...kept } = parseRecord(record);
    await sql.query(
      `update turns set phase = resumes_at, resumes_at = null, due_at = $3, attempt = 0, record = $4
       where job = $1 and number = $2`,
      [job, number, now, [JSON.stringify(kept)]],
    );
  }
}

/**
 * How often a project may create jobs, and as often again send messages, in any stretch of time of that length. Never more
 * are accepted, however many requests come at once and wherever.
 */
export const hourlyUses = { limit: 100, windowMs: 60 * 60 * 1000 } as const;

/** Who asks, in a transaction that holds the lock of the project. */
interface Asking {
  project: number;
  /** Requests of which a project has `hourlyUses`. */
  route: 'create' | 'message';
  /** Where the key of the request holds. */
  keyRoute: string;
  idempotency: Idempotency | null;
  /** The project's budget is spent: only what was accepted before is answered. */
  isSpent: boolean;
  now: number;
}

/** The job that an earlier request with this key led to; `reused`: that was another request. */
async function findRepeated(
  sql: Sql,
  { project, keyRoute, idempotency, now }: Asking,
): Promise<number | 'reused' | undefined> {
  if (!idempotency) return undefined;
  const [earlier] = await sql.query<{ hash: string; job: number }>(
    // Locked, which is written: so the answer waits for the standbys that the first one may not have reached.
    `select request_hash as hash, job from idempotency_keys
     where project = $1 and route = $2 and key = $3 and at > $4 ${sql.dialect.forUpdate}`,
    [project, keyRoute, idempotency.key, now - idempotencyMs],
  );
  if (!earlier) return undefined;
  return earlier.hash === idempotency.requestHash ? earlier.job : 'reused';
}

/** Spends one use; a number instead: the hour is full, and that many milliseconds remain until it is not. */
async function spend(sql: Sql, { project, route, now }: Asking): Promise<number | undefined> {
  const { limit, windowMs } = hourlyUses;
  await sql.query('delete from uses where project = $1 and route = $2 and at <= $3', [
    project,
    route,
    now - windowMs,
  ]);
  const [blocking] = await sql.query<{ at: number }>(
    'select at from uses where project = $1 and route = $2 order by at desc limit 1 offset $3',
    [project, route, limit - 1],
  );
  if (blocking) return blocking.at + windowMs - now;
  await sql.query('insert into uses (project, route, at) values ($1, $2, $3)', [project, route, now]);
  return undefined;
}

async function remember(
  sql: Sql,
  { project, keyRoute, idempotency, now }: Asking,
  job: number,
): Promise<void> {
  if (!idempotency) return;
  // Another project's request may be deleting the same old ones.
  await sql.query(
    `delete from idempotency_keys where (project, route, key) in (
       select k.project, k.route, k.key from idempotency_keys k where k.at <= $1 ${sql.dialect.skipLocked('k')})`,
    [now - idempotencyMs],
  );
  await sql.query(
    `insert into idempotency_keys (project, route, key, request_hash, job, at) values ($1, $2, $3, $4, $5, $6)
     on conflict (project, route, key) do update
       set request_hash = excluded.request_hash, job = excluded.job, at = excluded.at`,
    [project, keyRoute, idempotency.key, idempotency.requestHash, job, now],
  );
}
