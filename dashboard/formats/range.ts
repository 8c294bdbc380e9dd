import type { RangeKey } from '../../shared/reports/ranges.ts';
import { t } from '../texts/common.ts';
import { fill } from '../texts/part.ts';
import { addDays, countDays, formatDay, isDay } from './day.ts';

/** The days that are looked at. */
export interface Range {
  /** As it stands in the address. */
  key: string;
  /** Inclusive; null: from the beginning. */
  from: string | null;
  /** Exclusive. */
  to: string;
}

export const standardRange = '30d';

const monthOf = (day: string) => `${day.slice(0, 7)}-01`;

/** Those with a name, by their keys. */
export function rangesAt(today: string): Record<RangeKey, Omit<Range, 'key'>> {
  const to = addDays(today, 1);
  const month = monthOf(today);
  // 1970-01-05 was one, too.
  const monday = addDays(today, -countDays('1970-01-05', today) % 7);
  const last = (days: number) => ({ from: addDays(to, -days), to });
  return {
    today: last(1),
    yesterday: { from: addDays(today, -1), to: today },
    '2d': last(2),
    'last-week': { from: addDays(monday, -7), to: monday },
    '7d': last(7),
    '28d': last(28),
    '30d': last(30),
    '90d': last(90),
    month: { from: month, to },
    'last-month': { from: monthOf(addDays(month, -1)), to: month },
    ytd: { from: `${today.slice(0, 4)}-01-01`, to },
    year: last(365),
    all: { from: null, to },
  };
}

/** The server answers for no more at once. */
export const maxDays = 10_000;

/** Days such as 2026-11-01..2026-11-20; null: these are none. */
export function parseDays(text: string | null): (Range & { from: string }) | null {
  const [first, end] = text?.split('..') ?? [];
  return isDay(first) && isDay(end) && first <= end && countDays(first, end) < maxDays
    ? { key: `${first}..${end}`, from: first, to: addDays(end, 1) }
    : null;
}

/** What days are compared with: `none`, `before`, `year`, or days. */
export function readComparison(query: URLSearchParams): string {
  const text = query.get('compare') ?? '';
  return text === 'before' || text === 'year' ? text : (parseDays(text)?.key ?? 'none');
}

/** @param today in the project's zone. What is no range is the standard one. */
export function parseRange(text: string | null, today: string): Range {
  const own = parseDays(text);
  if (own) return own;
  const days = rangesAt(today);
  const key = text !== null && Object.hasOwn(days, text) ? (text as RangeKey) : standardRange;
  return { key, ...days[key] };
}

/** The days of it that are over; null: there is none. */
export function daysOver(range: Range, today: string): Range | null {
  const to = range.to > today ? today : range.to;
  return range.from !== null && range.from >= to ? null : { ...range, to };
}

/** The first day of a month that comes so many after that of a first day. */
export const addMonths = (day: string, months: number) =>
  new Date(Date.UTC(+day.slice(0, 4), +day.slice(5, 7) - 1 + months)).toISOString().slice(0, 10);

/** How many months it is, of which the last may go on; 0: it is of days. */
function monthsOf({ key, from, to }: Range): number {
  const end = key === 'month' ? addMonths(from ?? to, 1) : (parseDays(key)?.to ?? to);
  const isOfMonths = /month$|\.\./.test(key) && from?.endsWith('01') && end.endsWith('01');
  const count = (day: string) => +day.slice(0, 4) * 12 + +day.slice(5, 7);
  return isOfMonths && from ? count(end) - count(from) : 0;
}

/** As many months, or days, just before; of a month that goes on the same days. Null where there is no beginning. */
export function rangeBefore(range: Range): { from: string; to: string } | null {
  const { from, to } = range;
  if (from === null) return null;
  const days = countDays(from, to);
  const months = monthsOf(range);
  if (months === 0) return { from: addDays(from, -days), to: from };
  const first = addMonths(from, -months);
  const end = addDays(first, days);
  return { from: first, to: to.endsWith('01') || end > from ? from : end };
}

/** A single day says little as a line: then its chart shows the two weeks up to it. */
export function chartRange(range: Range): Range {
  const { from, to } = range;
  return from !== null && countDays(from, to) < 2 ? { ...range, from: addDays(to, -14) } : range;
}

export function describeRange({ from, to }: Range): string {
  const last = addDays(to, -1);
  if (from === null) return fill(t.allDaysUpTo, { day: formatDay(last) });
  if (from === last) return formatDay(last);
  return fill(t.fromTo, { from: formatDay(from), to: formatDay(last) });
}
