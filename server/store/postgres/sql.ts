import type { ColumnType, Dialect, Lock, Queryable, Sql } from '../../database/sql.ts';
import type { Connection } from './connection.ts';
import { type Database, inTransaction } from './database.ts';

/** Claims take 0, which no project has. */
const lockClasses: Record<Lock, number> = { requests: 4, claims: 4 };

/** Texts are in the order of code points, as columns are. */
const typeNames: Record<ColumnType, string> = {
  text: 'text collate "C"',
  int: 'int',
  bigint: 'bigint',
  boolean: 'boolean',
};

export const dialect: Dialect = {
  forUpdate: 'for no key update',
  forKeyShare: 'for key share',
  skipLocked: (of) => `for no key update of ${of} skip locked`,
  listAsJson: (column) => `array_to_json(${column})::text`,
  append: (column, text) => `${column} || cast(${text} as text)`,
  jsonRows: (object, order) =>
    `coalesce(json_agg(json_build_object(${object}) order by ${order}), '[]')::text`,
  isOneOf: (list) => `= any (${list})`,
  rows: (list, columns) => {
    const types = Object.entries(columns).map(([column, type]) => `"${column}" ${typeNames[type]}`);
    return `(select * from json_to_recordset(${list}::json) as given (${types.join(', ')}))`;
  },
  list: (list, type) => `(select * from unnest(${list}::${type}[]) as given (value))`,
};

/** A list of the type, of its JSON as text; null stays null. */
export function listOf(json: string, type: string): string {
  const elements = `json_array_elements_text((${json})::json)::${type.replace('[]', '')}`;
  return `case when ${json} is not null then array(select ${elements}) end`;
}

/**
 * A database of PostgreSQL.
 *
 * @param report is called with a notice after its commit; other processes get it through the database
 */
export function postgresSql(database: Database, report: (notice: string) => void = () => undefined): Sql {
  const sql: Sql = {
    ...within(database),
    transaction: async (work) => {
      let notices: string[] = [];
      const result = await database.transaction((db) => {
        notices = [];
        return work(within(db, notices));
      });
      for (const notice of notices) report(notice);
      return result;
    },
    snapshot: (work) => database.snapshot((db) => work(within(db))),
    salvage: (_tables, work) => work(sql, []),
  };
  return sql;
}

/** A connection by itself. */
export function alone(connection: Connection): Sql {
  const transaction: Sql['transaction'] = (work) =>
    inTransaction(connection, 'begin', (db) => work(within(db)));
  return { ...within(connection), transaction };
}

/** What goes on in a transaction that was begun; its notices are added to the list. */
export function within(db: Queryable, notices: string[] = []): Sql {
  const sql: Sql = {
    dialect,
    query: (text, values) => db.query(text, values),
    transaction: (work) => work(sql),
    snapshot: (work) => work(sql),
    salvage: (_tables, work) => work(sql, []),
    lock: async (what, id) => {
      await db.query('select pg_advisory_xact_lock($1, $2)', [lockClasses[what], id]);
    },
    now: async (handed) => {
      const [row] = await db.query<{ now: number }>('select store_clock($1) as now', [handed]);
      return row?.now as number;
    },
    notify: async (text) => {
      await db.query(`select pg_notify('headcount', $1)`, [text]);
      notices.push(text);
    },
  };
  return sql;
}
