import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { searchableText } from '../../counting/names/name-search.ts';
import { numberTypes } from '../../database/tables/table.ts';
import { declared, movedColumns, movedRows, movedTables, rowsAtATime } from '../../database/tables/tables.ts';
import { storable } from '../archive/records.ts';
import { renumberViews } from '../counts/import-record.ts';
import { makeDataFolder } from '../data-folder.ts';
import { parseRecord } from '../jobs/job-rows.ts';
import { StoreError } from '../store.ts';
import type { MovedCell, MovedRow, MoveSource, MoveTarget } from '../store-files.ts';
import type { Connection } from './connection.ts';
import { pendingCounts } from './counts/pending-counts.ts';
import { Seen } from './counts/visitors/seen.ts';
import {
  bytesOfOrigins,
  bytesOfViews,
  makeOrigins,
  makeViews,
  unpackOrigins,
  unpackViews,
} from './counts/visits/packed-views.ts';
import { Replacement } from './files/replacing.ts';
import { openToFill } from './files/scratch.ts';
import { openUpToDate } from './opening.ts';
import { migrate } from './schema.ts';
import { databaseFile } from './store.ts';
import { withTrouble } from './trouble.ts';

type Value = bigint | number | string | Uint8Array | null;

/** Columns that are read in another way than as they are, by tables, of which a row is `t`. */
export type Special = Readonly<Record<string, Readonly<Record<string, string>>>>;

const usual: Special = {
  seen: { sightings: 'sightings_of(t.sightings)' },
  visit_views: { views: 'views_of(t.views)', origins: 'origins_of(t.origins)' },
  turns: { record: 'joined(t.record)' },
};

/** As PostgreSQL writes them as text. */
const byType: Readonly<Record<string, (column: string) => string>> = {
  boolean: (column) => `case when ${column} then 'true' when not ${column} then 'false' end`,
  'text[]': (column) => `listed(${column})`,
  'int[]': (column) => `json(${column})`,
  'bigint[]': (column) => `json(${column})`,
};

/** Reads a table of a database that knows the functions of `define`. */
export function* readRows(db: Connection, table: string, special: Special = {}): Generator<MovedRow[]> {
  const worked = { ...declared(table)?.postgres?.moves, ...usual[table], ...special[table] };
  const selected = Object.entries(movedColumns(table)).map(
    ([column, type]) => worked[column] ?? byType[type]?.(`t.${column}`) ?? `t.${column}`,
  );
  const rows = db
    .prepare<[], Value[]>(`select ${selected} from ${movedRows(table)} t`)
    .safeIntegers()
    .raw();
  let some: MovedRow[] = [];
  for (const row of rows.iterate()) {
    some.push(row.map(toCell));
    if (some.length < rowsAtATime(table)) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** No text of PostgreSQL can hold U+0000. */
export function toCell(value: Value): MovedCell {
  if (value === null) return null;
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return String(value).replaceAll('\0', '\uFFFD');
}

/** What `readRows` asks the database for. */
export function define(db: Connection): void {
  db.function('searchable', { deterministic: true }, (text: unknown) => {
    const searchable = searchableText(String(text));
    return searchable === text ? null : searchable;
  });
  db.function('joined', { deterministic: true }, (list: unknown) =>
    JSON.stringify([JSON.stringify(parseRecord(String(list)))]),
  );
  db.function('listed', { deterministic: true }, (list: unknown) =>
    list === null ? null : JSON.stringify((JSON.parse(String(list)) as unknown[]).map(storable)),
  );
  db.function('visitors_of', { deterministic: true }, (bytes: unknown) => {
    return listOf(unpackViews(bytes as Uint8Array).visitors);
  });
  db.function('views_of', { deterministic: true }, (bytes: unknown) => {
    const { moments, paths } = unpackViews(bytes as Uint8Array);
    return listOf(Array.from(moments, (moment, i) => toNumber(moment, paths[i] as number)));
  });
  db.function('origins_of', { deterministic: true }, (bytes: unknown) => {
    if (bytes === null) return null;
    const { sources, countries } = unpackOrigins(bytes as Uint8Array);
    return listOf(Array.from(sources, (source, i) => toOrigin(source, countries[i] as number)));
  });
  db.function('sightings_of', { deterministic: true }, (bytes: unknown) =>
    visitorKeysOf(bytes as Uint8Array),
  );
}

/** SQLite has one number for both kinds, PostgreSQL one for each. */
function visitorKeysOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  const all = [...new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength))];
  const single = all.flatMap((one) => ((one & 3) === 3 ? [one - 2, one - 1] : [one]));
  return `{${single}}`;
}

