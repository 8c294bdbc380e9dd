import { StoreError } from '../../store.ts';
import type { Database } from '../database.ts';

/** @throws StoreError where an earlier move into it was not finished */
export async function requireWhole(database: Database): Promise<void> {
  const moving = await database.query('select from moving');
  if (moving.length === 0) return;
  throw new StoreError(
    'unusable',
    `A move into the database ${database.name} was begun and not finished: give "headcount move" again, which begins anew.`,
  );
}
