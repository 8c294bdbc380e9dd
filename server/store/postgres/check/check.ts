import type { CheckStore, StoreRisk } from '../../check-store.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { findDamage } from './damage.ts';
import { findRisks } from './risks.ts';

/** A table of some pages that is gone with the transaction, so that no files of tables are left to be there. */
async function writeNewPages(db: Queryable): Promise<void> {
  const [row] = await db.query<{ table: string }>(`select 'write_probe_' || pg_backend_pid() as table`);
  await db.query(`create table ${row?.table} (content text)`);
  await db.query(`alter table ${row?.table} alter content set storage plain`);
  await db.query(`insert into ${row?.table} select repeat('x', 7000) from generate_series(1, 32)`);
  await db.query(`drop table ${row?.table}`);
}

/** Looks for what is wrong with the database. */
export class Check implements Omit<CheckStore, 'repairCalendar'> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  findDamage(): Promise<string[]> {
    return this.#database.snapshot(findDamage);
  }

  async readMissing(): Promise<string[]> {
    return [];
  }

  findRisks(now: number): Promise<StoreRisk[]> {
    return findRisks(this.#database, now);
  }

  /** Waits for a standby where each commit does. */
  async probeWriting(size: 'page' | 'batch' = 'page'): Promise<void> {
    if (this.#database.damage) throw this.#database.damage;
    await this.#database.query('update headcount_schema set version = version');
    if (size === 'batch') await this.#database.transaction(writeNewPages);
  }
}
