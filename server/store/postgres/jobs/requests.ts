import type { Job } from '../../jobs/job.ts';
import type { NewImage } from '../../jobs/job-image.ts';
import { type Accepted, hourlyUses, type NewJob } from '../../jobs/job-store.ts';
import type { TurnRecord } from '../../jobs/job-turn.ts';
import type { Queryable } from '../queryable.ts';
import { type Asking, findRepeated, remember, spend } from './allowance.ts';
import { readJob } from './job-rows.ts';
import { activate, queueTurn, resume } from './turn-queue.ts';

export interface LockedJob {
  row: number;
  status: Job['status'];
}

/**
 * One request of a project at a time, over all nodes, so that its limits and keys hold. The project stays meanwhile.
 * Undefined: there is none.
 */
export async function lockProject(db: Queryable, projectId: string): Promise<number | undefined> {
  const [project] = await db.query<{ id: number }>(
    'select id from projects where public_id = $1 for key share',
    [projectId],
  );
  if (project) await db.query('select pg_advisory_xact_lock(4, $1)', [project.id]);
  return project?.id;
}

export async function lockJob(db: Queryable, project: number, jobId: string): Promise<LockedJob | undefined> {
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

export async function lockJobOf(
  db: Queryable,
  projectId: string,
  jobId: string,
): Promise<FoundJob | undefined> {
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
export async function addTo(
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
export async function accept(
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

export async function insertJob(
  db: Queryable,
  project: number,
  { id, repository, ref, model, prompt, reverts, ...told }: NewJob,
  now: number,
): Promise<number> {
  // What `ref` means is asked of the repository when the first turn begins; until then, what it meant last.
  const [job] = await db.query<{ row: number }>(
    `insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at, started_by, reverts,
       base_branch)
     values ($1, $2, 'active', $3, $4, $5, $6, $6, $7, $8, (
       select base_branch from jobs
       where project = $2 and repository = $3 and ref = $4 and base_branch is not null
       order by id desc limit 1))
     returning id as row`,
    [
      ...[id, project, repository, ref, model, now],
      told.startedBy ? JSON.stringify(told.startedBy) : null,
      reverts ?? null,
    ],
  );
  const row = job?.row as number;
  await queueTurn(db, row, prompt, now, told);
  return row;
}
