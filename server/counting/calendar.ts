/** Days since 1970-01-01 of a calendar date in the project's time zone. */
export type Day = number;

const epoch = new Temporal.PlainDate(1970, 1, 1);

export function toDay(date: Temporal.PlainDate): Day {
  return epoch.until(date, { largestUnit: 'days' }).days;
}

export function fromDay(day: Day): Temporal.PlainDate {
  return epoch.add({ days: day });
}

/** The calendar of a time zone. It remembers the day it was last asked about, which is nearly always today. */
export class Calendar {
  readonly timeZone: string;
  #day = 0;
  #startMs = 0;
  #endMs = 0;

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

  /** The same with when the day begins, and when the next one does. */
  intervalOf(atMs: number): { day: Day; start: number; end: number } {
    return { day: this.dayOf(atMs), start: this.#startMs, end: this.#endMs };
  }
}

/** The calendars of all time zones that are asked about. */
export class Calendars {
  readonly #byZone = new Map<string, Calendar>();

  dayOf(timeZone: string, atMs: number): Day {
    let calendar = this.#byZone.get(timeZone);
    if (!calendar) {
      calendar = new Calendar(timeZone);
      this.#byZone.set(timeZone, calendar);
    }
    return calendar.dayOf(atMs);
  }
}
