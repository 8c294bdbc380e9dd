import type { Statement } from 'better-sqlite3';
import type { Dialect, Sql, SqlValue } from '../../database/sql.ts';
import type { Connection } from './connection.ts';
import { standInForHurt } from './damage.ts';
import { isDamage } from './trouble.ts';

export const dialect: Dialect = {
  // Only one transaction writes at a time.
  forUpdate: '',
  forKeyShare: '',
  skipLocked: () => '',
  listAsJson: (column) => column,
  append: (column, text) => `json_insert(${column}, '$[#]', ${text})`,
  jsonRows: (object, order) => `json_group_array(json_object(${object}) order by ${order})`,
  isOneOf: (list) => `in (select value from json_each(${list}))`,
  rows: (list, columns) => {
    const selected = Object.keys(columns).map((column) => `value ->> '${column}' as "${column}"`);
    // Each object in the form that is read for its columns, which is not that of a text.
    return `(select ${selected.join(', ')} from jsonb_each(${list}))`;
  },
  list: (list) => `json_each(${list})`,
};

/**
 * A database of SQLite, in the thread that has it open.
 *
 * @param report is called with a notice after its commit
 * @param onDamage is called with what is hurt where reading goes on with the rest; left out: it does not go on
 */
export function sqliteSql(
  db: Connection,
  report: (notice: string) => void = () => undefined,
  onDamage?: (hurt: string) => void,
): Sql {
  const notices: string[] = [];
  const statements = new Map<string, Statement>();
  const prepare = (text: string) => {
    // With the plus nothing is planned by the value: SQLite would prepare the statement again each time one is bound.
    const known = statements.get(text) ?? db.prepare(text.replace(/\$(?=\d)/g, '+$'));
    statements.set(text, known);
    return known;
  };
  const inside: Sql = {
    dialect,
    query: async <Row extends object>(text: string, values: readonly SqlValue[] = []) => {
      const statement = prepare(text);
      const given = values.length > 0 ? [bound(values)] : [];
      if (statement.reader) return statement.all(...given) as Row[];
      statement.run(...given);
      return [];
    },
    transaction: (work) => work(inside),
    snapshot: (work) => work(inside),
    salvage: (_tables, work) => work(inside, []),
    lock: async () => undefined,
    now: async (handed) => handed ?? Date.now(),
    notify: async (text) => void notices.push(text),
  };
  const begun = async <T>(begin: string, work: (sql: Sql) => Promise<T>) => {
    prepare(begin).run();
    try {
      const result = await work(inside);
      prepare('commit').run();
      for (const notice of notices) report(notice);
      return result;
    } catch (error) {
      // Some failures have ended it already.
      if (db.inTransaction) db.exec('rollback');
      throw error;
    } finally {
      notices.length = 0;
    }
  };
  return {
    ...inside,
    transaction: (work) => begun('begin immediate', work),
    snapshot: (work) => begun('begin', work),
    salvage: async (tables, work) => {
      try {
        return await begun('begin', (read) => work(read, []));
      } catch (error) {
        if (!onDamage || !isDamage(error)) throw error;
        // Not in the transaction, which damage that is met may end.
        const { hurt, incomplete, remove } = standInForHurt(db, tables);
        if (hurt.length === 0) throw error;
        try {
          return await begun('begin', (read) => work(read, incomplete));
        } finally {
          remove();
          onDamage(hurt.join(', '));
        }
      }
    },
  };
}

/** For the names of what can be asked, where nothing is. */
export const noSql = { dialect } as Sql;

/** `$1` is a name to SQLite. */
export function bound(values: readonly SqlValue[]): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [i, value] of values.entries()) given[i + 1] = stored(value);
  return given;
}

function stored(value: SqlValue): unknown {
  if (typeof value === 'boolean') return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : value;
}
