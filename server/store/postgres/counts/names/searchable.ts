import { searchableText } from '../../../../counting/names/name-search.ts';

/** As it stands beside a name: most are in lower case and have no escapes. */
export function searchableColumn(name: string): string | null {
  const text = searchableText(name);
  return text === name ? null : text;
}
