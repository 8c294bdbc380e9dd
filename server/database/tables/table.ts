/** Types of columns as PostgreSQL calls them; SQLite has fewer, see `sqliteTypes`. A `?` behind one: it may be null. */
type Type =
  | 'int'
  | 'smallint'
  | 'bigint'
  | 'boolean'
  | 'text'
  | 'json'
  | 'bytea'
  | 'int[]'
  | 'bigint[]'
  | 'text[]'
  | 'uuid'
  | 'timestamptz';

export type ColumnType = Type | `${Type}?`;
export type Columns = Readonly<Record<string, ColumnType>>;

/** What one engine has besides. */
interface Additions {
  columns?: Columns;
  /** In place of the common key. */
  key?: readonly string[];
  references?: Readonly<Record<string, string>>;
  belongs?: Readonly<Record<string, string>>;
  indexes?: readonly string[];
}

interface PostgresAdditions extends Additions {
  /** Of these columns, those that SQLite works out from others: they are moved, too. */
  moves?: readonly string[];
  /** The server's user has to own it: to make, attach, truncate, vacuum and drop parts of it. */
  owned?: true;
}

/** How rows stand in the archive of a project, where they do. */
export interface Archived {
  /** The type of their records. */
  type: string;
  /** As in SQL, where `t` is the table and `j` the job of a row. */
  order: string;
  /**
   * Fields of a record, in their order, each of a column of its name or of the one named; behind a colon the form that it
   * has there: `date` of days, `time` of milliseconds, `json` of a text that is JSON, `hex` or `base64` of bytes, `what` and `tally` of
   * their numbers.
   */
  fields: Readonly<Record<string, string>>;
}

export interface Table {
  name: string;
  /** What both engines have, and what is moved from one to the other. */
  columns: Columns;
  /** The primary key; none: rows are told apart by a unique index. */
  key?: readonly string[];
  /** Columns that refer to the key of another table, whose rows take these with them. */
  references?: Readonly<Record<string, string>>;
  /** The same without a constraint: the statement that removes the other row removes these. */
  belongs?: Readonly<Record<string, string>>;
  /** Each as `unique project, reverts where reverts is not null`, as far as these words are there. */
  indexes?: readonly string[];
  /** What both have and each makes for itself. */
  own?: Columns;
  sqlite?: Additions;
  postgres?: PostgresAdditions;
  /** Columns that add up over rows whose others are the same: PostgreSQL has several such rows, in slots. */
  sums?: readonly string[];
  /** Columns that hold numbers of a project's names, which an engine may give other numbers than another; 0: none. */
  nameColumns?: readonly string[];
  /** A row may have a megabyte, so that few fit into memory. */
  isLarge?: true;
  /** A copy of the database never has its rows, or only one with visitors. */
  copied?: 'never' | 'with visitors';
  /** Columns that are null in a copy without visitors. */
  visitorColumns?: readonly string[];
  archive?: Archived;
  /** The only engine that has it. */
  engine?: 'sqlite' | 'postgres';
  /** Why a move leaves it out, for a table of both engines. */
  staysBecause?: string;
}

/** A table of the database. */
export const table = <const Name extends string, const T extends Omit<Table, 'name'>>(
  name: Name,
  rest: T,
) => ({
  name,
  ...rest,
});

export const sqliteTypes: Readonly<Record<Type, string>> = {
  ...{ int: 'INTEGER', smallint: 'INTEGER', bigint: 'INTEGER', boolean: 'INTEGER' },
  ...{ text: 'TEXT', json: 'TEXT', 'text[]': 'TEXT', uuid: 'TEXT', timestamptz: 'TEXT' },
  ...{ bytea: 'BLOB', 'int[]': 'BLOB', 'bigint[]': 'BLOB' },
};
