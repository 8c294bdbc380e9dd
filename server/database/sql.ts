/** What a statement is given for its `$1`, `$2`, …; JSON is given as text. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array | readonly SqlValue[];

/**
 * A database, whichever engine it is: each statement is written once, in the SQL that both speak, and takes the few words in
 * which they differ from `dialect`.
 */
export interface Sql {
  readonly dialect: Dialect;
  /** Answers the rows. The text is a constant: it is prepared once on each connection, and kept. */
  query<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /**
   * All of it or nothing. It may run several times, as PostgreSQL repeats it where it gets into the way of others. On SQLite
   * nothing may be awaited in it but statements: whatever else the thread does meanwhile would be part of it.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Reads of one moment. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Reads that a server goes on with where a table is damaged, as far as the engine can.
   *
   * @param work is called with those of the tables that have lost rows
   */
  salvage<T>(
    tables: readonly string[],
    work: (sql: Sql, incomplete: readonly string[]) => Promise<T>,
  ): Promise<T>;
  /** Until the end of the transaction nobody else has this lock. SQLite writes one transaction at a time anyway. */
  lock(what: Lock, id: number): Promise<void>;
  /** Milliseconds since 1970 by the clock that all processes share, or those that are handed in. To be read when locks are held. */
  now(handed: number | null): Promise<number>;
  /** Tells whoever listens, once the transaction is committed: SQLite this process alone, so that others ask (`Changes`). */
  notify(text: string): Promise<void>;
}

/** The words in which the engines differ. A truth is a number on SQLite: see `Boolean`. */
export interface Dialect {
  /** At the end of a `select`: nobody else changes these rows before the transaction ends. */
  readonly forUpdate: string;
  /** The same: nobody else removes them. */
  readonly forKeyShare: string;
  /** As `forUpdate`, of a table by its name in the statement, without what somebody else is changing. */
  skipLocked(of: string): string;
  /** A column that is a list of texts: as a JSON list, as text. */
  listAsJson(column: string): string;
  /** The list with one text more. */
  append(column: string, text: string): string;
  /** A JSON list, as text, of an object (`'name', value, …`) for each row. */
  jsonRows(object: string, order: string): string;
  /** Behind a column: it is one of the list that is given. */
  isOneOf(list: string): string;
  /** A table of the objects of a JSON list that is given as text, to be named with `as`. */
  rows(list: string, columns: Readonly<Record<string, ColumnType>>): string;
  /** A table of the elements of a list, each as `value`, to be named with `as`. */
  list(list: string, type: ColumnType): string;
}

/** Requests of a project; claims of turns. */
export type Lock = 'requests' | 'claims';

export type ColumnType = 'text' | 'int' | 'bigint' | 'boolean';