/** The other way round; both kinds of a name are adjacent. */
export function bytesOfVisitorKeys(single: readonly number[]): Uint8Array {
  const kinds = new Map<number, number>();
  for (const one of single) {
    const name = Math.floor(one / 4);
    kinds.set(name, (kinds.get(name) ?? 0) | (one & 3));
  }
  return new Uint8Array(Uint32Array.from(kinds, ([name, kind]) => name * 4 + kind).buffer);
}

export function parseVisitorKeys(list: string): number[] {
  return list === '{}' ? [] : list.slice(1, -1).split(',').map(Number);
}

function listOf(numbers: ArrayLike<bigint>): string {
  return `{${Array.from(numbers)}}`;
}

/** A view as PostgreSQL has it: 28 bits of the moment, 29 of the path, 2 of the kind. */
function toNumber(moment: number, path: number): bigint {
  return (BigInt(moment >>> 2) << 31n) | BigInt(path * 4 + (moment & 3));
}

/** Where a view came from as PostgreSQL has it: 29 bits of the source, 29 of the country. */
function toOrigin(source: number, country: number): bigint {
  return (BigInt(source) << 29n) | BigInt(country);
}

/** @param renumber a name's number here */
export function bytesOfMovedOrigins(origins: string, renumber: (name: number) => number): Uint8Array {
  const all = parseBigints(origins);
  const packed = makeOrigins(all.length);
  for (const [i, origin] of all.entries()) {
    packed.sources[i] = renumber(Number(origin >> 29n));
    packed.countries[i] = renumber(Number(origin & nameBits));
  }
  return bytesOfOrigins(packed);
}

/** The same list, with the names' numbers of before. */
export function withFormerOrigins(origins: string, formerOf: (name: number) => number): string {
  const former = (origin: bigint) =>
    toOrigin(formerOf(Number(origin >> 29n)), formerOf(Number(origin & nameBits)));
  return `{${parseBigints(origins).map(former)}}`;
}

/** @param renumber the path's number here */
export function bytesOfMovedViews(
  visitors: string,
  views: string,
  renumber: (path: number) => number,
): Uint8Array {
  const [ids, numbers] = [parseBigints(visitors), parseBigints(views)];
  const packed = makeViews(ids.length);
  packed.visitors.set(ids);
  for (const [i, view] of numbers.entries()) {
    packed.moments[i] = Number(view >> 31n) * 4 + Number(view & 3n);
    packed.paths[i] = renumber(Number((view >> 2n) & nameBits));
  }
  return bytesOfViews(packed);
}

const nameBits = (1n << 29n) - 1n;

/** The same list, with the paths' numbers of before. */
export function withFormerPaths(views: string, formerOf: (path: number) => number): string {
  const former = (view: bigint) => {
    const path = Number((view >> 2n) & nameBits);
    return view + (BigInt(formerOf(path) - path) << 2n);
  };
  return `{${parseBigints(views).map(former)}}`;
}

function parseBigints(list: string): bigint[] {
  return list === '{}' ? [] : list.slice(1, -1).split(',').map(BigInt);
}

/**
 * The database in a data folder, held so that no server starts on it; nothing of it is changed but that it is brought up to
 * date as by any command.
 *
 * @throws StoreError `missing`, `in_use`, `newer`
 */
export function openSqliteSource(dataDir: string): MoveSource {
  const file = join(dataDir, databaseFile);
  if (!existsSync(file)) {
    throw new StoreError(
      'missing',
      `There is no database in the folder ${dataDir} to move: name the server's data folder with HEADCOUNT_DATA_DIR.`,
    );
  }
  const { db, close } = openUpToDate(file, 'server');
  try {
    define(db);
    // Everything that was seen is in one table from here on, and so are all counts.
    db.transaction(() => {
      new Seen(db).begin();
      pendingCounts(db).merge();
    }).immediate();
    db.exec('begin immediate');
  } catch (error) {
    close();
    throw error;
  }
  return {
    instance: null,
    read: (table) => readRows(db, table),
    close: () => {
      db.exec('rollback');
      close();
    },
  };
}

type Stored = bigint | string | Uint8Array | null;

/** A moved row by its columns, as the types of these say. */
type Row = Record<string, Stored>;

/** Columns as they are written here: made of the row, or undefined for those that are none here. */
type Writing = Readonly<Record<string, ((row: Row) => Stored) | undefined>>;

