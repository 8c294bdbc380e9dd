import { renameOf, renamer } from '../../../shared/project/renames.ts';
import { memoize } from '../../memo.ts';
import { countedPath } from './page.ts';
import { countedForm } from './path-pattern.ts';

type Renamed = (path: string) => string;

const folder = /\/\*\*$/;

/** A path of a rename in the form in which paths are counted. */
export const renamedForm = (path: string): string =>
  (countedForm(path.replace(folder, '') || '/') + (folder.exec(path)?.[0] ?? '')).replace(/^\/\//, '/');

const renamerOf = (lines: readonly string[]): Renamed =>
  renamer(lines.map(renameOf).map(({ from, to }) => ({ from: renamedForm(from), to: renamedForm(to) })));

const known = new WeakMap<readonly string[], Renamed>();

type Rules = Parameters<typeof countedPath>[1] & { renamedPaths: readonly string[] };

export function renamedPath(path: string, { renamedPaths }: Pick<Rules, 'renamedPaths'>): string {
  if (renamedPaths.length === 0) return path;
  const renamed = known.get(renamedPaths) ?? renamerOf(renamedPaths);
  known.set(renamedPaths, renamed);
  return renamed(path);
}

/** The path that a view counts under now. */
export const viewedPath = (path: string, settings: Rules): string =>
  renamedPath(countedPath(path, settings), settings);

const parse = memoize((stored: string) => renamerOf(JSON.parse(stored) as string[]), 100, 500_000);

/** The same of a stored setting; null: there are none. */
export const readRenames = (stored: string | null): Renamed | null =>
  stored === null || stored === '[]' ? null : parse(stored);
