import {
  attemptMemoryMs,
  type Failures,
  type LoginAttemptStore,
  type LoginAttempts,
  maxKnownNetworks,
} from '../../admin/login-attempts.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { readClock, type StoreClock } from '../store-clock.ts';

/** Names the row of all networks together. */
const together = '';

interface FailureRow {
  network: string;
  count: number;
  at: number;
}

/** What all nodes remember of who guesses passwords; they change it one after the other. */
export class SharedLoginAttempts implements LoginAttemptStore {
  readonly #database: Database;

  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  changeAttempts<T>(networks: string[], change: (attempts: LoginAttempts, now: number) => T): Promise<T> {
    return this.#database.transaction(async (db) => {
      await db.query('select pg_advisory_xact_lock(8, 0)');
      const now = await readClock(db, this.#clock);
      const attempts = await readAttempts(db, networks);
      const result = change(attempts, now);
      await writeAttempts(db, networks, attempts, now);
      return result;
    });
  }
}

async function readAttempts(db: Queryable, networks: string[]): Promise<LoginAttempts> {
  const rows = await db.query<FailureRow>('select network, count, at from guesses where network = any ($1)', [
    [...networks, together],
  ]);
  const known = await db.query<{ network: string }>(
    'select network from known_networks where network = any ($1)',
    [networks],
  );
  const failures = new Map(
    rows.map(({ network, count, at }): [string, Failures] => [network, { count, lastAt: at }]),
  );
  const all = failures.get(together);
  failures.delete(together);
  return {
    failures,
    known: new Set(known.map(({ network }) => network)),
    together: { count: all?.count ?? 0, since: all?.lastAt ?? 0 },
  };
}

async function writeAttempts(
  db: Queryable,
  networks: string[],
  attempts: LoginAttempts,
  now: number,
): Promise<void> {
  const { count, since } = attempts.together;
  const rows = [...attempts.failures, [together, { count, lastAt: since }] as const];
  await db.query('delete from guesses where network = any ($1) or (network <> $2 and at <= $3)', [
    networks,
    together,
    now - attemptMemoryMs,
  ]);
  await db.query(
    `insert into guesses (network, count, at) select * from unnest($1::text[], $2::int[], $3::bigint[])
     on conflict (network) do update set count = excluded.count, at = excluded.at`,
    [rows.map(([network]) => network), rows.map(([, one]) => one.count), rows.map(([, one]) => one.lastAt)],
  );
  if (attempts.known.size === 0) return;
  await db.query(
    `insert into known_networks (network, at) select network, $2 from unnest($1::text[]) as x(network)
     on conflict (network) do update set at = excluded.at`,
    [[...attempts.known], now],
  );
  await db.query(
    'delete from known_networks where network not in (select network from known_networks order by at desc limit $1)',
    [maxKnownNetworks],
  );
}
