/**
 * Finds the first of many words in a text, without case and never inside another word. Where several begin
 * at the same place the longest wins, so that `Diffbot-User` is not taken for `Diffbot`.
 */
export class Words<T> {
  /** Alternatives of fixed text only, so that a search is linear in the text. */
  readonly pattern: RegExp;
  readonly #meanings: ReadonlyMap<string, T>;

  /** A word is literal text; `^` and `$` tie it to the start and the end of the text. */
  constructor(meanings: Iterable<readonly [word: string, meaning: T]>) {
    const lowered = Array.from(meanings, ([word, meaning]) => [word.toLowerCase(), meaning] as const);
    this.#meanings = new Map(lowered.map(([word, meaning]) => [bare(word), meaning]));
    this.pattern = compile(lowered.map(([word]) => word));
  }

  /** @param text in lower case */
  find(text: string): T | undefined {
    const found = this.pattern.exec(text);
    return found ? this.#meanings.get(found[0]) : undefined;
  }
}

function bare(word: string): string {
  return word.replace(/^\^|\$$/g, '');
}

function compile(words: readonly string[]): RegExp {
  const tied = words.filter((word) => word !== bare(word));
  const free = words.filter((word) => word === bare(word));
  const closed = free.filter((word) => !/[a-z0-9]$/.test(word));
  const open = free.filter((word) => /[a-z0-9]$/.test(word));
  const parts = [
    ...tied.map((word) => `${word.startsWith('^') ? '^' : ''}${escapeText(bare(word))}${ending(word)}`),
    ...(closed.length > 0 ? [`(?:${alternatives(closed)})`] : []),
    ...(open.length > 0 ? [`(?:${alternatives(open)})(?![a-z0-9])`] : []),
  ];
  return new RegExp(`(?<![a-z0-9])(?:${parts.join('|')})`);
}

function ending(word: string): string {
  if (word.endsWith('$')) return '$';
  return /[a-z0-9]$/.test(word) ? '(?![a-z0-9])' : '';
}

/** In falling order: the longer of two that begin alike comes first, and the engine merges what they share. */
function alternatives(words: readonly string[]): string {
  return words
    .toSorted((a, b) => (a < b ? 1 : -1))
    .map(escapeText)
    .join('|');
}

/** Not RegExp.escape: it also escapes letters. */
function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
