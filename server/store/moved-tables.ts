import { declared, movedColumns, movedTables, tablesOfDays } from '../database/tables/tables.ts';

/** A value as PostgreSQL writes it as text. */
export type MovedCell = string | null;

export type MovedRow = readonly MovedCell[];

export type MovedTable = string;

/** As many as fit into memory. */
export const rowsAtATime = (table: MovedTable) => (declared(table)?.isLarge ? 20 : 5_000);

export const movedTableNames = movedTables.map(({ name }) => name);

/** A table without what is of days that have ended, which is of no use any more. */
export function withoutEnded(table: MovedTable): string {
  if (table === 'days') return '(select * from days where salt is not null)';
  if (table === 'log_days')
    return `(select ${Object.keys(movedColumns(table)).map(ofActiveDay)} from log_days)`;
  return tablesOfDays.some(({ name }) => name === table)
    ? `(select * from ${table} where day in (select id from days where salt is not null))`
    : table;
}

/** Whom a log counted is of use on an active day. */
function ofActiveDay(column: string): string {
  return declared('log_days')?.visitorColumns?.includes(column)
    ? `case when day_id in (select id from days where salt is not null) then ${column} end as ${column}`
    : column;
}

/** Columns that are read in another way than as they are, by tables, of which a row is `t`. */
export type Special = Readonly<Record<MovedTable, Readonly<Record<string, string>>>>;

/** The last name that each project still has. */
export const lastNames = {
  projects: { last_name: '(select coalesce(max(id), 0) from names where project = t.id)' },
};

/** All that a database keeps, while nobody else uses it. */
export interface MoveSource {
  /** Of the key that all is encrypted with; null: that is not known here. */
  readonly instance: string | null;
  /** Rows in no particular order, some at a time. */
  read(table: MovedTable): AsyncIterable<MovedRow[]> | Iterable<MovedRow[]>;
  close(): Promise<void> | void;
}

/** An empty database, which no server uses until `finish`. */
export interface MoveTarget extends Omit<MoveSource, 'instance'> {
  add(table: MovedTable, rows: MovedRow[]): Promise<void>;
  /** @param instance of the key that all is encrypted with; undefined: there is none */
  finish(instance: string | undefined): Promise<void>;
}