/** As they came: names have the numbers that they had there. */
const asTheyCame: Special = {
  ...Object.fromEntries(
    movedTables.map(({ name, nameColumns = [] }) => [
      name,
      Object.fromEntries(nameColumns.map((column) => [column, former(column)])),
    ]),
  ),
  projects: { last_name: '(select coalesce(max(id), 0) from temp.moved_names where project = t.id)' },
};

function former(column: string): string {
  return `coalesce((select id from temp.moved_names where number = t.${column}), 0)`;
}

/**
 * A new database for a data folder without one. `finish` puts it there; without it an unused draft is left, which the
 * next one overwrites.
 *
 * @throws StoreError `in_use` where there is a database already, or a server runs there
 */
export function openSqliteTarget(dataDir: string): MoveTarget {
  const file = join(dataDir, databaseFile);
  makeDataFolder(dataDir);
  const replacement = new Replacement(file);
  try {
    if (replacement.isNeeded) throw isKept(dataDir);
    const db = openToFill(replacement.draft);
    return target(db, replacement);
  } catch (error) {
    replacement.release();
    throw error;
  }
}

function target(db: Connection, replacement: Replacement): MoveTarget {
  migrate(db);
  define(db);
  // Those that a new database begins with.
  db.exec('delete from administrator');
  const numbers = nameNumbers(db);
  let viewRows = 0;

  /** Of tables with lists of names: a row as it came. */
  function formerlyIn(table: string): ((cells: MovedRow) => MovedRow) | undefined {
    const rewrite = (cells: MovedRow, column: string, former: (list: string) => MovedCell) => {
      const place = Object.keys(movedColumns(table)).indexOf(column);
      const cell = cells[place] ?? null;
      return cell === null ? cells : cells.with(place, former(cell));
    };
    if (table === 'seen') return (cells) => rewrite(cells, 'sightings', formerVisitorKeys);
    const { formerOf } = numbers;
    if (table === 'log_days')
      return (cells) => rewrite(cells, 'sums', (sums) => toCell(renumberViews(parseBytes(sums), formerOf)));
    if (table !== 'visit_views') return undefined;
    return (cells) =>
      rewrite(
        rewrite(cells, 'views', (list) => withFormerPaths(list, formerOf)),
        'origins',
        (list) => withFormerOrigins(list, formerOf),
      );
  }

  function formerVisitorKeys(visitorKeys: string): string {
    const former = parseVisitorKeys(visitorKeys).map(
      (one) => numbers.formerOf(Math.floor(one / 4)) * 4 + (one & 3),
    );
    return `{${former.sort((a, b) => a - b)}}`;
  }

  function writingOf(table: string): Writing {
    const same = Object.keys(movedColumns(table)).map((column) => [
      column,
      (row: Row) => row[column] ?? null,
    ]);
    const renumbered = (declared(table)?.nameColumns ?? []).map((column) => [
      column,
      (row: Row) => BigInt(numbers.numberOf(row.project as bigint, row[column] as bigint)),
    ]);
    return { ...Object.fromEntries([...same, ...renumbered]), ...special()[table] };
  }

  function special(): { [table: string]: Writing } {
    const projectOfDay = projectOf('days');
    const projectOfLog = projectOf('logs');
    const inProject = (project: bigint) => (name: number) => numbers.numberOf(project, BigInt(name));
    return {
      projects: { last_name: undefined },
      names: { searchable: undefined },
      name_takers: {
        taker: ({ kind, taker }) => (kind === 'client' ? (taker ?? null) : BigInt(String(taker))),
      },
      seen: {
        sightings: ({ day, sightings: visitorKeys }) => {
          const numberOf = inProject(projectOfDay(day as bigint));
          const moved = parseVisitorKeys(String(visitorKeys));
          return bytesOfVisitorKeys(moved.map((one) => numberOf(Math.floor(one / 4)) * 4 + (one & 3)));
        },
      },
      visit_views: {
        visitors: undefined,
        number: () => BigInt(++viewRows),
        views: ({ day, visitors, views }) =>
          bytesOfMovedViews(String(visitors), String(views), inProject(projectOfDay(day as bigint))),
        origins: ({ day, origins }) =>
          typeof origins === 'string'
            ? bytesOfMovedOrigins(origins, inProject(projectOfDay(day as bigint)))
            : null,
      },
      log_days: {
        sums: ({ log, sums }) => renumberViews(sums as Uint8Array, inProject(projectOfLog(log as bigint))),
      },
    };
  }

  /** Of rows of a table, by their ids. */
  function projectOf(table: 'days' | 'logs'): (id: bigint) => bigint {
    const projects = new Map<bigint, bigint>();
    const find = db
      .prepare<[bigint], bigint>(`select project from ${table} where id = ?`)
      .pluck()
      .safeIntegers();
    return (id) => {
      const project = projects.get(id) ?? find.get(id) ?? 0n;
      projects.set(id, project);
      return project;
    };
  }

  return {
    async add(table: string, rows: MovedRow[]): Promise<void> {
      const writing = writingOf(table);
      const columns = Object.keys(writing).filter((column) => writing[column]);
      const insert = db.prepare(`insert into main.${table} (${columns}) values (${columns.map(() => '?')})`);
      const addAll = db.transaction(() => {
        for (const cells of rows) {
          const row = toRow(table, cells);
          insert.run(...columns.map((column) => writing[column]?.(row)));
        }
      });
      try {
        addAll();
      } catch (error) {
        throw withTrouble(error, db.name);
      }
    },

    *read(table: string): Generator<MovedRow[]> {
      const formerly = formerlyIn(table);
      for (const rows of readRows(db, table, asTheyCame)) yield formerly ? rows.map(formerly) : rows;
    },

    async finish(): Promise<void> {
      const missing = db.pragma('foreign_key_check') as unknown[];
      if (missing.length > 0)
        throw new StoreError('damaged', 'What was moved names rows that are not there.');
      db.close();
      replacement.useDraft();
    },

    close(): void {
      db.close();
      replacement.release();
    },
  };
}

