import { movedColumns, movedTables, tablesOfDays } from '../../../database/tables/tables.ts';
import {
  type MovedCell,
  type MovedRow,
  type MovedTable,
  type MoveTarget,
  movedTableNames,
  type Special,
} from '../../moved-tables.ts';
import { StoreError } from '../../store.ts';
import type { Database } from '../database.ts';
import { leaveInstance } from '../nodes/shared-key.ts';
import { bringUpToDate } from '../schema.ts';
import { openDatabase } from '../store.ts';
import { readRows } from './rows.ts';

/** Sums stand in slots and shards, which only this engine has. */
const ofSums = Object.fromEntries(
  movedTables
    .filter(({ sums }) => sums)
    .map(({ name }) => [name, { shard: 'x.project::int & 63', slot: '0' }]),
);
/** What this installation changed last. */
const ofChanges = Object.fromEntries(
  movedTables.filter(({ own }) => own?.changed).map(({ name }) => [name, { changed: '1' }]),
);

/** What a row has besides what was moved, by what was: `x`. */
const additions: Special = {
  ...ofSums,
  ...ofChanges,
  projects: { closed_through: 'x.sealed_through::int', ...ofChanges.projects },
  days: { bin: 'bin_of(x.day::int)', buckets: '1' },
  seen: { shard: 'd.project & 63', bin: 'd.bin' },
  visit_views: { shard: 'd.project & 63' },
};

/** A new database has none of these rows. */
const filled = movedTableNames.map((name) =>
  name === 'administrator'
    ? '(select 1 from administrator where password is not null)'
    : `(select 1 from ${name} limit 1)`,
);

/**
 * An empty PostgreSQL, marked as one that is not whole until `finish`. What an earlier move left behind is deleted.
 *
 * @throws StoreError `in_use` where it is not empty, or somebody else has it open
 */
export async function openPostgresTarget(url: string): Promise<MoveTarget> {
  const database = openDatabase(url);
  try {
    await bringUpToDate(database);
    await take(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    read: (table) => read(database, table),
    add: (table, rows) => add(database, table, rows),
    finish: (instance) => finish(database, instance),
    close: () => database.close(),
  };
}

async function take(database: Database): Promise<void> {
  await database.transaction(async (session) => {
    await session.query('lock table moving in exclusive mode');
    const others = await session.query(
      `select from pg_stat_activity
       where datname = current_database() and application_name like 'headcount%' and pid <> pg_backend_pid()`,
    );
    if (others.length > 0)
      throw inUse(`Somebody has the database ${database.name} open: stop all servers first.`);
    const moving = await session.query('select from moving');
    if (moving.length === 0) {
      const kept = await session.query(filled.join(' union all '));
      if (kept.length > 0) {
        throw inUse(
          `The database ${database.name} is not empty: it holds a Headcount already. Name an empty one.`,
        );
      }
      await session.query('insert into moving default values');
    }
    await session.query(emptyAll);
  });
}

/** Which tables there are stands in the database; a `do` takes no values. */
const emptyAll = `do $$ begin
  execute (select 'truncate ' || string_agg(oid::regclass::text, ', ') from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in ('headcount_schema', 'versions', 'moving', 'shards'));
end $$`;

/** Numbers that the database gives begin behind those that came. */
const raiseIdentities = `do $$ declare c record; begin
  for c in select attrelid::regclass as name, attname as column from pg_attribute join pg_class on oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and attidentity <> ''
  loop
    execute format('select setval(pg_get_serial_sequence(%L, %L), max(%I)) from %s having max(%I) is not null',
      c.name, c.column, c.column, c.name, c.column);
  end loop;
end $$`;

function inUse(message: string): StoreError {
  return new StoreError('in_use', `${message} Nothing was changed.`);
}

async function add(database: Database, table: MovedTable, rows: MovedRow[]): Promise<void> {
  const columns = Object.entries(movedColumns(table));
  const added = Object.entries(additions[table] ?? {});
  const names = [...columns, ...added].map(([name]) => name);
  const isPlacedByDay =
    'shard' in (additions[table] ?? {}) && tablesOfDays.some(({ name }) => name === table);
  const values = columns.map(([name, type]) =>
    type === 'text[]' ? `array[x.${name}]` : `x.${name}::${type}`,
  );
  const given = columns.map((_, i) => `$${i + 1}::text[]`);
  await database.query(
    `insert into ${table} (${names}) overriding system value
     select ${[...values, ...added.map(([, value]) => value)]}
     from unnest(${given}) x (${columns.map(([name]) => name)}) ${isPlacedByDay ? 'join days d on d.id = x.day::int' : ''}`,
    columns.map((_, i) => rows.map((row) => row[i] as MovedCell)),
  );
  if (table === 'days')
    await database.query('select make_bin(bin) from (select distinct bin from days) bins');
}

async function* read(database: Database, table: MovedTable): AsyncGenerator<MovedRow[]> {
  const connection = await database.connect();
  try {
    await connection.run('begin isolation level repeatable read read only');
    yield* readRows(connection, table, { turns: { record: 'record[1]' } });
  } finally {
    await connection.close();
  }
}

async function finish(database: Database, instance: string | undefined): Promise<void> {
  await database.transaction(async (session) => {
    await session.query(raiseIdentities);
    await session.query('select tidy_bins()');
    if (instance !== undefined) await leaveInstance(session, instance);
    await session.query('update versions set version = version + 1');
    await session.query('delete from moving');
  });
}
