import type { Sql } from '../../database/sql.ts';

/** What started a job by itself, as it was called then. */
export interface Starter {
  /** Its id. */
  automation: string;
  name: string;
  kind: 'schedule' | 'trigger';
}

/** What an automation starts a job for: a time, or things; at most so many jobs within any 7 days. */
export interface Start {
  automation: string;
  keys: readonly string[];
  perWeek: number;
}

const startsWindowMs = 7 * 24 * 60 * 60 * 1000;

/** Undefined: it may start a job. In a transaction that holds the lock of the project. */
export async function findRefusal(
  sql: Sql,
  project: number,
  { automation, keys, perWeek }: Start,
  now: number,
): Promise<'taken' | 'full' | undefined> {
  // It stays as it is until the job is there.
  const known = await sql.query(
    `select id from automations where project = $1 and id = $2 and on_since is not null ${sql.dialect.forUpdate}`,
    [project, automation],
  );
  if (known.length === 0) return 'taken';
  const [found] = await sql.query<{ taken: number; started: number }>(
    `select count(*) filter (where key ${sql.dialect.isOneOf('$3')}) as taken,
       count(distinct job) filter (where at > $4) as started
     from automation_runs where project = $1 and automation = $2 and job is not null`,
    [project, automation, keys, now - startsWindowMs],
  );
  if (found && found.taken > 0) return 'taken';
  return found && found.started >= perWeek ? 'full' : undefined;
}

/** In such a transaction. */
export async function noteStart(
  sql: Sql,
  project: number,
  { automation, keys }: Start,
  job: string,
  now: number,
): Promise<void> {
  for (const key of keys) {
    await sql.query(
      `insert into automation_runs (project, automation, key, at, job) values ($1, $2, $3, $4, $5)
       on conflict (project, automation, key) do update set at = excluded.at, job = excluded.job, reason = null`,
      [project, automation, key, now, job],
    );
  }
}
