import type { CalendarRepair } from './calendar-repair.ts';

/** A setting of the engine's server that a promise depends on. */
export interface StoreRisk {
  kind: 'durability' | 'rights' | 'clock';
  message: string;
}

/** Looks for what is wrong with what is kept, and mends it. The rules of `Store` hold. */
export interface CheckStore {
  /** What is broken in the engine's own files, a sentence each. */
  findDamage(): Promise<string[]>;
  /** What the database lacks as it was saved from a damaged one, a sentence each. */
  readMissing(): Promise<string[]>;
  /** How the engine's server is set up, where it is one of its own. `now`: milliseconds since 1970. */
  findRisks(now: number): Promise<StoreRisk[]>;
  /**
   * Rejects where a page, or as much as a batch of hits takes, cannot be written, and with `damaged` once the store has met
   * damage.
   */
  probeWriting(size?: 'page' | 'batch'): Promise<void>;
  /** Mends a calendar that a wrong clock has gone over, and destroys what it forgets as `Store.seal` does. */
  repairCalendar(repair: CalendarRepair): Promise<void>;
}
