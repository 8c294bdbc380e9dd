import { StoreError } from '../../store.ts';
import type { Connection } from '../connection.ts';
import type { Database } from '../database.ts';

/** @throws StoreError where an earlier move into it was not finished, or it is being moved elsewhere */
export async function requireWhole(database: Database): Promise<void> {
  const [move] = await database.query<{ isBegun: boolean; isFree: boolean }>(
    `select exists (select from moving) as "isBegun", pg_try_advisory_xact_lock_shared(10, 0) as "isFree"`,
  );
  if (move?.isBegun) {
    throw new StoreError(
      'unusable',
      `A move into the database ${database.name} was begun and not finished: give "headcount move" again, which begins anew.`,
    );
  }
  if (move?.isFree === false) {
    throw new StoreError(
      'in_use',
      `The database ${database.name} is being moved to a data folder: wait for the end of that, or stop it.`,
    );
  }
}

/** Until the end of the connection nobody else opens the database. @throws StoreError `in_use` where somebody has it open */
export async function holdForMove(connection: Connection, name: string): Promise<void> {
  const [lock] = await connection.query<{ isTaken: boolean }>(
    'select pg_try_advisory_lock(10, 0) as "isTaken"',
  );
  const others = await connection.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name like 'headcount%' and pid <> pg_backend_pid()`,
  );
  if (lock?.isTaken && others.length === 0) return;
  throw new StoreError(
    'in_use',
    `Somebody has the database ${name} open: stop all servers first. Nothing was changed.`,
  );
}
