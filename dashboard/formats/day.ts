import { byLanguage } from '../texts/language.ts';

const dayMs = 86_400_000;

/** Days are texts such as 2026-11-20, which sort as they follow each other. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);
}

/** Days from the first to before the second. */
export function countDays(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs);
}

/** The day that it is now in a time zone. */
export function today(timeZone: string, now = Date.now()): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now);
  const get = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${get('year')}-${get('month')}-${get('day')}`;
}

export function isDay(text = ''): text is string {
  // Engines take 30 February for 2 March.
  return /^(19|2\d)\d\d-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.startsWith(text);
}

const formats = {
  date: { dateStyle: 'medium', timeZone: 'UTC' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  month: { month: 'long', year: 'numeric', timeZone: 'UTC' },
  shortDay: { day: 'numeric', month: 'short', timeZone: 'UTC' },
  shortMonth: { month: 'short', year: 'numeric', timeZone: 'UTC' },
  // These two in the browser's zone.
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  // Two digits each, so that the times of a list are as wide as each other.
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

type Style = keyof typeof formats;

const formatters = Object.fromEntries(
  Object.entries(formats).map(([style, options]) => [
    style,
    byLanguage((locale) => new Intl.DateTimeFormat(locale, options)),
  ]),
) as Record<Style, () => Intl.DateTimeFormat>;

function format(at: string, style: Style): string {
  return formatters[style]().format(Date.parse(at));
}

/** A day in the language that is spoken. */
export function formatDay(day: string, style: Exclude<Style, 'moment' | 'clock'> = 'date'): string {
  return format(day, style);
}

/** Days from the first to the last, in the language that is spoken. */
export function formatSpan(from: string, to: string): string {
  return formatters.date().formatRange(Date.parse(from), Date.parse(to));
}

/** A moment in the time zone of the browser. */
export const formatTime = (at: string): string => format(at, 'moment');

/** The time of day of a moment. */
export const formatClock = (at: string): string => format(at, 'clock');

const units = [
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relative = byLanguage((locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));

/** How long ago; after a week the date. */
export function formatAgo(at: string, now = Date.now()): string {
  const ms = Date.parse(at) - now;
  if (ms < -7 * dayMs) return formatDay(at.slice(0, 10));
  for (const [unit, size] of units) {
    if (Math.abs(ms) >= size) return relative().format(Math.round(ms / size), unit);
  }
  return relative().format(0, 'minute');
}
