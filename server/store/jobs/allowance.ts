import type { Sql } from '../../database/sql.ts';
import { type Idempotency, idempotencyMs } from '../idempotency.ts';

/**
 * How often a project may create jobs, and as often again send messages, in any stretch of time of that length. Never more
 * are accepted, however many requests come at once and wherever.
 */
export const hourlyUses = { limit: 100, windowMs: 60 * 60 * 1000 } as const;

/** Who asks, in a transaction that holds the lock of the project. */
export interface Asking {
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
export async function findRepeated(
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
export async function spend(sql: Sql, { project, route, now }: Asking): Promise<number | undefined> {
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

export async function remember(
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
