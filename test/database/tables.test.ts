import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sqliteTypes, type Table } from '../../server/database/tables/table.ts';
import { belongingTo, tables } from '../../server/database/tables/tables.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { migrate } from '../../server/store/sqlite/schema.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { postgresSchemas, rowsOfAll } from '../support/releases/postgres-schemas.ts';
import { readReleased, releasedSchemas } from '../support/releases/released.ts';
import {
  dropDatabase,
  hasPostgres,
  makeDatabase,
  makeEmptyDatabase,
  runIn,
} from '../support/store/shared-postgres.ts';

/** What a table is made of, in one form for the declared and the migrated ones. */
interface Shape {
  columns: string[];
  key: string[];
  references: string[];
  indexes: string[];
}

type Engine = 'sqlite' | 'postgres';

/** As it is declared. */
function declared(table: Table, engine: Engine): Shape {
  const own = table[engine];
  const columns = Object.entries({ ...table.columns, ...table.own, ...own?.columns });
  const typeOf = (type: string) => {
    const plain = type.replace('?', '') as keyof typeof sqliteTypes;
    return engine === 'sqlite' ? sqliteTypes[plain] : plain.replace('packed ', '');
  };
  const key = own?.key ?? table.key ?? [];
  return {
    columns: columns.map(([name, type]) => `${name} ${typeOf(type)}${type.endsWith('?') ? '?' : ''}`).sort(),
    key: [...key],
    references: Object.entries({ ...table.references, ...own?.references })
      .map(([column, parent]) => `${column} > ${parent}`)
      .sort(),
    indexes: [...(table.indexes ?? []), ...(own?.indexes ?? [])].sort(),
  };
}

const declaredBy = (engine: Engine) =>
  Object.fromEntries(
    tables
      .filter((table) => table.engine === undefined || table.engine === engine)
      .map((table) => [table.name, declared(table, engine)]),
  );

/** `create unique index a on b (c) where d` as it is declared. */
function indexOf(sql: string): string {
  const [, unique = '', rest = ''] =
    /^create (unique )?index [\s\S]*? on [\s\S]*?\(([\s\S]*)$/i.exec(sql) ?? [];
  return `${unique}${rest}`
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/::text(\[\])?/g, '')
    .replace(/ = any \(array\[([^\]]*)\]\)/g, ' in <$1>')
    .replace(/ in \(([^)]*)\)/g, ' in <$1>')
    .replace(
      /^(unique )?(.*?)\)( where .*)?$/,
      (_, unique = '', columns, where = '') => `${unique}${columns}${where.replace(/[()]/g, '')}`,
    )
    .replace(/ in <([^>]*)>/g, ' in ($1)');
}

function readSqlite(db: Database.Database): Record<string, Shape> {
  const names = db
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .pluck()
    .all();
  const rows = <Row>(sql: string, table: string) => db.prepare<[string], Row>(sql).all(table);
  const shapes = names.map((name) => {
    const columns = rows<{ name: string; type: string; isSet: number; place: number }>(
      'select name, type, "notnull" or pk > 0 as isSet, pk as place from pragma_table_info(?)',
      name,
    );
    const unique = rows<{ columns: string }>(
      `select (select group_concat(name, ', ') from (select name from pragma_index_info(l.name) order by seqno)) as columns
       from pragma_index_list(?) l where origin = 'u'`,
      name,
    );
    const made = rows<{ sql: string }>(
      "select sql from sqlite_schema where type = 'index' and sql is not null and tbl_name = ?",
      name,
    );
    const references = rows<{ reference: string }>(
      `select group_concat("from", ', ') || ' > ' || "table" as reference
       from pragma_foreign_key_list(?) group by id`,
      name,
    );
    const shape: Shape = {
      columns: columns
        .map((one) => `${one.name} ${one.type === 'ANY' ? 'TEXT' : one.type}${one.isSet ? '' : '?'}`)
        .sort(),
      key: columns
        .filter(({ place }) => place > 0)
        .sort((a, b) => a.place - b.place)
        .map((column) => column.name),
      references: references.map(({ reference }) => reference).sort(),
      indexes: [
        ...unique.map((one) => `unique ${one.columns}`),
        ...made.map(({ sql }) => indexOf(sql)),
      ].sort(),
    };
    return [name, shape] as const;
  });
  return Object.fromEntries(shapes);
}

