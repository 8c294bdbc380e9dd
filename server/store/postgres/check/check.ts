import type { CalendarRepair, CheckStore, StoreRisk } from '../../check-store.ts';
import { repairCalendar } from '../counts/calendar-repair.ts';
import type { Database } from '../database.ts';
import { findDamage } from './damage.ts';
import { findRisks } from './risks.ts';

/** Looks for what is wrong with the database, and mends calendars. */
export class Check implements CheckStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  findDamage(): Promise<string[]> {
    return this.#database.snapshot(findDamage);
  }

  findRisks(now: number): Promise<StoreRisk[]> {
    return findRisks(this.#database, now);
  }

  /** Waits for a standby where each commit does. */
  async probeWriting(): Promise<void> {
    await this.#database.query('update headcount_schema set version = version');
  }

  async repairCalendar(repair: CalendarRepair): Promise<void> {
    await this.#database.transaction((session) => repairCalendar(session, repair));
    await this.#database.query('select tidy_bins()');
  }
}
