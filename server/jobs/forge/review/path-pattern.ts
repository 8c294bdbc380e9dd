/** Whether a path from the top of the repository, without a slash before it, is meant. */
export type PathPattern = (path: string) => boolean;

/** One letter of a name, or any number of them. */
type Token = '*' | ((letter: string) => boolean);
type Segment = '**' | readonly Token[];

/**
 * `*` and `?` within a name, `**` for any number of folders, `\` before a letter that is meant as it is, and `[a-z]` where
 * `classes` are known. Takes no more time than the lengths of pattern and path multiplied, as strangers may write both.
 */
export function compilePattern(pattern: string, { classes = false } = {}): PathPattern {
  const segments = pattern
    .split('/')
    .map((text): Segment => (text === '**' ? '**' : [...readTokens(text, classes)]));
  return (path) => matchSegments(segments, path.split('/'));
}

function* readTokens(text: string, classes: boolean): Generator<Token> {
  const letters = Array.from(text);
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string;
    const end = classes && letter === '[' ? letters.indexOf(']', at + 2) : -1;
    if (letter === '*') yield '*';
    else if (letter === '?') yield () => true;
    else if (end > 0) {
      yield readClass(letters.slice(at + 1, end));
      at = end;
    } else {
      const meant = letter === '\\' && at + 1 < letters.length ? (letters[++at] as string) : letter;
      yield (one) => one === meant;
    }
  }
}

/** Such as `a-z0-9`, and `!a-z` or `^a-z` for all others. */
function readClass(letters: readonly string[]): Token {
  const isNegative = letters[0] === '!' || letters[0] === '^';
  const ranges: [string, string][] = [];
  for (let at = isNegative ? 1 : 0; at < letters.length; at++) {
    const from = letters[at] as string;
    const isRange = letters[at + 1] === '-' && at + 2 < letters.length;
    ranges.push([from, isRange ? (letters[at + 2] as string) : from]);
    if (isRange) at += 2;
  }
  return (one) => ranges.some(([from, to]) => from <= one && one <= to) !== isNegative;
}

const matchSegments = (segments: readonly Segment[], names: readonly string[]) =>
  matchStarred(
    segments,
    names,
    (segment) => segment === '**',
    (segment, name) => matchStarred(segment as readonly Token[], Array.from(name), isStar, matchesLetter),
  );

const isStar = (token: Token) => token === '*';
const matchesLetter = (token: Token, letter: string) => token !== '*' && token(letter);

/** Goes back to the last star alone, which is enough: an earlier one could only take what this one can take as well. */
function matchStarred<Part, Item>(
  parts: readonly Part[],
  items: readonly Item[],
  isStar: (part: Part) => boolean,
  matches: (part: Part, item: Item) => boolean,
): boolean {
  let part = 0;
  let item = 0;
  let back: { part: number; item: number } | undefined;
  while (item < items.length) {
    const current = parts[part];
    if (current !== undefined && isStar(current)) {
      back = { part, item };
      part++;
    } else if (current !== undefined && matches(current, items[item] as Item)) {
      part++;
      item++;
    } else if (back) {
      back.item++;
      part = back.part + 1;
      item = back.item;
    } else return false;
  }
  return parts.slice(part).every(isStar);
}
