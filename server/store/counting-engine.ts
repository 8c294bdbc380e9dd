import type { Block } from '../counting/blocks.ts';
import type { Day } from '../counting/calendar.ts';
import type { NamedText } from '../counting/selection.ts';
import type { Sql, SqlValue } from '../database/sql.ts';
import { counts, dropped, nameCaps, siteCounters } from '../database/tables/counts.ts';
import { type CountedProject, type CountTables, placeOf } from './counts/count-tables.ts';
import type { ImportDay } from './counts/view-batch.ts';
import type { ForgetProject } from './projects.ts';

export { type CountedProject, type CountTables, findProject, placeOf } from './counts/count-tables.ts';

/** A day by its row, of which visitors are known. */
export interface KnownDay {
  id: number;
  day: Day;
  /** An import opened it though it is sealed. */
  isSealed: boolean;
}

/** The counts of a name on a day. */
export interface NameCount {
  what: number;
  parent: number;
  name: number;
  humanVisitors: number;
  aiVisitors: number;
  visitors: number;
  humanViews: number;
  aiViews: number;
}

/** Views of an open day that came with one batch. */
export interface KeptViews {
  /** Null: they came from no log. */
  log: number | null;
  visitors: ArrayLike<bigint>;
  /** As bits: 1 for people, 2 for AI clients; 0 for an event. */
  kinds: ArrayLike<number>;
  /** By `momentOf`. */
  moments: ArrayLike<number>;
  paths: ArrayLike<number>;
  /** As `ViewValues` packs them; null: a version before that counted them. */
  values: Uint8Array | null;
}

/** A name under another one; 0: under none. */
export interface CountedName extends NamedText {
  parent: number;
}

/** What engines do in their own ways, as it is fast because it differs. But for `openDay`, all of it inside a transaction. */
export interface CountingEngine extends CountTables {
  /** Columns of projects that say up to which day these are sealed. */
  readonly calendarColumns: readonly string[];
  /** What is kept of a project and does not go with its row by itself. */
  readonly forgetProject: readonly ForgetProject[];
  /** Until the end of the transaction no day is sealed, and no path moved. */
  holdDays(sql: Sql, projectId: string): Promise<CountedProject | undefined>;
  /** The same, and nothing is counted, and `counts` has everything. */
  hold(sql: Sql, projectId: string): Promise<CountedProject | undefined>;
  /** Opens a day for an import while days are held. What has to be done first is answered, to be done outside of the transaction. */
  openDay(
    sql: Sql,
    project: CountedProject,
    day: Day,
    given: { projectId: string; salt: Uint8Array; forgetAt: number },
  ): Promise<ImportDay | null | (() => Promise<unknown>)>;
  findNames(
    sql: Sql,
    project: CountedProject,
    names: readonly CountedName[],
  ): Promise<(number | undefined)[]>;
  findOrAddNames(sql: Sql, project: CountedProject, names: readonly CountedName[]): Promise<number[]>;
  /** Deletes some rows of the oldest of these sealed days, from larger blocks too. False: there are none. */
  forgetSome(sql: Sql, project: CountedProject, kinds: 'details' | 'site', before: Day): Promise<boolean>;
  /** Deletes all counts of a sealed day. */
  forgetDay(sql: Sql, project: CountedProject, day: Day): Promise<void>;
  /** Deletes the views that visits of these days are computed from. */
  forgetViews(sql: Sql, project: CountedProject, before: Day): Promise<void>;
  /** Deletes names that nothing is counted under. */
  forgetNames(sql: Sql, project: CountedProject): Promise<void>;
  /** Adds counts, and what visitors of active days were counted under, to other names; null: to none. */
  moveNames(sql: Sql, project: CountedProject, targets: ReadonlyMap<number, number | null>): Promise<void>;
  /** Makes counts of the visits of a day, whose views go. */
  sealVisits(sql: Sql, project: CountedProject, day: KnownDay): Promise<void>;
  /** Deletes their salts and visitors; the caller does the slow part afterwards. */
  forgetDays(sql: Sql, days: readonly number[]): Promise<void>;
  /** Opens a day, or one that an import has open for others too: sealing is what adds it to larger blocks. */
  reopenDay(sql: Sql, project: CountedProject, day: Day, salt: Uint8Array): Promise<void>;
  readCounts(sql: Sql, project: CountedProject, day: Day): Promise<NameCount[]>;
  /** Takes away from the rows of blocks; those without a view are deleted. */
  subtract(
    sql: Sql,
    project: CountedProject,
    blocks: readonly Block[],
    counts: readonly NameCount[],
  ): Promise<void>;
  readViews(sql: Sql, project: CountedProject, day: KnownDay): AsyncIterable<KeptViews> | Iterable<KeptViews>;
  removeViews(sql: Sql, project: CountedProject, day: KnownDay, log: number): Promise<void>;
  /** What visitors were counted under, as in `seen`. */
  readSeen(
    sql: Sql,
    project: CountedProject,
    day: KnownDay,
    visitors: readonly bigint[],
  ): Promise<Map<bigint, ArrayLike<number>>>;
  /** None: the visitor was not seen. */
  writeSeen(
    sql: Sql,
    project: CountedProject,
    day: KnownDay,
    seen: ReadonlyMap<bigint, readonly number[]>,
  ): Promise<void>;
}

