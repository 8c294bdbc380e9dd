import { counters } from '../../../shared/reports/counters.ts';
import { type Block, coverDays } from '../../counting/blocks.ts';
import type { Day } from '../../counting/calendar.ts';
import type { Counts } from '../../counting/cells/question.ts';
import type { Aims, GoalSum, OriginKind } from '../../counting/goal/goal.ts';
import { historyGroups } from '../../counting/history.ts';
import type { Renamed } from '../../counting/page/renamed.ts';
import type { NamedText, SumOf } from '../../counting/selection.ts';
import { what } from '../../counting/what.ts';
import type { Sql, SqlValue } from '../../database/sql.ts';
import { counts } from '../../database/tables/counts.ts';
import type { DataSourceDays, RangeQuery } from './analytics-store.ts';
import type { ValuedViews } from './day-cells.ts';

/** A project by its row. */
export interface CountedProject {
  id: number;
  /** Days up to this one are sealed; null: none yet. */
  sealedThrough: Day | null;
  /** Days up to this one are sealed or just being so, which begins with what they have besides counts; null: none yet. */
  closedThrough: Day | null;
  /** The path that a page has now; null: none was renamed. */
  renamed: Renamed | null;
  /** Where its counts are, for an engine that has several places. */
  shards: number[];
}

/** Days from the first, inclusive, to the last, exclusive. */
export interface Days {
  from: Day;
  to: Day;
}

/** What visits of a day that is not sealed count under a name. */
export interface OpenVisits {
  what: number;
  text: string;
  human_visitors: number;
  ai_visitors: number;
  visitors: number;
}

/** People of a day with their views: of the site, or those who reached a goal and all views that were looked at for it. */
export interface PeopleOfDay {
  day: Day;
  people: number;
  views: number;
}

export type PeopleReached = PeopleOfDay & Omit<GoalSum, 'sum'>;

/** Which rows of counts are read. */
export interface CountRows {
  /** A table with `span` and `day` of each block of days; it is called `x`. */
  from: string;
  /** About a row `c` of counts, and `x`. */
  is: string;
  /** Of `c` and `x`; none given: what `c` is of, and its sums. */
  columns?: string;
  /** The same as `is` about their names `o`, where it says no more: those are chosen before what waits is added up. */
  names?: string;
  /** What of it may wait to be added up: nothing, or at most what counts for the whole site. */
  waits?: boolean | 'site';
}

/** Adds a value to those of a statement, and answers its place in the text. */
export type Given = (value: SqlValue) => string;

export function addTo(values: SqlValue[]): Given {
  return (value) => `$${values.push(value)}`;
}

/** Which counts of single days are read. */
export interface DailyRows {
  days: Days;
  /** About a row `c` of counts, and `x`: what it is of. */
  is: string;
  /** The same: which names; none given: all. */
  isNamed?: string;
  /** A table that is called `x`. */
  of?: string;
  /** Columns of counts by which they are added up, besides the day. */
  by?: readonly string[];
  /** As in `CountRows`. */
  waits?: boolean | 'site';
}

export const sumNames = counts.sums;

/** Sums of a day, as they are stored. */
export type KeptDay = Record<(typeof sumNames)[number], number> & { day: Day };

export const countsOf = (kept: KeptDay): Counts => [
  kept.human_visitors,
  kept.ai_visitors,
  kept.visitors,
  kept.human_views,
  kept.ai_views,
];

/** Days of a project among several; `place` is that of the question. */
export type AskedGlance = Days & { place: number; project: CountedProject };

export interface GlanceRows {
  days: (KeptDay & { place: number })[];
  /** Days with commas between them: one row for each of them would be most of the answer. */
  dataSources: (Omit<DataSourceDays, 'days'> & { place: number; days: string })[];
}

/** How an engine keeps counts: what statements, which are the same for all, are made of. */
export interface CountTables {
  /** By shards and slots, which their rows have as columns. */
  readonly isDivided: boolean;
  /** Those of them that there are, by their ids. */
  findProjects(sql: Sql, projectIds: readonly string[]): Promise<Map<string, CountedProject>>;
  /** Rows of the project in a table of counts, by `$1` and `$2` (`placeOf`). */
  ofProject(table: string, project: CountedProject): string;
}

/** The same for reports. */
export interface ReportTables extends CountTables {
  /** See `coverDays`. */
  readonly sealsAtOnce: boolean;
  /** The first and the last day with a count. */
  findDays(sql: Sql, project: CountedProject): Promise<{ first: Day; last: Day } | undefined>;
  /** Before statements of a snapshot that add up blocks of days. */
  planSums(sql: Sql): Promise<void>;
  /** Days of the sites of several projects, oldest first, and the days of each data source. */
  glances(sql: Sql, asked: readonly AskedGlance[]): Promise<GlanceRows>;
  /** A table of counts as they are now: one search in the index for each block of days. */
  counts(project: CountedProject, rows: CountRows): string;
  /** A statement for sums of days. */
  daily(project: CountedProject, rows: DailyRows, given: Given): string;
  /** A condition on the text of a name, which is found by it. */
  isText(column: string, text: string): string;
  /** A condition on a name, by the alias of its table. */
  contains(name: string, wanted: string): string;
  /** Of rows of sums at least the first so many in this order. */
  largest(rows: string, order: string, count: string): string;
  /** The same on any text; undefined: the engine has no such function. */
  readonly containsText: ((text: string, wanted: string) => string) | undefined;
  /**
   * Of days in the range that are not sealed what their visits add, where all of their views are known; and the days with views
   * of which visits are not known.
   */
  openVisits(
    sql: Sql,
    project: CountedProject,
    days: Days,
    of: 'entry' | 'exit',
  ): Promise<{ sums: OpenVisits[]; unmeasured: Day[] }>;
  /**
   * Views of days in the range that are not closed, with their values.
   *
   * @param since earlier views are not needed, but may be among them
   */
  openViews(
    sql: Sql,
    project: CountedProject,
    days: Days,
    since?: (day: Day) => number,
  ): Promise<(ValuedViews & { day: Day })[]>;
  /**
   * Of the same days people who reached goals and steps of funnels, and by what they came where that is asked for.
   *
   * @param goal others may be left out
   */
  openGoals(
    sql: Sql,
    project: CountedProject,
    days: Days,
    asked: { aims: Aims; by?: OriginKind | undefined; goal?: string | undefined },
  ): Promise<PeopleReached[]>;
}