const isTable = `relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;

async function readPostgres(url: string): Promise<Record<string, Shape>> {
  const rows = await runIn<Shape & { name: string; made: string[] }>(
    url,
    `select relname as name,
       array(select attname || ' ' || case format_type(atttypid, atttypmod)
           when 'integer' then 'int' when 'integer[]' then 'int[]' when 'timestamp with time zone' then 'timestamptz'
           else format_type(atttypid, atttypmod) end || case when attnotnull then '' else '?' end
         from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
       array(select attname::text from pg_index i, unnest(i.indkey) with ordinality k (number, place)
           join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
         where i.indrelid = c.oid and i.indisprimary order by place) as key,
       array(select array_to_string(array(select attname from unnest(conkey) n join pg_attribute a
           on a.attrelid = c.oid and a.attnum = n), ', ') || ' > ' || confrelid::regclass
         from pg_constraint where conrelid = c.oid and contype = 'f') as references,
       array(select pg_get_indexdef(indexrelid) from pg_index i where indrelid = c.oid and not indisprimary) as made
     from pg_class c where ${isTable}`,
  );
  return Object.fromEntries(
    rows.map(({ name, made, ...shape }) => [
      name,
      {
        columns: shape.columns.sort(),
        key: shape.key,
        references: shape.references.sort(),
        indexes: made.map(indexOf).sort(),
      },
    ]),
  );
}

/** All else that a PostgreSQL has of tables and functions. */
const describePostgres = (url: string) =>
  runIn<{ kind: string; name: string; text: string }>(
    url,
    `select * from (
       select 'column' as kind, c.relname || '.' || attname as name,
         concat_ws(' ', format_type(atttypid, atttypmod), attcollation::regcollation, attidentity, attnotnull,
           pg_get_expr(adbin, adrelid)) as text
       from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
         left join pg_attrdef d on d.adrelid = c.oid and d.adnum = attnum
       where ${isTable}
       union all
       select 'options', relname, concat_ws(' ', relpersistence, reloptions) from pg_class c where ${isTable}
       union all
       select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
       from pg_index join pg_class c on c.oid = indrelid where ${isTable}
       union all
       select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(o.oid)
       from pg_constraint o join pg_class c on c.oid = conrelid where ${isTable}
       union all
       select 'function', oid::regprocedure::text, pg_get_functiondef(oid)
       from pg_proc where pronamespace = 'public'::regnamespace
       union all
       select 'version', '', version || ' ' || functions from headcount_schema
     ) all_of_it order by kind, name`,
  );

describe('tables are as they are declared', () => {
  test('in a new database of SQLite', () => {
    const db = new Database(':memory:');
    migrate(db);
    expect(readSqlite(db)).toEqual(declaredBy('sqlite'));
    db.close();
  });

  test.each(releasedSchemas)('in a database of SQLite that had schema %s', (schema) => {
    const db = new Database(readReleased(schema));
    migrate(db);
    expect(readSqlite(db)).toEqual(declaredBy('sqlite'));
    db.close();
  });

  describe('in a database of PostgreSQL', () => {
    let url: string | undefined;
    let fresh: Awaited<ReturnType<typeof describePostgres>>;
    let shapes: Record<string, Shape>;
    beforeAll(async () => {
      if (!(await hasPostgres())) return;
      const made = await makeDatabase();
      fresh = await describePostgres(made);
      shapes = await readPostgres(made);
      await dropDatabase(made);
    });
    beforeEach(async (context) => {
      if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
    });
    afterEach(async () => {
      if (url !== undefined) await dropDatabase(url);
      url = undefined;
    });

    test('whose days take all rows of theirs with them, but visitors, which go with partitions', () => {
      const folder = join(import.meta.dirname, '../../server/store/postgres/functions');
      const deleted = readFileSync(join(folder, 'forget_days.sql'), 'utf8').matchAll(
        /^ *delete from (\w+)/gm,
      );
      const names = belongingTo('days', 'postgres').map(({ name }) => name);
      expect(Array.from(deleted, ([, name]) => name).sort()).toEqual(
        ['days', ...names.filter((name) => name !== 'seen')].sort(),
      );
    });

    test('that is new', () => {
      expect(shapes).toEqual(declaredBy('postgres'));
    });

    test.each(postgresSchemas)('that had schema $number, and keeps its rows', async ({ statements }) => {
      url = await makeEmptyDatabase();
      await runIn(url, statements);
      const before = await rowsOfAll(url);
      await (await openPostgresStore(url)).close();
      const names = new Set(fresh.map(({ kind, name }) => `${kind} ${name}`));
      // Nodes of the release before may call functions that are no more.
      const found = await describePostgres(url);
      expect(found.filter(({ kind, name }) => kind !== 'function' || names.has(`${kind} ${name}`))).toEqual(
        fresh,
      );
      const after = await rowsOfAll(url);
      for (const [table, rows] of Object.entries(before)) {
        expect({ table, rows: after[table] }).toMatchObject({ table, rows });
      }
    });
  });
});