function toRow(table: string, cells: MovedRow): Row {
  const types = Object.entries(movedColumns(table));
  return Object.fromEntries(types.map(([column, type], i) => [column, parseCell(type, cells[i] ?? null)]));
}

function parseCell(type: string, cell: MovedCell): Stored {
  if (cell === null) return null;
  if (type in numberTypes) return BigInt(cell);
  if (type === 'boolean') return cell === 'true' ? 1n : 0n;
  return type === 'bytea' ? parseBytes(cell) : cell;
}

const parseBytes = (cell: string) => Buffer.from(cell.slice(2), 'hex');

function isKept(dataDir: string): StoreError {
  return new StoreError(
    'in_use',
    `There is a database in the folder ${dataDir} already: move it away, or give another folder with HEADCOUNT_DATA_DIR. Nothing was changed.`,
  );
}

/** A visitor key has room for so many, with two bits for kinds. */
const maxNames = 2 ** 30;
/** Some 20 MB of them. */
const maxRemembered = 200_000;

/**
 * Numbers that names get here, where they are numbered over all projects, by those that they had in their project.
 *
 * @param db gets a table that is not of the database itself
 */
function nameNumbers(db: Connection) {
  db.exec(`create temp table moved_names (
    number integer primary key, project integer not null, id integer not null, unique (project, id)) strict`);
  const add = db.prepare<[bigint, bigint]>('insert into temp.moved_names (project, id) values (?, ?)');
  const find = db
    .prepare<[bigint, bigint], number>('select number from temp.moved_names where project = ? and id = ?')
    .pluck();
  const findFormer = db.prepare<[number], number>('select id from temp.moved_names where number = ?').pluck();
  const known = new Map<string, number>();
  const formers = new Map<number, number>();
  return {
    /** 0 is no name, and stays so. A name may be asked for before it comes. @throws StoreError where there are too many */
    numberOf(project: bigint, id: bigint): number {
      if (id === 0n) return 0;
      const key = `${project} ${id}`;
      const number = known.get(key) ?? find.get(project, id) ?? Number(add.run(project, id).lastInsertRowid);
      if (number >= maxNames) throw tooMany();
      remember(known, key, number);
      return number;
    },
    /** The number that it had in its project. */
    formerOf(number: number): number {
      if (number === 0) return 0;
      const former = formers.get(number) ?? findFormer.get(number) ?? 0;
      remember(formers, number, former);
      return former;
    },
  };
}

function remember<Key>(known: Map<Key, number>, key: Key, number: number): void {
  if (known.size >= maxRemembered) known.clear();
  known.set(key, number);
}

function tooMany(): StoreError {
  return new StoreError(
    'unusable',
    `There are more names than a database of SQLite has room for (${maxNames}): move single projects with "headcount export" instead. Nothing was changed.`,
  );
}
