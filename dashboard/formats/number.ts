const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const formatCount = (count: number): string => whole.format(count);
export const formatShort = (count: number): string => short.format(count);

const mean = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
/** Of so many: 5.9. */
export const formatMean = (number: number): string => mean.format(number);

const sizes = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** In steps of 1,000: 1.2 MB. */
export function formatBytes(bytes: number): string {
  const step = Math.min(sizes.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unitDisplay = step === 0 ? 'long' : 'short';
  const format = {
    style: 'unit',
    unit: sizes[step] as string,
    unitDisplay,
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(undefined, format).format(bytes / 1000 ** step);
}

const price = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** In a currency that only the reader knows: 1.20. */
export const formatPrice = (amount: number): string =>
  amount > 0 && amount < 0.01 ? `< ${price.format(0.01)}` : price.format(amount);

/** A number with its noun: `1 person`, `2,000 people`. */
const withNoun = (one: string, many: string) => (count: number) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
export const formatPeople = withNoun('person', 'people');
export const formatVisitors = withNoun('visitor', 'visitors');
export const formatDays = withNoun('day', 'days');

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
/** So many days before today: `today`, `yesterday`, `60 days ago`. */
export const formatAgo = (days: number): string => relative.format(-days, 'day');

export const formatSeconds = withNoun('second', 'seconds');
export const formatSteps = withNoun('step', 'steps');
export const formatTokens = withNoun('token', 'tokens');

/** `part` of `all`; a dash where there is nothing. */
export function formatShare(part: number, all: number): string {
  if (all === 0) return '–';
  const share = part / all;
  return share > 0 && share < 0.1 ? fine.format(share) : percent.format(share);
}

const signed = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 0,
  signDisplay: 'exceptZero',
});
/** Of a change: 0.3 is +30%. */
export const formatSigned = (share: number): string => signed.format(share);

export interface Trend {
  direction: 'up' | 'down' | 'same';
  /** Short, as it is shown. */
  text: string;
  /** A sentence, for screen readers. */
  sentence: string;
}

/** How a count compares with that of an earlier period. */
export function describeChange(now: number, before: number, period: string): Trend {
  if (now === before) return { direction: 'same', text: 'no change', sentence: `The same as ${period}.` };
  const direction = now > before ? 'up' : 'down';
  if (before === 0) return { direction, text: 'new', sentence: `There were none ${period}.` };
  const text = percent.format(Math.abs(now - before) / before);
  const more = direction === 'up' ? 'more' : 'fewer';
  return { direction, text, sentence: `${text} ${more} than the ${formatCount(before)} ${period}.` };
}

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });

/** Prices of models are in dollars. */
export function formatDollars(amount: number): string {
  return amount > 0 && amount < 0.01 ? 'less than $0.01' : dollars.format(amount);
}
