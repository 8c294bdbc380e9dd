import type { Queryable } from './queryable.ts';

/**
 * Where the time of jobs comes from: null for the database's clock, which is the same for all nodes; tests hand in another.
 * It is given to the function `store_clock`.
 */
export type StoreClock = () => number | null;

/** One moment for a whole transaction: to be read when its locks are held. */
export async function readClock(db: Queryable, clock: StoreClock): Promise<number> {
  const [row] = await db.query<{ now: number }>('select store_clock($1) as now', [clock()]);
  return row?.now as number;
}
