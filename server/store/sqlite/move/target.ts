import { join } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { declared, movedColumns, movedTables } from '../../../database/tables/tables.ts';
import { renumberViews } from '../../counts/import-record.ts';
import { makeDataFolder } from '../../data-folder.ts';
import type { MovedCell, MovedRow, MovedTable, MoveTarget, Special } from '../../moved-tables.ts';
import { StoreError } from '../../store.ts';
import type { Connection } from '../connection.ts';
import { Replacement } from '../files/replacing.ts';
import { openToFill } from '../files/scratch.ts';
import { migrate } from '../schema.ts';
import { databaseFile } from '../store.ts';
import { withTrouble } from '../trouble.ts';
import {
  bytesOfMovedOrigins,
  bytesOfMovedViews,
  bytesOfSightings,
  define,
  parseSightings,
  readRows,
  toCell,
  usual,
  withFormerOrigins,
  withFormerPaths,
} from './rows.ts';

type Stored = bigint | string | Uint8Array | null;

/** A moved row by its columns, as the types of these say. */
type Row = Record<string, Stored>;

/** Columns as they are written here: made of the row, or undefined for those that are none here. */
type Writing = Readonly<Record<string, ((row: Row) => Stored) | undefined>>;

const numbersNames = movedTables.map(
  ({ name, nameColumns = [] }) =>
    [name, Object.fromEntries(nameColumns.map((column) => [column, former(column)]))] as const,
);

/** As they came: names have the numbers that they had there. */
const asTheyCame: Special = {
  ...usual,
  ...Object.fromEntries(
    numbersNames.map(([table, columns]) => [table, { ...usual[table as MovedTable], ...columns }]),
  ),
  projects: { last_name: '(select coalesce(max(id), 0) from temp.moved_names where project = t.id)' },
};

function former(column: string): string {
  return `coalesce((select id from temp.moved_names where number = t.${column}), 0)`;
}

/**
 * A database that takes the place of none in a data folder, as a whole and with `finish`; whatever ends before leaves a draft
 * that nobody uses, and that the next one begins anew.
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
    return new SqliteTarget(db, replacement);
  } catch (error) {
    replacement.release();
    throw error;
  }
}

class SqliteTarget implements MoveTarget {
  readonly #db: Connection;
  readonly #replacement: Replacement;
  readonly #numbers: NameNumbers;
  #viewRows = 0;

  constructor(db: Connection, replacement: Replacement) {
    this.#db = db;
    this.#replacement = replacement;
    migrate(db);
    define(db);
    // Those that a new database begins with.
    db.exec('delete from administrator');
    this.#numbers = new NameNumbers(db);
  }

  async add(table: MovedTable, rows: MovedRow[]): Promise<void> {
    const writing = this.#writingOf(table);
    const columns = Object.keys(writing).filter((column) => writing[column]);
    const insert = this.#db.prepare(
      `insert into main.${table} (${columns}) values (${columns.map(() => '?')})`,
    );
    const addAll = this.#db.transaction(() => {
      for (const cells of rows) {
        const row = toRow(table, cells);
        insert.run(...columns.map((column) => writing[column]?.(row)));
      }
    });
    try {
      addAll();
    } catch (error) {
      throw withTrouble(error, this.#db.name);
    }
  }

  *read(table: MovedTable): Generator<MovedRow[]> {
    const formerly = this.#formerlyIn(table);
    for (const rows of readRows(this.#db, table, asTheyCame)) {
      yield formerly ? rows.map(formerly) : rows;
    }
  }

  /** Of tables with lists of names: a row as it came. */
  #formerlyIn(table: MovedTable): ((cells: MovedRow) => MovedRow) | undefined {
    const rewrite = (cells: MovedRow, column: string, former: (list: string) => MovedCell) => {
      const place = Object.keys(movedColumns(table)).indexOf(column);
      const cell = cells[place] ?? null;
      return cell === null ? cells : cells.with(place, former(cell));
    };
    if (table === 'seen') return (cells) => rewrite(cells, 'sightings', (list) => this.#formerly(list));
    const formerOf = (name: number) => this.#numbers.formerOf(name);
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

  async finish(): Promise<void> {
    const missing = this.#db.pragma('foreign_key_check') as unknown[];
    if (missing.length > 0) throw new StoreError('damaged', 'What was moved names rows that are not there.');
    this.#db.close();
    this.#replacement.useDraft();
  }

  close(): void {
    this.#db.close();
    this.#replacement.release();
  }

  #writingOf(table: MovedTable): Writing {
    const same = Object.keys(movedColumns(table)).map((column) => [
      column,
      (row: Row) => row[column] ?? null,
    ]);
    const renumbered = (declared(table)?.nameColumns ?? []).map((column) => [column, this.#renumber(column)]);
    return { ...Object.fromEntries([...same, ...renumbered]), ...this.#special()[table] };
  }

  #renumber(column: string): (row: Row) => Stored {
    return (row) => BigInt(this.#numbers.numberOf(row.project as bigint, row[column] as bigint));
  }

  #special(): { [Table in MovedTable]?: Writing } {
    const projectOf = this.#projectOf('days');
    const projectOfLog = this.#projectOf('logs');
    return {
      projects: { last_name: undefined },
      names: { searchable: undefined },
      name_takers: {
        taker: ({ kind, taker }) => (kind === 'client' ? (taker ?? null) : BigInt(String(taker))),
      },
      seen: {
        sightings: ({ day, sightings }) =>
          bytesOfSightings(this.#renumbered(projectOf(day as bigint), String(sightings))),
      },
      visit_views: {
        visitors: undefined,
        number: () => BigInt(++this.#viewRows),
        views: ({ day, visitors, views }) =>
          bytesOfMovedViews(String(visitors), String(views), (path) =>
            this.#numbers.numberOf(projectOf(day as bigint), BigInt(path)),
          ),
        origins: ({ day, origins }) =>
          typeof origins === 'string'
            ? bytesOfMovedOrigins(origins, (name) =>
                this.#numbers.numberOf(projectOf(day as bigint), BigInt(name)),
              )
            : null,
      },
      log_days: {
        sums: ({ log, sums }) =>
          renumberViews(sums as Uint8Array, (name) =>
            this.#numbers.numberOf(projectOfLog(log as bigint), BigInt(name)),
          ),
      },
      turns: { record: ({ record }) => JSON.stringify([record]) },
    };
  }

  /** Of rows of a table, by their ids. */
  #projectOf(table: 'days' | 'logs'): (id: bigint) => bigint {
    const projects = new Map<bigint, bigint>();
    const find = this.#db
      .prepare<[bigint], bigint>(`select project from ${table} where id = ?`)
      .pluck()
      .safeIntegers();
    return (id) => {
      const project = projects.get(id) ?? find.get(id) ?? 0n;
      projects.set(id, project);
      return project;
    };
  }

  #renumbered(project: bigint, sightings: string): number[] {
    return parseSightings(sightings).map(
      (one) => this.#numbers.numberOf(project, BigInt(Math.floor(one / 4))) * 4 + (one & 3),
    );
  }

  #formerly(sightings: MovedCell): MovedCell {
    const former = parseSightings(String(sightings)).map(
      (one) => this.#numbers.formerOf(Math.floor(one / 4)) * 4 + (one & 3),
    );
    return `{${former.sort((a, b) => a - b)}}`;
  }
}

