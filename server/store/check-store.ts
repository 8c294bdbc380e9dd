import type { Day } from '../counting/calendar.ts';
import type { KeptSalt } from './counts/counting-store.ts';

/** How a project's calendar has to be by a clock that is right. */
export interface CalendarRepair {
  projectId: string;
  /** The last day that can have begun anywhere. Later ones are forgotten: salts, and visitors. */
  lastDay: Day;
  /** Days after this one cannot be sealed yet. */
  sealedThrough: Day;
  /** Salts for those days, as far as they hold counts and are not open. */
  reopened: Pick<KeptSalt, 'day' | 'salt'>[];
  /** The day that counts of days after the last one are added to; null: they stay where they are. */
  moveTo: Day | null;
  /** Throw-away salts that are due later than this (milliseconds since 1970) are forgotten now. */
  forgetBy: number;
}

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
