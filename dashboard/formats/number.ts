import { t } from '../texts/common.ts';
import { byLanguage, localeOfTexts } from '../texts/language.ts';
import { fill, plural } from '../texts/part.ts';
import type { Least } from './measured.ts';

const numbers = (options: Intl.NumberFormatOptions = {}) =>
  byLanguage((locale) => new Intl.NumberFormat(locale, options));

const whole = numbers();
const short = numbers({ notation: 'compact', maximumFractionDigits: 1 });
const percent = numbers({ style: 'percent', maximumFractionDigits: 0 });
const fine = numbers({ style: 'percent', maximumFractionDigits: 1 });

export const formatCount = (count: number): string => whole().format(count);
/** At least and at most so many: 12–15; a dash where it is not known. */
export const formatBounds = ({ from, to }: Least): string => {
  if (from === null) return '–';
  return from === to ? formatCount(from) : whole().formatRange(from, to);
};
export const formatShort = (count: number): string => short().format(count);

const mean = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
/** Of so many: 5.9. */
export const formatMean = (number: number): string => mean().format(number);

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const sizeFormats = sizes.map((unit, step) =>
  numbers({
    style: 'unit',
    unit,
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }),
);

/** In steps of 1,000: 1.2 MB. */
export function formatBytes(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return (sizeFormats[step] as (typeof sizeFormats)[number])().format(bytes / 1000 ** step);
}

const price = numbers({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** In a currency that only the reader knows: 1.20. */
export const formatPrice = (amount: number): string =>
  amount > 0 && amount < 0.01 ? `< ${price().format(0.01)}` : price().format(amount);

/** A number with its noun: `1 person`, `2,000 people`. */
export const formatPeople = (count: number): string => plural(t.people, count);
export const formatVisitors = (count: number): string => plural(t.visitors, count);
export const formatDays = (count: number): string => plural(t.days, count);
export const formatSeconds = (count: number): string => plural(t.seconds, count);
export const formatSteps = (count: number): string => plural(t.steps, count);
export const formatTokens = (count: number): string => plural(t.tokens, count);

const relative = byLanguage(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' }),
);
/** So many days before today: `today`, `yesterday`, `60 days ago`. */
export const formatAgo = (days: number): string => relative().format(-days, 'day');

/** `part` of `all`; a dash where there is nothing. */
export function formatShare(part: number, all: number): string {
  if (all === 0) return '–';
  const share = part / all;
  return share > 0 && share < 0.1 ? fine().format(share) : percent().format(share);
}

const signed = numbers({
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
/** Of a change: 0.3 is +30%. */
export const formatSigned = (share: number): string => signed().format(share);

export interface Trend {
  direction: 'up' | 'down' | 'same';
  /** Short, as it is shown. */
  text: string;
  /** A sentence, for screen readers. */
  sentence: string;
}

/** How a count compares with that of an earlier period. */
export function describeChange(now: number, before: number, period: string): Trend {
  if (now === before) return { direction: 'same', text: t.noChange, sentence: fill(t.theSameAs, { period }) };
  const direction = now > before ? 'up' : 'down';
  if (before === 0) return { direction, text: t.newHere, sentence: fill(t.thereWereNone, { period }) };
  const text = percent().format(Math.abs(now - before) / before);
  const sentence = direction === 'up' ? t.moreThan : t.fewerThan;
  return {
    direction,
    text,
    sentence: fill(sentence, { share: text, count: formatCount(before), period }),
  };
}

const dollars = byLanguage(
  () => new Intl.NumberFormat(localeOfTexts(), { style: 'currency', currency: 'USD' }),
);

/** Prices of models are in dollars. */
export function formatDollars(amount: number): string {
  return amount > 0 && amount < 0.01
    ? fill(t.lessThan, { amount: dollars().format(0.01) })
    : dollars().format(amount);
}
