import { type Day, fromDay } from '../counting/calendar.ts';

/** Days from the first, inclusive, to the last, exclusive. */
export interface BoundedRange {
  from: Day;
  to: Day;
}

export function dateOf(day: Day): string {
  return fromDay(day).toString();
}

/** Monday is 0; 1970-01-01 was a Thursday. */
export function weekdayOf(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}

export function mondayOf(day: Day): Day {
  return day - weekdayOf(day);
}
