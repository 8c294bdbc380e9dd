import {
  Calendar,
  type Day,
  type DayInterval,
  hourIn,
  hourNames,
  openAfterEndMs,
} from '../counting/calendar.ts';
import { type Interned, intern } from '../counting/names/interned.ts';
import { importSaltMs, type SaltCipher } from '../counting/visitor/salt.ts';
import { Networks } from '../counting/visitor/visitor.ts';
import type { DaySummary, ImportDay } from '../store/counts/view-batch.ts';
import type { ImportStore } from '../store/imports.ts';
import { ImportError } from './import-error.ts';

/** Servers write lines when requests end, and some of them the time when they began. */
const disorderMs = 5 * 60 * 1000;

export interface DayRules {
  /** Add to days that hold counts from elsewhere. */
  merge: boolean;
  /** Undefined: people count on days on which no people came in another way. */
  people: 'count' | 'skip' | undefined;
  /** Lines are added to active days, which also count live hits. */
  joinsOpenDays: boolean;
}

/**
 * Why a day takes in no lines: its counts came another way, from a log whose visitors are forgotten, or from another tool.
 */
export type DayConflict = 'other' | 'forgotten' | 'history';

export interface CountedDay {
  readonly opened: ImportDay;
  /** As the hash of visitors takes it. */
  readonly salt: string;
  readonly networks: Networks;
  readonly countsPeople: boolean;
}

interface Parts {
  projectId: string;
  timeZone: string;
  /** Sealed days from this one on keep their hours; null: none does. */
  hoursFrom: Day | null;
  rules: DayRules;
  saltCipher: SaltCipher;
  now: () => number;
  /** Notes the version of the rules that the day's views are classified with. */
  noteRules(projectId: string, day: Day): Promise<void>;
}

/** The days of the lines, and whether they take them in. */
export class ImportDays {
  readonly #store: ImportStore;
  readonly #parts: Parts;
  readonly #calendar: Calendar;
  #summaries = new Map<Day, DaySummary>();
  readonly #hours = hourNames.map(intern);
  /** Null: refused. */
  readonly #days = new Map<Day, CountedDay | null>();
  /** By days in UTC; a day in another zone begins in one of them and ends in the next. */
  readonly #intervals = new Map<number, DayInterval[]>();

  constructor(store: ImportStore, parts: Parts) {
    this.#store = store;
    this.#parts = parts;
    this.#calendar = new Calendar(parts.timeZone);
  }

  /** Loads the summaries of days, and drops the opened ones. */
  async load(): Promise<void> {
    const summaries = await this.#store.listDays(this.#parts.projectId);
    this.#summaries = new Map(summaries.map((day) => [day.day, day]));
    this.#days.clear();
  }

  get holdsNothing(): boolean {
    return this.#summaries.size === 0;
  }

  /** Days of a shuffled log come in any order, and asking the calendar takes longer than all the rest. */
  dayOf(at: number): Day {
    return this.#intervalOf(at).day;
  }

  /** From `00` to `23`; null: its day is sealed or about to be, and keeps no hours then. */
  hourOf(at: number): Interned<string> | null {
    const interval = this.#intervalOf(at);
    const { hoursFrom, now } = this.#parts;
    const isKept = hoursFrom !== null && interval.day >= hoursFrom;
    if (!isKept && interval.end + openAfterEndMs <= now()) return null;
    const hour = hourIn(interval, at) ?? Number(this.#calendar.hourOf(at));
    return this.#hours[hour] as Interned<string>;
  }

  #intervalOf(at: number): DayInterval {
    const utcDay = Math.floor(at / 86_400_000);
    const list = this.#intervals.get(utcDay) ?? [];
    for (const known of list) if (at >= known.start && at < known.end) return known;
    const interval = this.#calendar.intervalOf(at);
    if (this.#intervals.size > 10_000) this.#intervals.clear();
    this.#intervals.set(utcDay, [...list, interval]);
    return interval;
  }

  /** Undefined: it has to be opened first. Null: it takes in no lines. */
  find(day: Day): CountedDay | null | undefined {
    return this.#days.get(day);
  }

  /** @param firstAt when the first of the lines happened, in milliseconds since 1970 */
  async open(day: Day, firstAt: number): Promise<void> {
    if (this.refusal(day, firstAt)) {
      this.#days.set(day, null);
      return;
    }
    const { projectId, saltCipher, now, noteRules } = this.#parts;
    const place = { projectId, day };
    const given = { salt: saltCipher.make(place), forgetAt: now() + importSaltMs };
    const opened = await this.#store.openDay(projectId, day, given);
    if (opened === null) throw new ImportError('project_removed', 'The project was removed in the meantime.');
    if (opened === 'history') {
      this.#days.set(day, null);
      return;
    }
    const salt = saltCipher.decrypt(place, opened.salt);
    if (salt === undefined) throw otherKey();
    await noteRules(projectId, day);
    this.#days.set(day, {
      opened,
      salt,
      networks: new Networks(salt),
      countsPeople: this.#countsPeople(day),
    });
  }

  refusal(day: Day, firstAt: number): DayConflict | undefined {
    const summary = this.#summaries.get(day);
    if (summary && summary.history !== null) return 'history';
    if (!summary || this.#parts.rules.merge || (summary.isOpen && this.#parts.rules.joinsOpenDays))
      return undefined;
    if (otherViews(summary) > 0) return 'other';
    // Lines that come after all that were counted are the next part of the day.
    const goesOn = summary.imported !== null && firstAt >= summary.imported.lastAt - disorderMs;
    return summary.isOpen || goesOn ? undefined : 'forgotten';
  }

  /** All days on which this import has counted. */
  counted(): Day[] {
    return [...this.#days].flatMap(([day, state]) => (state ? [day] : []));
  }

  #countsPeople(day: Day): boolean {
    if (this.#parts.rules.people !== undefined) return this.#parts.rules.people === 'count';
    const summary = this.#summaries.get(day);
    return summary === undefined || summary.humanViews - (summary.imported?.humanViews ?? 0) === 0;
  }
}

/** To go on with another salt would count visitors twice, and the server's too. */
export function otherKey(): ImportError {
  return new ImportError(
    'other_key',
    'The salts of active days cannot be read with the current key: give this command the HEADCOUNT_SECRET_KEY or the data folder with the secret.key of the server. If that key is lost, start the server once; it makes new salts.',
  );
}

function otherViews({ humanViews, aiViews, imported }: DaySummary): number {
  return humanViews + aiViews - (imported?.humanViews ?? 0) - (imported?.aiViews ?? 0);
}
