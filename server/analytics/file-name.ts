import { fromDay } from '../counting/calendar.ts';
import type { LiveProject } from '../projects/registry.ts';
import { parseRange } from './range.ts';

type Query = Parameters<typeof parseRange>[0];

/**
 * What a file is called, without its ending: the site, the report, and its first and last day, such as
 * `tea-shop_visitors_2026-11-01_2026-11-30`. Where no first day is asked for, the last alone.
 */
export function fileName(
  { now }: { now(): number },
  { id, calendar, settings: { name, timeZone } }: Pick<LiveProject, 'id' | 'calendar' | 'settings'>,
  report: string,
  query: Query = {},
): string {
  const { from, to } = parseRange(query, timeZone);
  const last = to === null ? calendar.dayOf(now()) : Math.max(from ?? 0, to - 1);
  const days = from === null ? [last] : [from, last];
  return [asFileName(name) || id, report, ...days.map((day) => String(fromDay(day)))].join('_');
}

/** Letters, digits and dots, as every file system takes them. */
function asFileName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 60);
}