/** A project whose counts a transaction works on. */
export interface Held {
  sql: Sql;
  engine: CountingEngine;
  project: CountedProject;
}

const divided = { counts, dropped, name_caps: nameCaps, tallies: siteCounters } as const;

export type CountTable = keyof typeof divided;

/** The key of rows of a project, and their sums. */
function columnsOf(table: CountTable, { isDivided }: CountTables) {
  const { columns, sqlite } = divided[table];
  const key = sqlite.key.filter((column) => column !== 'project');
  const sums = Object.keys(columns).filter((column) => !(sqlite.key as readonly string[]).includes(column));
  const all = [...(isDivided ? ['shard', 'slot'] : []), 'project', ...key];
  const add = sums.map((sum) => `${sum} = c.${sum} + excluded.${sum}`);
  return { key, sums, all, orAdd: `on conflict (${all.join(', ')}) do update set ${add.join(', ')}` };
}

/**
 * Adds rows `t` of a project to those of another day or name. They stay, for the caller to delete.
 *
 * @param to what columns of the key become
 */
export async function addToOthers(
  sql: Sql,
  tables: CountTables,
  {
    table,
    to,
    from = '',
    where,
    first = '',
  }: {
    table: CountTable;
    to: Readonly<Record<string, string>>;
    from?: string;
    where: string;
    first?: string;
  },
  values: readonly SqlValue[],
): Promise<void> {
  const { all, sums, orAdd } = columnsOf(table, tables);
  const grouped = all.filter((column) => column !== 'slot').map((column) => to[column] ?? `t.${column}`);
  const selected = all.map((column) => (column === 'slot' ? '0' : (to[column] ?? `t.${column}`)));
  await sql.query(
    `${first} insert into ${table} as c (${[...all, ...sums].join(', ')})
     select ${[...selected, ...sums.map((sum) => `sum(t.${sum})`)].join(', ')} from ${table} t ${from}
     where ${where} group by ${grouped.join(', ')} ${orAdd}`,
    values,
  );
}

/** What is added to a table of counts, by its columns. */
export type CountRow = Readonly<Record<string, string | number>>;

/** Adds rows of a project, to those that are there. */
export async function addRows(
  sql: Sql,
  tables: CountTables,
  project: CountedProject,
  table: CountTable,
  rows: readonly CountRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const { key, sums, orAdd } = columnsOf(table, tables);
  const types: Readonly<Record<string, string>> = divided[table].columns;
  const typed = [...key, ...sums].map(
    (column) => [column, types[column] === 'text' ? 'text' : 'bigint'] as const,
  );
  const of = (columns: readonly string[]) => columns.map((column) => `x."${column}"`).join(', ');
  const [into, place] = tables.isDivided
    ? ['shard, slot, project', 'cast($1 as int), 0, cast($2 as int)']
    : ['project', '$2'];
  await sql.query(
    `insert into ${table} as c (${[into, ...key, ...sums].join(', ')})
     select ${place}, ${of(key)}, ${sums.map((sum) => `sum(x."${sum}")`).join(', ')}
     from ${sql.dialect.rows('$3', Object.fromEntries(typed))} x
     where true group by ${of(key)} order by ${of(key)} ${orAdd}`,
    [project.shards[0] ?? 0, project.id, JSON.stringify(rows)],
  );
}

/** Takes away from a row of a project. One with nothing left is deleted. */
export async function lowerRow(
  sql: Sql,
  tables: CountTables,
  project: CountedProject,
  table: CountTable,
  row: CountRow,
): Promise<void> {
  const { key, sums } = columnsOf(table, tables);
  const isRow = `${tables.ofProject('t', project)} and ${key.map((column, i) => `t.${column} = $${i + 3}`).join(' and ')}`;
  const values = [...placeOf(project), ...key.map((column) => row[column] as SqlValue)];
  const [there] = await sql.query<Record<string, number | null>>(
    `select ${sums.map((sum) => `cast(sum(t.${sum}) as bigint) as "${sum}"`).join(', ')} from ${table} t where ${isRow}`,
    values,
  );
  await sql.query(`delete from ${table} as t where ${isRow}`, values);
  const left = sums.map((sum) => [sum, (there?.[sum] ?? 0) - (row[sum] as number)] as const);
  const [[, first] = ['', 0]] = left;
  if (first > 0) await addRows(sql, tables, project, table, [{ ...row, ...Object.fromEntries(left) }]);
}

/** A day on which visitors are known. */
export async function findKnownDay(
  sql: Sql,
  project: CountedProject,
  day: Day,
): Promise<KnownDay | undefined> {
  const [row] = await sql.query<KnownDay>(
    `select id, day, forget_at is not null as "isSealed" from days where project = $1 and day = $2 and salt is not null`,
    [project.id, day],
  );
  return row && { ...row, isSealed: Boolean(row.isSealed) };
}
