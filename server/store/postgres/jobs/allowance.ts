import { type Idempotency, idempotencyMs } from '../../idempotency.ts';
import { jobOfEarlier, type LimitedRoute, msUntilUse } from '../../jobs/allowance.ts';
import { hourlyUses } from '../../jobs/job-store.ts';
import type { Queryable } from '../queryable.ts';

/** Who asks, in a transaction that holds the lock of the project. */
export interface Asking {
  project: number;
  route: LimitedRoute;
  /** Where the key of the request holds. */
  keyRoute: string;
  idempotency: Idempotency | null;
  isSpent: boolean;
  now: number;
}

export async function findRepeated(
  db: Queryable,
  { project, keyRoute, idempotency, now }: Asking,
): Promise<number | 'reused' | undefined> {
  if (!idempotency) return undefined;
  const [row] = await db.query<{ hash: string; job: number }>(
    // Locked, which is written: so the answer waits for the standbys that the first one may not have reached.
    `select request_hash as hash, job from idempotency_keys
     where project = $1 and route = $2 and key = $3 and at > $4 for update`,
    [project, keyRoute, idempotency.key, now - idempotencyMs],
  );
  return jobOfEarlier(row, idempotency);
}

/** Spends one use; a number instead: the hour is full, and that many milliseconds remain until it is not. */
export async function spend(db: Queryable, { project, route, now }: Asking): Promise<number | undefined> {
  const { limit, windowMs } = hourlyUses;
  await db.query('delete from uses where project = $1 and route = $2 and at <= $3', [
    project,
    route,
    now - windowMs,
  ]);
  const [blocking] = await db.query<{ at: number }>(
    'select at from uses where project = $1 and route = $2 order by at desc limit 1 offset $3',
    [project, route, limit - 1],
  );
  const untilMs = msUntilUse(blocking, now);
  if (untilMs === undefined)
    await db.query('insert into uses (project, route, at) values ($1, $2, $3)', [project, route, now]);
  return untilMs;
}

export async function remember(
  db: Queryable,
  { project, keyRoute, idempotency, now }: Asking,
  job: number,
): Promise<void> {
  if (!idempotency) return;
  // Another project's request may be deleting the same old ones.
  await db.query(
    `delete from idempotency_keys where (project, route, key) in (
       select project, route, key from idempotency_keys where at <= $1 for update skip locked)`,
    [now - idempotencyMs],
  );
  await db.query(
    `insert into idempotency_keys (project, route, key, request_hash, job, at) values ($1, $2, $3, $4, $5, $6)
     on conflict (project, route, key) do update
       set request_hash = excluded.request_hash, job = excluded.job, at = excluded.at`,
    [project, keyRoute, idempotency.key, idempotency.requestHash, job, now],
  );
}
