import { stepsOf } from '../../shared/project/goals.ts';
import type { ProjectSettings } from '../../shared/project/project.ts';
import { renameOf } from '../../shared/project/renames.ts';
import { sectionOf } from '../../shared/project/sections.ts';
import { otherName } from '../counting/names/name-cap.ts';
import { pathMatcher, preparePaths } from '../counting/page/path-pattern.ts';
import { matchesBy, type Renamed, renamedForm, renamedPath, renamesOf } from '../counting/page/renamed.ts';
import { isGlob } from '../pattern/glob.ts';
import type { ListedProject } from '../store/projects.ts';
import type { Store } from '../store/store.ts';

/** Pages that are looked at, of a large site. */
const maxPages = 2_000;
const maxWarnings = 20;

export const anyPath = { name: 'path', isNot: false, how: 'contains', values: [''] } as const;

/**
 * Sentences about what names a path that these renames move, and does not match the new one.
 *
 * @param pages that were counted; left out: they are looked up
 */
export async function warnOfRenames(
  store: Store,
  { id, settings }: ListedProject,
  renamedPaths: readonly string[],
  pages?: readonly string[],
): Promise<string[]> {
  const fresh = renamedPaths.filter((line) => !settings.renamedPaths.includes(line)).map(renameOf);
  if (fresh.length === 0) return [];
  const named = [...namedIn(settings), ...(await namedInViews(store, id))];
  if (named.length === 0) return [];
  await preparePaths(named.map(({ path }) => path));
  const counted = (pages ?? (await store.listPaths(id, anyPath))).slice(0, maxPages);
  const samples = fresh.map(({ from }) => renamedForm(from).replace(/\/\*\*$/, '/page'));
  const literals = named.map(({ path }) => path).filter((path) => !isGlob(path));
  const moved = [...new Set([...counted, ...samples, ...literals])]
    .map((from) => ({ from, to: renamedPath(from, { renamedPaths }) }))
    .filter(({ from, to }) => from !== to && renamedPath(from, settings) !== to);
  return named
    .flatMap(({ what, path }) => {
      const matches = pathMatcher([path]);
      const lost = moved.find(({ from, to }) => matches(from) && !matches(to));
      return lost
        ? [`${what} names ${lost.from}, which counts as ${lost.to}: it is of all views of ${lost.to} now.`]
        : [];
    })
    .slice(0, maxWarnings);
}

/** Pages of any site: what is of all of them is of no part of one. */
const anyPages = ['/', '/a', '/a/b', '/a/b/c.html'];

/** Sentences about new patterns that are accepted and probably not meant. Asked before they are set. */
export async function warnOfPatterns(
  store: Store,
  { id, settings: before }: Pick<ListedProject, 'id' | 'settings'>,
  settings: ProjectSettings,
): Promise<string[]> {
  const fresh = (all: (of: ProjectSettings) => Named[]) => {
    const known = new Set(all(before).map(({ what }) => what));
    return all(settings).filter(({ what }) => !known.has(what));
  };
  const events = fresh(eventsIn).flatMap(warnOfEvent);
  const [named, renames] = [[...fresh(namedIn), ...fresh(excludedIn)], fresh(renamesIn)];
  if (named.length + renames.length === 0) return events.slice(0, maxWarnings);
  await preparePaths([...named, ...renames].map(({ path }) => path));
  const counted = (await store.listPaths(id, anyPath)).filter((path) => path !== otherName);
  const now = counted.map((path) => renamedPath(path, settings));
  const ofPaths = [...warn(named, now, renamesOf(settings)), ...warn(renames, counted, null)];
  return [...events, ...ofPaths].slice(0, maxWarnings);
}

/** What is no path is the name of an event. */
function warnOfEvent({ what, path }: Named): string[] {
  if (/^https?:/i.test(path))
    return [
      `${what} names ${path}, which is an address and counts as an event: give the path, such as /docs.`,
    ];
  return path.includes('*')
    ? [`${what} names ${path}, which is an event of exactly that name: * is a wildcard only in paths.`]
    : [];
}

function warn(named: readonly Named[], pages: readonly string[], renamed: Renamed | null): string[] {
  const matchesOf = matchesBy([...new Set(named.map(({ path }) => path))], renamed);
  const count = (some: readonly string[]) => {
    const sums = new Map<string, number>();
    for (const path of some.flatMap(matchesOf)) sums.set(path, (sums.get(path) ?? 0) + 1);
    return (path: string) => sums.get(path) ?? 0;
  };
  const [ofPages, ofAny] = [count(pages), count(anyPages)];
  return named.flatMap(({ what, path }) => {
    const isWide = ofAny(path) === anyPages.length || (pages.length > 1 && ofPages(path) === pages.length);
    if (isWide) return [`${what} names ${path}, which is of every page.`];
    const isUnknown = pages.length > 0 && ofPages(path) === 0;
    return isUnknown ? [`${what} names ${path}, which is of no page that was counted so far.`] : [];
  });
}

interface Named {
  what: string;
  path: string;
}

const renamesIn = ({ renamedPaths }: ProjectSettings): Named[] =>
  renamedPaths.map((line) => ({ what: `The rename "${line}"`, path: renamedForm(renameOf(line).from) }));

const excludedIn = ({ excludedPaths }: ProjectSettings): Named[] =>
  excludedPaths.map((path) => ({ what: `The excluded path "${path}"`, path }));

const isPath = ({ path }: Named) => path.startsWith('/');

const eventsIn = (settings: ProjectSettings) => aimsIn(settings).filter((one) => !isPath(one));

const namedIn = (settings: ProjectSettings): Named[] => [
  ...aimsIn(settings).filter(isPath),
  ...settings.sections.map((line) => ({ what: `The section "${line}"`, path: sectionOf(line).path })),
];

/** Pages and events of goals and funnels. */
const aimsIn = ({ goals, funnels }: ProjectSettings): Named[] => [
  ...goals.map((path) => ({ what: `The goal "${path}"`, path })),
  ...funnels.flatMap((funnel) => stepsOf(funnel).map((path) => ({ what: `The funnel "${funnel}"`, path }))),
];

/** A single path in a view is looked up under its new one by itself. */
async function namedInViews(store: Store, projectId: string): Promise<Named[]> {
  const views = await store.savedViews.listSavedViews(projectId);
  return views.flatMap(({ name, filter: { path = '' } }) =>
    path
      .replace(/^!/, '')
      .split('|')
      .map((part) => part.trim().replace(/^!/, ''))
      .filter((part) => part.startsWith('/') && isGlob(part))
      .map((part) => ({ what: `The view "${name}"`, path: part })),
  );
}
