import { domainToUnicode } from 'node:url';

/**
 * What a search looks in: the name in lower case and, where that is another text, with its percent escapes and the characters
 * of a host decoded, as people type `über` for `%C3%BCber` and `bücher.example` for `xn--bcher-kva.example`.
 */
export function searchableText(name: string): string {
  const lower = name.toLowerCase();
  // There is nothing to decode.
  if (!/[%\u0080-\uffff]|xn--/.test(lower)) return lower;
  const plain = withHostLetters(withoutEscapes(name).toLowerCase()).normalize('NFC');
  return plain === lower ? lower : `${lower}\n${plain}`;
}

/** The searched text. */
export function wantedText(search: string): string {
  return search.toLowerCase().normalize('NFC');
}

function withHostLetters(text: string): string {
  return /(?:^|\.)xn--/.test(text) && /^[a-z\d.-]+$/.test(text) ? domainToUnicode(text) || text : text;
}

/** Bytes that are not UTF-8 and characters that a database cannot store stay as they are. */
function withoutEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replaceAll('%00', '%2500'));
  } catch {
    return text;
  }
}
