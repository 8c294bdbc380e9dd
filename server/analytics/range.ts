import type { Day } from '../counting/calendar.ts';
import { toDay } from '../counting/calendar.ts';
import { ApiError } from '../errors.ts';

export interface DayRange {
  /** Inclusive; null: from the beginning. */
  from: Day | null;
  /** Exclusive; null: to the end. */
  to: Day | null;
}

const date = /^\d{4}-\d{2}-\d{2}$/;
// ISO 8601 extended format: hours and minutes, perhaps seconds and a fraction, perhaps a zone.
const dateTime =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/i;

/**
 * Reads `dateFrom` (inclusive) and `dateTo` (exclusive): a date, or a date-time, which means the calendar
 * day it falls on in the project's time zone.
 *
 * @throws ApiError `invalid`
 */
export function parseRange(
  { dateFrom, dateTo }: { dateFrom?: string | undefined; dateTo?: string | undefined },
  timeZone: string,
): DayRange {
  const from = dateFrom === undefined ? null : parseDay(dateFrom, 'dateFrom', timeZone);
  const to = dateTo === undefined ? null : parseDay(dateTo, 'dateTo', timeZone);
  if (from !== null && to !== null && from > to) {
    throw invalid('must not be later than dateTo', 'dateFrom');
  }
  return { from, to };
}

/** @throws ApiError `invalid` where there are more days than a report can have */
export function requireDays({ from, to }: { from: Day; to: Day }, most: number): void {
  if (to - from <= most) return;
  const message = `must be at most ${most} days before dateTo`;
  throw new ApiError('invalid', `The range must have at most ${most} days: give a later dateFrom.`, {
    details: [{ message, path: 'dateFrom' }],
  });
}

function parseDay(text: string, parameter: string, timeZone: string): Day {
  try {
    if (date.test(text)) return toDay(Temporal.PlainDate.from(text, { overflow: 'reject' }));
    const zone = dateTime.exec(text)?.[4];
    if (zone !== undefined) {
      return toDay(Temporal.Instant.from(text).toZonedDateTimeISO(timeZone).toPlainDate());
    }
    if (dateTime.test(text))
      return toDay(Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toPlainDate());
  } catch {
    // A date that does not exist.
    throw invalid('is not a date that exists', parameter);
  }
  const hint = text.includes(' ') ? '; a "+" in an address must be written "%2B"' : '';
  throw invalid(
    `must be a date such as 2026-11-20 or an ISO 8601 date-time such as 2026-11-20T15:00:00Z${hint}`,
    parameter,
  );
}

function invalid(message: string, path: string): ApiError {
  return new ApiError('invalid', `The query is not valid: ${path} ${message}.`, {
    details: [{ message, path }],
  });
}
