import { calendarOf, fromDay } from '../counting/calendar.ts';
import type { LiveProject } from '../projects/registry.ts';
import { parseRange } from './range.ts';

type Query = Parameters<typeof parseRange>[0];
type Site = Pick<LiveProject, 'id' | 'calendar' | 'settings'>;

const timeZone = 'UTC';
/** In place of a site, for what is about all of them. */
const allSites = {
  id: 'headcount',
  calendar: calendarOf(timeZone),
  settings: { name: 'headcount', timeZone },
};

/**
 * What a file is called, without its ending: the site, the report, and its first and last day, such as
 * `tea-shop_visitors_2026-11-01_2026-11-30`. Where no first day is asked for, the last alone.
 *
 * @param standardDays how many days it has where none are asked for
 */
export function fileName(
  { now }: { now(): number },
  site: Site | null,
  report: string,
  query: Query = {},
  standardDays?: number,
): string {
  const { id, calendar, settings } = site ?? allSites;
  const { name } = settings;
  const { from: asked, to } = parseRange(query, settings.timeZone);
  const last = to === null ? calendar.dayOf(now()) : Math.max(asked ?? 0, to - 1);
  const from = asked ?? (standardDays === undefined ? null : last - standardDays + 1);
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