/** `$1` and `$2` of a statement. */
export function placeOf({ id, shards }: CountedProject): [SqlValue, SqlValue] {
  return [shards.length === 1 ? (shards[0] as number) : shards, id];
}

export async function findProject(
  sql: Sql,
  tables: CountTables,
  projectId: string,
): Promise<CountedProject | undefined> {
  return (await tables.findProjects(sql, [projectId])).get(projectId);
}

/** What a row of counts is of. */
export interface Counted {
  what: number;
  parent: number;
  name: number;
}

const site: Counted = { what: what.site, parent: 0, name: 0 };

/** The number of a name; none given: 0. Undefined: the project does not know it. */
export async function findNumber(
  sql: Sql,
  { isText }: ReportTables,
  project: CountedProject,
  named: NamedText | null,
  parent = 0,
): Promise<number | undefined> {
  if (!named) return 0;
  const [name] = await sql.query<{ id: number }>(
    `select id from names where project = $1 and what = $2 and parent = $3 and ${isText('text', '$4')}`,
    [project.id, named.what, parent, named.text],
  );
  return name?.id;
}

/** The same of many. */
export async function findNumbers(
  sql: Sql,
  { isText }: ReportTables,
  project: CountedProject,
  { what, parent, texts }: { what: number; parent: number; texts: readonly string[] },
): Promise<Map<string, number>> {
  if (texts.length === 0) return new Map();
  const found = await sql.query<{ text: string; id: number }>(
    `select n.text, n.id from ${sql.dialect.list('$4', 'text')} x cross join names n
     where n.project = $1 and n.what = $2 and n.parent = $3 and ${isText('n.text', 'x.value')}`,
    [project.id, what, parent, [...new Set(texts)]],
  );
  return new Map(found.map(({ text, id }) => [text, id]));
}

/** Where the counts of a name are. Undefined: nothing was counted under it. */
export async function findCounted(
  sql: Sql,
  tables: ReportTables,
  project: CountedProject,
  of: SumOf | null,
): Promise<Counted | undefined> {
  if (!of) return site;
  const parent = await findNumber(sql, tables, project, of.under);
  const name = parent === undefined ? undefined : await findNumber(sql, tables, project, of, parent);
  return parent === undefined || name === undefined ? undefined : { what: of.what, parent, name };
}

/** Days of a project that may have counts, as read in one snapshot. */
export interface DayRange extends Days {
  sql: Sql;
  project: CountedProject;
}

/** The same with the blocks that these days are. */
export interface BlockRange extends DayRange {
  blocks: Block[];
}

type Asked = Pick<RangeQuery, 'projectId' | 'from' | 'to'>;

export function listDays({ from, to }: Days): Day[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
}

/** The sums of the site. */
export function readSite(tables: ReportTables, { sql, project, ...days }: DayRange): Promise<KeptDay[]> {
  const values: SqlValue[] = [...placeOf(project)];
  const is = `c.what = ${what.site} and c.parent = 0 and c.name = 0`;
  return sql.query<KeptDay>(tables.daily(project, { days, is, waits: 'site' }, addTo(values)), values);
}

/** Finds the days of the range and reads from them, all in one snapshot. */
export function readDays<T>(
  sql: Sql,
  tables: ReportTables,
  query: Asked,
  nothing: T,
  read: (range: DayRange) => Promise<T>,
): Promise<T> {
  return sql.snapshot(async (snapshot) => {
    const project = await findProject(snapshot, tables, query.projectId);
    const counted = project && (await tables.findDays(snapshot, project));
    if (!project || !counted) return nothing;
    const end = counted.last + 1;
    const from = Math.max(query.from ?? counted.first, counted.first);
    const to = Math.min(query.to ?? end, end);
    return read({ sql: snapshot, project, from, to });
  });
}

/** Finds the blocks of the range and reads from them, all in one snapshot. */
export function readBlocks<T>(
  sql: Sql,
  tables: ReportTables,
  query: Asked,
  nothing: T,
  read: (range: BlockRange) => Promise<T>,
): Promise<T> {
  return readDays(sql, tables, query, nothing, async (range) => {
    await tables.planSums(range.sql);
    return read({ ...range, blocks: coverDays(range.from, range.to, range.project.sealedThrough, tables) });
  });
}

/** `x` of blocks that are given as JSON. */
export function blocksIn(sql: Sql, given: string): string {
  return sql.dialect.rows(given, { span: 'int', day: 'int' });
}

/** The days among these that another tool counted. */
export async function historyDays(
  { sql, project, from, to }: DayRange,
  tables: Pick<ReportTables, 'ofProject'>,
): Promise<ReadonlySet<Day>> {
  const rows = await sql.query<{ day: Day }>(
    `select distinct day from tallies t where ${tables.ofProject('t', project)}
       and tally = ${counters['data-sources'].number} and day >= $3 and day < $4 and subject like '${historyGroups.like}'`,
    [...placeOf(project), from, to],
  );
  return new Set(rows.map(({ day }) => day));
}
