import { domainToUnicode } from 'node:url';

/**
 * What a search looks in: the name in lower case and, where that is another text, with its percent escapes and the letters
 * of a host read, as people type `über` for `%C3%BCber` and `bücher.example` for `xn--bcher-kva.example`.
 */
export function searchableText(name: string): string {
  const lower = name.toLowerCase();
  const plain = withHostLetters(withoutEscapes(name).toLowerCase()).normalize('NFC');
  return plain === lower ? lower : `${lower}\n${plain}`;
}

/** What is looked for in it. */
export function wantedText(search: string): string {
  return search.toLowerCase().normalize('NFC');
}

function withHostLetters(text: string): string {
  return /(?:^|\.)xn--/.test(text) && /^[a-z\d.-]+$/.test(text) ? domainToUnicode(text) || text : text;
}

/** What is no UTF-8 stays as it is, and so does what no text of a database can hold. */
function withoutEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replaceAll('%00', '%2500'));
  } catch {
    return text;
  }
}
