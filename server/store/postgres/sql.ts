import type { Dialect, Sql } from '../../database/sql.ts';
import type { Database } from './database.ts';
import type { Queryable } from './queryable.ts';

const dialect: Dialect = {
  forUpdate: 'for no key update',
  skipLocked: 'for no key update skip locked',
  jsonRows: (object, order) =>
    `coalesce(json_agg(json_build_object(${object}) order by ${order}), '[]')::text`,
  isOneOf: (list) => `= any (${list})`,
  rows: (list, columns) => {
    const types = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`);
    return `(select * from json_to_recordset(${list}::json) as given (${types.join(', ')}))`;
  },
};

/** A database of PostgreSQL. */
export function postgresSql(database: Database): Sql {
  return {
    ...within(database),
    transaction: (work) => database.transaction((db) => work(within(db))),
    snapshot: (work) => database.snapshot((db) => work(within(db))),
  };
}

/** What goes on in a transaction that was begun. */
export function within(db: Queryable): Sql {
  const sql: Sql = {
    dialect,
    query: (text, values) => db.query(text, values),
    transaction: (work) => work(sql),
    snapshot: (work) => work(sql),
    notify: async (text) => {
      await db.query(`select pg_notify('headcount', $1)`, [text]);
    },
  };
  return sql;
}
