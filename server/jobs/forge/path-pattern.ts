import { LinearRegExp } from '../../pattern/linear-regexp.ts';

/** Whether a path from the top of the repository, without a slash before it, is meant. */
export type PathPattern = (path: string) => boolean;

const maxLength = 5_000;

/** UTF-16 has two units for some letters. */
const anyLetter = '(?:[\\ud800-\\udbff][\\udc00-\\udfff]|[^/\\ud800-\\udbff])';
const anyLetters = '[^/]*(?![\\udc00-\\udfff])';

/**
 * `*` and `?` within a name, `**` for any number of folders, `\` before a letter that is meant as it is, and `[a-z]` where
 * `classes` are known. Takes linear time in the path, as strangers may write both.
 */
export function compilePattern(pattern: string, { classes = false } = {}): PathPattern {
  if (pattern.length > maxLength) throw new Error(`A path pattern has more than ${maxLength} letters.`);
  const names = pattern.split('/');
  const sources = names.map((name) => (name === '**' ? '(?:/[^]*)?' : `/${sourceOf(name, classes)}`));
  const expression = new LinearRegExp(new RegExp(`^${sources.join('')}$`));
  return (path) => expression.test(`/${path}`);
}

function sourceOf(name: string, classes: boolean): string {
  const letters = Array.from(name);
  let source = '';
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    const end = classes && letter === '[' ? letters.indexOf(']', at + 2) : -1;
    if (letter === '*') source += anyLetters;
    else if (letter === '?') source += anyLetter;
    else if (end > 0) {
      source += classOf(letters.slice(at + 1, end));
      at = end;
    } else source += unitsOf(letter === '\\' && at + 1 < letters.length ? (letters[++at] as string) : letter);
  }
  return source;
}

/** Such as `a-z0-9`, and `!a-z` or `^a-z` for all others. */
function classOf(letters: readonly string[]): string {
  const isNegative = letters[0] === '!' || letters[0] === '^';
  const ranges: string[] = [];
  for (let at = isNegative ? 1 : 0; at < letters.length; at++) {
    const from = letters[at] as string;
    const isRange = letters[at + 1] === '-' && at + 2 < letters.length;
    ranges.push(...rangesOf(from, isRange ? (letters[at + 2] as string) : from));
    if (isRange) at += 2;
  }
  const members = ranges.join('|') || '[]';
  return isNegative ? `(?!${members})${anyLetter}` : `(?!/)(?:${members})`;
}

/** In the order of UTF-16. */
function rangesOf(from: string, to: string): string[] {
  if (from > to) return [];
  const [high, low = 0xdc00] = [from.charCodeAt(0), from.length > 1 ? from.charCodeAt(1) : undefined];
  const [lastHigh, lastLow = 0xdfff] = [to.charCodeAt(0), to.length > 1 ? to.charCodeAt(1) : undefined];
  if (to.length === 1) return [`[${unitOf(high)}-${unitOf(lastHigh)}]`];
  if (from.length === 1) return [`[${unitOf(high)}-\\ud7ff]`, ...rangesOf('\u{10000}', to)];
  if (high === lastHigh) return [`${unitOf(high)}[${unitOf(low)}-${unitOf(lastLow)}]`];
  const between =
    lastHigh - high > 1 ? [`[${unitOf(high + 1)}-${unitOf(lastHigh - 1)}][\\udc00-\\udfff]`] : [];
  return [
    `${unitOf(high)}[${unitOf(low)}-\\udfff]`,
    ...between,
    `${unitOf(lastHigh)}[\\udc00-${unitOf(lastLow)}]`,
  ];
}

function unitsOf(letter: string): string {
  return letter
    .split('')
    .map((unit) => unitOf(unit.charCodeAt(0)))
    .join('');
}

const unitOf = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
