/** Days since 1970-01-01 of a calendar date in the project's time zone. */
export type Day = number;

const epoch = new Temporal.PlainDate(1970, 1, 1);

export function toDay(date: Temporal.PlainDate): Day {
  return epoch.until(date, { largestUnit: 'days' }).days;
}

export function fromDay(day: Day): Temporal.PlainDate {
  return epoch.add({ days: day });
}

const hourMs = 3_600_000;

/** How long a day stays open after its end, and so how late its hits may come. */
export const openAfterEndMs = 24 * hourMs;

/** Names of the hours of a day, as they are counted. */
export const hourNames: readonly string[] = Array.from({ length: 24 }, (_, hour) =>
  String(hour).padStart(2, '0'),
);

/** When a day begins, and when the next one does, in milliseconds since 1970. */
export interface DayInterval {
  day: Day;
  start: number;
  end: number;
}

/** The hour of the day, from 0; undefined: clocks are turned on it, so that only the calendar knows. */
export function hourIn({ start, end }: Pick<DayInterval, 'start' | 'end'>, atMs: number): number | undefined {
  return end - start === 24 * hourMs ? Math.floor((atMs - start) / hourMs) : undefined;
}

/** The calendar of a time zone. It remembers the day it was last asked about, which is nearly always today. */
export class Calendar {
  readonly timeZone: string;
  #day = 0;
  #startMs = 0;
  #endMs = 0;
  #hour = 0;
  /** Since 1970, of which the hour is. */
  #quarter = Number.NaN;

  constructor(timeZone: string) {
    this.timeZone = timeZone;
  }

  /** The day on which this moment (milliseconds since 1970) falls, daylight saving included. */
  dayOf(atMs: number): Day {
    if (atMs < this.#startMs || atMs >= this.#endMs) {
      const moment = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(
        this.timeZone,
      );
      const start = moment.startOfDay();
      this.#day = toDay(moment.toPlainDate());
      this.#startMs = start.epochMilliseconds;
      this.#endMs = start.add({ days: 1 }).startOfDay().epochMilliseconds;
    }
    return this.#day;
  }

  /** Days up to this one are to be sealed, as they ended long enough ago. */
  lastDueDay(nowMs: number): Day {
    return this.dayOf(nowMs - openAfterEndMs) - 1;
  }

  /** From `00` to `23`, as the clocks say: what they show twice when they are put back is one hour. */
  hourOf(atMs: number): string {
    this.dayOf(atMs);
    const isTurned = this.#endMs - this.#startMs !== 24 * hourMs;
    const hour = isTurned ? this.#turnedHour(atMs) : Math.floor((atMs - this.#startMs) / hourMs);
    return hourNames[hour] as string;
  }

  /** On a day on which clocks are turned, which they are at quarters of an hour. */
  #turnedHour(atMs: number): number {
    const quarter = Math.floor(atMs / (hourMs / 4));
    if (quarter !== this.#quarter) {
      this.#hour = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(
        this.timeZone,
      ).hour;
      this.#quarter = quarter;
    }
    return this.#hour;
  }

  /** The same with when the day begins, and when the next one does. */
  intervalOf(atMs: number): DayInterval {
    return { day: this.dayOf(atMs), start: this.#startMs, end: this.#endMs };
  }
}

const calendars = new Map<string, Calendar>();

/** Of a zone that projects have: each is made once. */
export function calendarOf(timeZone: string): Calendar {
  const known = calendars.get(timeZone) ?? new Calendar(timeZone);
  calendars.set(timeZone, known);
  return known;
}

/** Clocks differ: a hit may come from this far ahead, and counts as of now. */
const maxAheadMs = 5 * 60 * 1000;

/** When a hit counts, in milliseconds since 1970; undefined: it lies in the future. */
export function hitTime(at: number, now: number): number | undefined {
  return at > now + maxAheadMs ? undefined : Math.min(at, now);
}

const dayMs = 86_400_000;
/** How much earlier a day begins in the easternmost zone than in UTC. */
const eastMs = 14 * 3_600_000;
/** More than two days, as a day ends later in the west. */
const maxMoment = 2 ** 28 - 1;

/** When it was, by the order of the day's views: milliseconds since the day began anywhere. Takes 28 bits. */
export function momentOf(day: Day, atMs: number): number {
  return Math.min(Math.max(Math.floor(atMs) - day * dayMs + eastMs, 0), maxMoment);
}

/** The same in milliseconds since 1970. */
export const timeOf = (day: Day, moment: number): number => moment + day * dayMs - eastMs;
