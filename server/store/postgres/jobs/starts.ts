import { type Start, startsWindowMs } from '../../jobs/job-start.ts';
import type { Queryable } from '../queryable.ts';

/** Undefined: it may start a job. In a transaction that holds the lock of the project. */
export async function findRefusal(
  db: Queryable,
  project: number,
  { automation, keys, perWeek }: Start,
  now: number,
): Promise<'taken' | 'full' | undefined> {
  // It stays as it is until the job is there.
  const known = await db.query(
    'select from automations where project = $1 and id = $2 and on_since is not null for key share',
    [project, automation],
  );
  if (known.length === 0) return 'taken';
  const [found] = await db.query<{ taken: number; started: number }>(
    `select count(*) filter (where key = any($3::text[])) as taken, count(distinct job) filter (where at > $4) as started
     from automation_runs where project = $1 and automation = $2 and job is not null`,
    [project, automation, keys, now - startsWindowMs],
  );
  if (found && found.taken > 0) return 'taken';
  return found && found.started >= perWeek ? 'full' : undefined;
}

export async function noteStart(
  db: Queryable,
  project: number,
  { automation, keys }: Start,
  job: string,
  now: number,
): Promise<void> {
  await db.query(
    `insert into automation_runs (project, automation, key, at, job)
     select $1, $2, key, $4, $5 from unnest($3::text[]) key
     on conflict (project, automation, key) do update set at = excluded.at, job = excluded.job, reason = null`,
    [project, automation, keys, now, job],
  );
}
