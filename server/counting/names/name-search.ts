/**
 * What a search looks in: the name in lower case and, where that is another text, its percent escapes read, as people type
 * `über` for `%C3%BCber`.
 */
export function searchableText(name: string): string {
  const lower = name.toLowerCase();
  const plain = withoutEscapes(name).toLowerCase();
  return plain === lower ? lower : `${lower}\n${plain}`;
}

/** What is looked for in it. */
export function wantedText(search: string): string {
  return search.toLowerCase();
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
