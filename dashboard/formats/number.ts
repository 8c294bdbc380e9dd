const whole = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const formatCount = (count: number): string => whole.format(count);
export const formatShort = (count: number): string => short.format(count);

/** `part` of `all`; a dash where there is nothing. */
export function formatShare(part: number, all: number): string {
  if (all === 0) return '–';
  const share = part / all;
  return share > 0 && share < 0.1 ? fine.format(share) : percent.format(share);
}

export interface Change {
  direction: 'up' | 'down' | 'same';
  /** Short, for the eye. */
  text: string;
  /** A sentence, for the ear. */
  words: string;
}

/** How a count stands against the one before. */
export function describeChange(now: number, before: number, period: string): Change {
  if (now === before) return { direction: 'same', text: 'no change', words: `The same as in ${period}.` };
  const direction = now > before ? 'up' : 'down';
  const from = `${formatCount(before)} in ${period}`;
  if (before === 0) return { direction, text: 'new', words: `There were none in ${period}.` };
  const text = percent.format(Math.abs(now - before) / before);
  return { direction, text, words: `${text} ${direction === 'up' ? 'more' : 'fewer'} than the ${from}.` };
}
