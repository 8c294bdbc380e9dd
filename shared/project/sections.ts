/** A part of the site: pages that match a glob, and what people call it. */
export interface Section {
  path: string;
  name: string;
}

/** What stands in a line: the glob, white space, and the name. */
export function sectionOf(line: string): Section {
  const [, path = '', name = ''] = /^(\S*)\s*(.*)$/s.exec(line.trim()) ?? [];
  return { path, name };
}

/** From a stored setting; a project of an older version has none. */
export const parseSections = (stored: string | null = null): Section[] =>
  (JSON.parse(stored ?? '[]') as string[]).map(sectionOf);