function toRow(table: MovedTable, cells: MovedRow): Row {
  const types = Object.entries(movedColumns(table));
  return Object.fromEntries(types.map(([column, type], i) => [column, parseCell(type, cells[i] ?? null)]));
}

function parseCell(type: string, cell: MovedCell): Stored {
  if (cell === null) return null;
  if (type === 'int' || type === 'bigint') return BigInt(cell);
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

/** A sighting has room for so many, with two bits for kinds. */
const maxNames = 2 ** 30;
/** Some 20 MB of them. */
const maxRemembered = 200_000;

/** Numbers that names get here, where they are numbered over all projects, by those that they had in their project. */
export class NameNumbers {
  readonly #add: Statement<[bigint, bigint]>;
  readonly #find: Statement<[bigint, bigint], number>;
  readonly #findFormer: Statement<[number], number>;
  readonly #known = new Map<string, number>();
  readonly #former = new Map<number, number>();

  /** @param db gets a table that is not of the database itself */
  constructor(db: Connection) {
    db.exec(`create temp table moved_names (
      number integer primary key, project integer not null, id integer not null, unique (project, id)) strict`);
    this.#add = db.prepare('insert into temp.moved_names (project, id) values (?, ?)');
    this.#find = db
      .prepare<[bigint, bigint], number>('select number from temp.moved_names where project = ? and id = ?')
      .pluck();
    this.#findFormer = db
      .prepare<[number], number>('select id from temp.moved_names where number = ?')
      .pluck();
  }

  /** 0 is no name, and stays so. A name may be asked for before it comes. @throws StoreError where there are too many */
  numberOf(project: bigint, id: bigint): number {
    if (id === 0n) return 0;
    const key = `${project} ${id}`;
    const known = this.#known.get(key) ?? this.#find.get(project, id);
    const number = known ?? Number(this.#add.run(project, id).lastInsertRowid);
    if (number >= maxNames) throw tooMany();
    remember(this.#known, key, number);
    return number;
  }

  /** The number that it had in its project. */
  formerOf(number: number): number {
    if (number === 0) return 0;
    const former = this.#former.get(number) ?? this.#findFormer.get(number) ?? 0;
    remember(this.#former, number, former);
    return former;
  }
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
