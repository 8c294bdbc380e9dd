/** What a statement is given for its `$1`, `$2`, …; JSON is given as text. */
export type SqlValue = string | number | bigint | boolean | null | Uint8Array | readonly SqlValue[];

/**
 * A database, whichever engine it is: each statement is written once, in the SQL that both speak, and takes the few words in
 * which they differ from `dialect`.
 */
export interface Sql {
  readonly dialect: Dialect;
  /**
   * Answers the rows. The text is a constant: it is prepared once on each connection, and kept. A `bigint` comes as a number;
   * what may not fit into one, such as a visitor, PostgreSQL selects as `text`, or in an array, which comes as BigInts.
   */
  query<Row extends object>(text: string, values?: readonly SqlValue[]): Promise<Row[]>;
  /**
   * All of it or nothing. It may run several times, as PostgreSQL repeats it where it gets into the way of others. On SQLite
   * nothing may be awaited in it but statements: other work of the thread would become part of it.
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
  /** An exclusive lock until the end of the transaction. SQLite writes one transaction at a time anyway. */
  lock(what: Lock, id: number): Promise<void>;
  /** Milliseconds since 1970 by the clock that all processes share, or those that are handed in. To be read when locks are held. */
  now(handed: number | null): Promise<number>;
  /**
   * Notifies listeners once the transaction is committed: with SQLite only in this process; others poll (`Changes`).
   */
  notify(text: string): Promise<void>;
}

/** The words in which the engines differ. A truth is a number on SQLite: see `Boolean`. */
export interface Dialect {
  /** At the end of a `select`: locks these rows against changes until the transaction ends. */
  readonly forUpdate: string;
  /** The same, only against deletion. */
  readonly forKeyShare: string;
  /** As `forUpdate`, of a table by its name in the statement, without rows that another transaction is changing. */
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

/** Where statements go: each in a transaction of its own, or all in one. */
export type Queryable = Pick<Sql, 'query'>;

/** Whether a statement answers a row: it has found, or changed, something. */
export async function has(db: Queryable, ...statement: Parameters<Queryable['query']>): Promise<boolean> {
  return (await db.query(...statement)).length > 0;
}
