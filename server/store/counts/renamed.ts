import type { Condition } from '../../../shared/reports/pairs.ts';
import type { Day } from '../../counting/calendar.ts';
import { anyOfBounds } from '../../counting/cells/cells.ts';
import {
  addBounds,
  addFound,
  type Bounds,
  type Condition as CellCondition,
  type Counts,
  type Found,
  least,
  narrowed,
  noBounds,
  nothingFound,
} from '../../counting/cells/question.ts';
import { pageTest } from '../../counting/condition.ts';
import { what } from '../../counting/what.ts';
import type { SqlValue } from '../../database/sql.ts';
import {
  addTo,
  countsOf,
  type DayRange,
  type KeptDay,
  placeOf,
  type ReportTables,
  readSite,
} from './count-tables.ts';
import { findPaths } from './day-cells.ts';

/** A name under which a page was counted on any day, and the path that the page has now. */
export interface Member {
  id: number;
  text: string;
  path: string;
}

type InProject = Pick<DayRange, 'sql' | 'project'>;

/** @param kinds what they are names of */
export async function findPages(
  { sql, project: { id, renamed } }: InProject,
  kinds: readonly number[] = [what.path],
  parent = 0,
): Promise<Member[]> {
  const names = await sql.query<{ id: number; text: string }>(
    `select id, text from names where project = $1 and what in (${kinds.join(', ')}) and parent = $2`,
    [id, parent],
  );
  return names.map((name) => ({ ...name, path: renamed?.(name.text) ?? name.text }));
}

/** The paths that these pages have now; undefined: of all. */
export async function findWanted(
  range: InProject,
  pages: Condition | undefined,
): Promise<string[] | undefined> {
  if (!pages) return undefined;
  const isWanted = pageTest(pages, range.project.renamed);
  return [...new Set((await findPages(range)).map(({ path }) => path))].filter(isWanted);
}

/** Names of a kind that count together with others, or under another path than their own. */
export async function findMembers(range: InProject, kinds: readonly number[], parent = 0): Promise<Member[]> {
  if (!range.project.renamed) return [];
  const all = await findPages(range, kinds, parent);
  const changed = new Set(all.flatMap(({ text, path }) => (text === path ? [] : [path])));
  return all.filter(({ path }) => changed.has(path));
}

/** What the names of a page have together. */
export interface Joined {
  path: string;
  ids: number[];
  bounds: Bounds;
}

/**
 * Pages that have several names, or another one now. Views are of one name each; a visitor may have read a page under several,
 * which is known as long as the day is not closed.
 *
 * @param of the pages of all views, or of those with one value
 */
export async function readJoined(
  tables: ReportTables,
  range: DayRange,
  of: { what: number; parent: number; condition?: CellCondition | undefined },
): Promise<Joined[]> {
  const { sql, project, from, to } = range;
  const days = { from, to };
  const members = await findMembers(range, [of.what], of.parent);
  if (members.length === 0) return [];
  const pathOf = new Map(members.map(({ id, path }) => [id, path]));
  const values: SqlValue[] = [...placeOf(project), of.what, of.parent, [...pathOf.keys()]];
  const isNamed = `c.name ${sql.dialect.isOneOf('$5')}`;
  const rows = { days, is: 'c.what = $3 and c.parent = $4', isNamed, by: ['name'] };
  const kept = await sql.query<KeptDay & { name: number }>(
    tables.daily(project, rows, addTo(values)),
    values,
  );
  const parts = Map.groupBy(kept, ({ day, name }) => `${day} ${pathOf.get(name)}`);
  const several = [...parts.values()].some((one) => one.length > 1);
  const site = several ? await readSite(tables, { sql, project, ...days }) : [];
  const siteOf = new Map(site.map((row) => [row.day, countsOf(row)]));
  const open = several ? await readOpen(tables, range, of.condition) : new Map<Day, Found>();
  const joined = new Map<string, Joined>();
  for (const { id, path } of members) {
    const known = joined.get(path) ?? { path, ids: [], bounds: noBounds() };
    known.ids.push(id);
    joined.set(path, known);
  }
  for (const rows of parts.values()) {
    const { day, name } = rows[0] as (typeof rows)[number];
    const path = pathOf.get(name) as string;
    const together = joinCounts(rows.map(countsOf), siteOf.get(day));
    const exact = open.get(day)?.rows.get(path)?.from;
    const isKnown = exact?.[3] === together.to[3] && exact[4] === together.to[4];
    addBounds((joined.get(path) as Joined).bounds, isKnown ? { from: exact, to: exact } : together);
  }
  return [...joined.values()];
}

/** What several names of a page have on a day, of which visitors are not known. */
export function joinCounts(all: readonly Counts[], site: Counts | undefined): Bounds {
  const ofEach = all.map((counts) => ({ from: counts, to: counts }));
  const { from, to } = anyOfBounds(noBounds(), ofEach, true);
  return all.length > 1 && site ? narrowed({ from, to: least(to, site) }) : { from, to };
}

/** Pages of days that are not closed. */
async function readOpen(
  tables: ReportTables,
  { sql, project, from, to }: DayRange,
  condition: CellCondition | undefined,
): Promise<Map<Day, Found>> {
  const found = new Map<Day, Found>();
  const { renamed } = project;
  const question = { conditions: condition ? [condition] : [], pages: [], by: 'path' as const, renamed };
  for (const { day, views } of await tables.openViews(sql, project, { from, to })) {
    const names = await findPaths(sql, project.id, views);
    const known = found.get(day) ?? nothingFound();
    addFound(
      known,
      views.answer(question, (path) => names.get(path)),
    );
    found.set(day, known);
  }
  return found;
}
