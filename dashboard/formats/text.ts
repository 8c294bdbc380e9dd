import { seenCharacters as seen } from '../../shared/plain-text.ts';

/** Control and format characters, marks of direction among them, and in paths all white space. */
const unseenInPaths = new RegExp(`(${seen})|[\\p{C}\\p{Z}]`, 'gu');
const unseenInTexts = new RegExp(`(${seen})|[^\\P{C}\\n\\t]`, 'gu');
const maxShown = 300;

/**
 * A path as people read it: percent escapes are letters again, but for what cannot be seen or would turn the text
 * around, which stays escaped.
 */
export function readablePath(path: string): string {
  try {
    return decodeURIComponent(path.replace(/%(?=2f|25|3f|23)/gi, '%25')).replace(
      unseenInPaths,
      (character, kept?: string) => kept ?? encodeURIComponent(character),
    );
  } catch {
    return path;
  }
}

/** Any other text from outside, with what cannot be seen made visible. */
export function readable(text: string): string {
  return text.replace(unseenInTexts, (_character, kept?: string) => kept ?? '\u{fffd}');
}

export function shorten(text: string, max = maxShown): string {
  const letters = Array.from(text);
  return letters.length > max ? `${letters.slice(0, max).join('')}…` : text;
}

/** An address that may be a link: http and https only. */
export function safeLink(address: string | null | undefined): string | undefined {
  const url = address ? URL.parse(address) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
