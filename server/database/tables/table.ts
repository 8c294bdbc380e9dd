/** Numbers and the bounds that PostgreSQL sets them; of `bigint`, those that JavaScript has exactly. SQLite sets none. */
export const numberTypes = {
  smallint: [-(2 ** 15), 2 ** 15 - 1],
  int: [-(2 ** 31), 2 ** 31 - 1],
  bigint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
} as const;

type NumberType = keyof typeof numberTypes;

/**
 * Types of columns as PostgreSQL calls them; SQLite has fewer, see `sqliteTypes`: its lists are JSON. Of a `packed` list only the
 * code that counts knows the form there. A `?` behind one: it may be null.
 */
export type Type =
  | NumberType
  | `${'int' | 'bigint' | 'text' | 'packed int' | 'packed bigint'}[]`
  | 'boolean'
  | 'text'
  | 'json'
  | 'bytea';

export type Columns = Readonly<Record<string, Type | `${Type}?`>>;

/** A type and whether it may be null. */
export function parseType(declared = ''): { type: string; isNullable: boolean } {
  return { type: declared.replace('?', ''), isNullable: declared.endsWith('?') };
}

/** What one engine has besides. */
interface Additions {
  columns?: Columns;
  /** In place of the common key. */
  key?: readonly string[];
  references?: Readonly<Record<string, string>>;
  belongs?: Readonly<Record<string, string>>;
  indexes?: readonly string[];
}

interface PostgresAdditions extends Omit<Additions, 'columns'> {
  columns?: Readonly<Record<string, Columns[string] | 'uuid' | 'timestamptz'>>;
  /** Of these columns, those that are moved, too: by what SQLite works out for them, as SQL of a row `t`. */
  moves?: Readonly<Record<string, string>>;
  /** The server's user has to own it: to make, attach, truncate, vacuum and drop parts of it. */
  owned?: true;
}

/** The form of rows in the archive of a project, where they are in it. */
export interface Archived {
  /** The type of their records. */
  type: string;
  /** As in SQL, where `t` is the table and `j` the job of a row. */
  order: string;
  /**
   * Fields of a record, in their order, each of the column of its name (`createdAt` of `created_at`), or of the one behind `=`; behind
   * a colon the form that it has there: `date` of days, `time` of milliseconds, `json` of a text that is JSON, `hex` of bytes, which
   * are in base64 else, `what` and `counter` of their numbers. Others have the form of their type.
   */
  fields: string;
}

export interface Table {
  name: string;
  /** The columns of both engines, which are moved from one to the other. */
  columns: Columns;
  /** The primary key; none: rows are identified by a unique index. */
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
  ...{ text: 'TEXT', json: 'TEXT', 'int[]': 'TEXT', 'bigint[]': 'TEXT', 'text[]': 'TEXT' },
  ...{ bytea: 'BLOB', 'packed int[]': 'BLOB', 'packed bigint[]': 'BLOB' },
};
