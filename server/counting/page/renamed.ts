import { namesBy, renameOf, renamer } from '../../../shared/project/renames.ts';
import { memoize } from '../../memo.ts';
import { countedPath } from './page.ts';
import { countedForm, pathMatcher } from './path-pattern.ts';

export interface Renamed {
  /** The path that a page has now. */
  (path: string): string;
  /** Names of such a path: what names one of them is of the page. */
  namesOf: (path: string) => readonly string[];
}

const folder = /\/\*\*$/;

/** A path of a rename in the form in which paths are counted. */
export const renamedForm = (path: string): string =>
  (countedForm(path.replace(folder, '') || '/') + (folder.exec(path)?.[0] ?? '')).replace(/^\/\//, '/');

function renamerOf(lines: readonly string[]): Renamed {
  const renames = lines
    .map(renameOf)
    .map(({ from, to }) => ({ from: renamedForm(from), to: renamedForm(to) }));
  return Object.assign(renamer(renames), { namesOf: namesBy(renames) });
}

const known = new WeakMap<readonly string[], Renamed>();

type Rules = Parameters<typeof countedPath>[1] & { renamedPaths: readonly string[] };

/** Null: there are none. */
export function renamesOf({ renamedPaths }: Pick<Rules, 'renamedPaths'>): Renamed | null {
  if (renamedPaths.length === 0) return null;
  const renamed = known.get(renamedPaths) ?? renamerOf(renamedPaths);
  known.set(renamedPaths, renamed);
  return renamed;
}

export const renamedPath = (path: string, rules: Pick<Rules, 'renamedPaths'>): string =>
  renamesOf(rules)?.(path) ?? path;

/** The path that a view counts under now. */
export const viewedPath = (path: string, settings: Rules): string =>
  renamedPath(countedPath(path, settings), settings);

const parse = memoize((stored: string) => renamerOf(JSON.parse(stored) as string[]), 100, 500_000);

/** The same of a stored setting; null: there are none. */
export const readRenames = (stored: string | null): Renamed | null =>
  stored === null || stored === '[]' ? null : parse(stored);

/** Which of these paths and globs a page matches, by any of its names. */
export function matchesBy(
  patterns: readonly string[],
  renamed: Renamed | null,
): (path: string) => readonly string[] {
  const matchesOf = matchesOfName(patterns);
  if (!renamed) return matchesOf;
  const now = patterns.map((pattern) => renamed(countedForm(pattern)));
  return (path) => {
    const page = renamed(path);
    const found = new Set([path, ...renamed.namesOf(page)].flatMap(matchesOf));
    return patterns.filter((pattern, i) => found.has(pattern) || now[i] === page);
  };
}

/** Those that begin with a plain name are asked about paths with the same. */
function matchesOfName(patterns: readonly string[]): (path: string) => readonly string[] {
  const tests = patterns.map((pattern) => ({ pattern, is: pathMatcher([pattern]) }));
  const first = /^\/([\w.~-]+)(?=\/|$)/;
  const byFirst = Map.groupBy(tests, ({ pattern }) => first.exec(pattern)?.[1]);
  const anywhere = byFirst.get(undefined) ?? [];
  return (path) =>
    [...(byFirst.get(path.split(/[/?#]/, 2)[1]) ?? []), ...anywhere]
      .filter(({ is }) => is(path))
      .map(({ pattern }) => pattern);
}
