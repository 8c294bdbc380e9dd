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

/** @param target of a request, as `normalizeTarget` writes it */
export function matches({ parts, isTied }: Pattern, target: string): boolean {
  const [first = '', ...others] = parts;
  if (!target.startsWith(first)) return false;
  const last = isTied ? others.pop() : undefined;
  if (isTied && last === undefined) return target === first;
  let at = first.length;
  for (const part of others) {
    const found = target.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return last === undefined || (target.length - last.length >= at && target.endsWith(last));
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
