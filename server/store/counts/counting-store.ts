import type { CountedDropReason } from '../../../shared/hit.ts';
import type { Day } from '../../counting/calendar.ts';
import type { CounterIncrement } from '../../counting/counter.ts';
import type { View } from '../../counting/view.ts';

export interface OpenDay {
  day: Day;
  /** What the first to open the day gave; gone when the day is sealed. Null: this is not the day that was asked for. */
  salt: Uint8Array | null;
}

/** How far a project has come. */
export interface ProjectCalendar {
  projectId: string;
  /** With a count; null: there is none. */
  newestDay: Day | null;
  /** Days up to this one are sealed; null: none yet. */
  sealedThrough: Day | null;
}

/** A day that is opened for live hits. */
export interface DayOpening {
  projectId: string;
  day: Day;
  salt: Uint8Array;
  /** The version of the rules that classify its hits, noted where the day is open; null: none is noted. */
  rules: number | null;
}

/** A salt as it is kept, which is encrypted: only who counts can read it. */
export interface KeptSalt {
  projectId: string;
  day: Day;
  salt: Uint8Array;
  /** When a throw-away salt of an import is due, in milliseconds since 1970; null: the day is open as usual. */
  forgetAt: number | null;
}

export interface SaltReplacement extends Omit<KeptSalt, 'forgetAt'> {
  by: Uint8Array;
}

/** Hits that were not counted, and why. */
export interface Dropped {
  reason: CountedDropReason;
  /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
  family: string;
  hits: number;
}

/** Those of one day. */
export interface DroppedCounter extends Dropped {
  projectId: string;
  day: Day;
}

/** What hits add to that are no views. */
export interface Uncounted {
  dropped: DroppedCounter[];
  counters: CounterIncrement[];
}

/** What live hits add to. The rules of `Store` hold. */
export interface CountingStore {
  /** A batch of more views would only hold up those that come after it. */
  readonly viewsPerBatch: number;
  /**
   * Opens days in one transaction, or none of them. Returns for each its salt, on first use the given one. A sealed day is
   * not opened again: the first day that can be open is returned instead (a change of time zone can turn the calendar back
   * by a day), and nothing is opened. Null: no such project.
   */
  openDays(openings: readonly DayOpening[]): Promise<(OpenDay | null)[]>;
  /** The salts of all days that can be counted on, those of imports too. */
  listSalts(): Promise<KeptSalt[]>;
  listCalendars(): Promise<ProjectCalendar[]>;
  /** Puts others in the place of salts that are still there, which are destroyed as `seal` does. */
  replaceSalts(replacements: SaltReplacement[]): Promise<void>;
  /**
   * Counts views, what they add to besides, and hits that are no views in one transaction; where they are kept on several servers, in one on each, so that a reader may
   * see some of them before it resolves. Answers the indexes of views that were not counted because their day was sealed,
   * or their project removed, in the meantime.
   */
  countViews(views: View[], dropped: DroppedCounter[], counters?: CounterIncrement[]): Promise<number[]>;
  /**
   * Forgets salts and visitors of the project's days up to and including this one: no view is counted on them from then on.
   * When it resolves, the engine has destroyed what it can of its own files; each says what is left, such as backups.
   * Of sealed days only those from `hoursFrom` on keep their hours; null or not given: none does.
   */
  seal(projectId: string, through: Day, hoursFrom?: Day | null): Promise<void>;
  /** Deletes copies that the engine made before an update, once they are two days old. `now`: milliseconds since 1970. */
  deleteOldCopies(now: number): Promise<void>;
}
