import { type Occasion, weekdays } from '../../../shared/jobs/automation.ts';

export type Schedule = Extract<Occasion, { kind: 'weekly' | 'monthly' }>;

/** A time of a schedule. */
export interface Due {
  /** By which it is known: there is one a day at most. */
  date: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** Each day of the week and of the month comes within so many days. */
const longestDays = 32;

/** The newest that has come. */
export function lastDue(schedule: Schedule, timeZone: string, now: number): Due {
  return find(schedule, timeZone, now, -1);
}

/** The first that is yet to come. */
export function nextDue(schedule: Schedule, timeZone: string, now: number): Due {
  return find(schedule, timeZone, now, 1);
}

function find(schedule: Schedule, timeZone: string, now: number, step: 1 | -1): Due {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  for (let days = 0; days <= longestDays; days++) {
    const date = today.add({ days: days * step });
    if (!isOn(schedule, date)) continue;
    const at = momentOf(date, schedule.hour, timeZone);
    if (step < 0 ? at <= now : at > now) return { date: date.toString(), at };
  }
  throw new Error('A schedule has no time.');
}

function isOn(schedule: Schedule, date: Temporal.PlainDate): boolean {
  if (schedule.kind === 'monthly') return date.day === Math.min(schedule.day, date.daysInMonth);
  return schedule.weekdays.some((weekday) => weekdays.indexOf(weekday) === date.dayOfWeek - 1);
}

/** An hour that the clocks leave out is the one after it, and of one that comes twice the first is meant. */
function momentOf(date: Temporal.PlainDate, hour: number, timeZone: string): number {
  return date.toPlainDateTime({ hour }).toZonedDateTime(timeZone, { disambiguation: 'compatible' })
    .epochMilliseconds;
}
