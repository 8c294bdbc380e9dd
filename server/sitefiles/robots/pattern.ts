/** What a rule of robots.txt is about (RFC 9309, sections 2.2.2 and 2.2.3). */
export interface Pattern {
  /** The texts between the wildcards, in their order. */
  readonly parts: readonly string[];
  /** It has to go up to the end. */
  readonly isTied: boolean;
  /** Of several rules that match the longest one holds. */
  readonly length: number;
}

/** @param text as it stands in the file */
export function parsePattern(text: string): Pattern {
  const isTied = text.endsWith('$');
  const free = normalize(isTied ? text.slice(0, -1) : text).replaceAll('$', '%24');
  return { parts: free.split(/\*+/), isTied, length: free.length + (isTied ? 1 : 0) };
}

/** Letters that may be looked at for wildcards in one verdict, a search counting for 16 at least: some 2 ms. */
const maxLetters = 500_000;

/** What one verdict may still cost. */
export class Effort {
  #left = maxLetters;
  /** Whether a search was left out. */
  isUsedUp = false;

  /** Where the part is found from a place on; below zero: nowhere. */
  find(target: string, part: string, at: number): number {
    if (this.#left <= 0) {
      this.isUsedUp = true;
      return -1;
    }
    const found = target.indexOf(part, at);
    this.#left -= Math.max(16, (found < 0 ? target.length : found) - at + part.length);
    return found;
  }
}

/** @param target of a request, as `normalizeTarget` writes it */
export function matches({ parts, isTied }: Pattern, target: string, effort: Effort): boolean {
  const first = parts[0] as string;
  if (!target.startsWith(first)) return false;
  if (parts.length === 1) return !isTied || target === first;
  const last = isTied ? (parts.at(-1) as string) : '';
  if (!target.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, isTied ? -1 : undefined)) {
    const found = effort.find(target, part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return target.length - last.length >= at;
}

/** Path and query of an address in the form in which they are compared; in it a `*` or `$` stands for itself alone. */
export function normalizeTarget({ pathname, search }: Pick<URL, 'pathname' | 'search'>): string {
  return normalize(pathname + search)
    .replaceAll('*', '%2A')
    .replaceAll('$', '%24');
}

/** Octets outside of ASCII are escaped, and what needs no escape has none. */
function normalize(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\0-\x7f]+/g, encodeURIComponent)
    .replace(/%[\da-f]{2}/gi, (escaped) => {
      const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : escaped.toUpperCase();
    });
}
