import { DatabaseError } from 'pg';
import {
  declared,
  movedColumns,
  movedRows,
  movedTables,
  rowsAtATime,
  tablesOfDays,
} from '../../database/tables/tables.ts';
import { parseRecord } from '../jobs/job-rows.ts';
import { StoreError } from '../store.ts';
import type { MovedCell, MovedRow, MoveSource, MoveTarget } from '../store-files.ts';
import { type Connection, readInParts } from './connection.ts';
import { daySealing } from './counts/sealing.ts';
import type { Database } from './database.ts';
import { bringUpToDate, holdForMove, leaveInstance, requireWhole } from './schema.ts';
import { dialect, listOf } from './sql.ts';
import { openDatabase } from './store.ts';
import { withTrouble } from './trouble.ts';

/** Reads a table in a transaction. */
export async function* readRows(
  connection: Connection,
  table: string,
  special: Special = {},
): AsyncGenerator<MovedRow[]> {
  const added = declared(table)?.sums ?? [];
  const types = movedColumns(table);
  const columns = Object.keys(types);
  const cells = columns.map((column) => {
    const value = special[table]?.[column] ?? `t.${column}`;
    if (isList(types[column])) return dialect.listAsJson(value);
    return `(${added.includes(column) ? `sum(${value})` : value})::text`;
  });
  const keys = columns.filter((column) => !added.includes(column)).map((column) => `t.${column}`);
  const parts = readInParts<{ cells: MovedCell[] }>(connection, {
    name: `moved_${table}`,
    sql: `select array[${cells}]::text[] as cells from ${movedRows(table)} t ${added.length > 0 ? `group by ${keys}` : ''}`,
    rowsAtATime: rowsAtATime(table),
  });
  for await (const rows of parts) yield rows.map((row) => row.cells);
}

/** As JSON. */
const isList = (type = '') => type.endsWith('[]') && !type.startsWith('packed');

/** Columns that are read or written in another way than as they are, by tables, of which a row is `t`. */
type Special = Readonly<Record<string, Readonly<Record<string, string>>>>;

const special: Special = {
  projects: declared('projects')?.postgres?.moves ?? {},
  seen: { sightings: '(select array_agg(s order by s) from unnest(t.sightings) s)' },
  turns: {
    next_message:
      '(select coalesce(max(position) + 1, 0) from messages m where m.job = t.job and m.turn = t.number)',
  },
};

/**
 * A PostgreSQL, held so that no other process uses it; nothing of it is changed but that it is brought up to date as by
 * any command, and that days are sealed whose sealing was begun.
 *
 * @throws StoreError `missing`, `in_use`, `newer`, `unusable`
 */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  await prepare(url);
  const database = openDatabase(url);
  // All is read on the connection that holds it.
  let held: Connection | undefined;
  try {
    const connection = await database.connect();
    held = connection;
    await take(connection, database.name);
    const [key] = await connection.query<{ instance: string }>('select instance from secret_key');
    return {
      instance: key?.instance ?? null,
      read: (table) => read(connection, table, database.name),
      close: async () => {
        // Waits until the database has closed it, so that the next one is not refused.
        await connection.close();
        await database.close();
      },
    };
  } catch (error) {
    held?.destroy();
    await database.close();
    throw withTrouble(error, database.name);
  }
}

/** On connections of its own, as a held database takes no others. */
async function prepare(url: string): Promise<void> {
  const database = openDatabase(url);
  try {
    await bringUpToDate(database, true);
    await requireWhole(database);
    await finishSealing(database);
  } finally {
    await database.close();
  }
}

/** A day without a salt has left the open days, and is in no block yet. */
async function finishSealing(database: Database): Promise<void> {
  const begun = await database.query<{ projectId: string; through: number; keepsHours: boolean }>(
    `select public_id as "projectId", closed_through as through,
       settings ->> 'keepHoursDays' is not null as "keepsHours" from projects p
     where closed_through > coalesce(sealed_through, -2147483648)
       or exists (select from days d where d.project = p.id and d.salt is null and d.forget_at is null)`,
  );
  const sealing = daySealing(database);
  for (const { projectId, through, keepsHours } of begun) {
    // The new database deletes those that are too old.
    await sealing.seal(projectId, through, keepsHours ? 0 : null);
  }
}

async function take(connection: Connection, name: string): Promise<void> {
  await holdForMove(connection, name);
  await connection.run('begin isolation level repeatable read');
  await connection.run(`set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '10s'`);
  try {
    // Before anything is read, so that nothing changes later; a process that reconnects waits.
    await connection.run(`lock table ${movedTables.map((one) => one.name)}, pending_counts in share mode`);
    // Taken back at the end, as all of this transaction.
    await connection.run('select fold_all()');
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== '55P03') throw error;
    throw new StoreError(
      'in_use',
      `Somebody changes the database ${name}: stop that first. Nothing was changed.`,
    );
  }
}

async function* read(connection: Connection, table: string, name: string): AsyncGenerator<MovedRow[]> {
  try {
    for await (const rows of readRows(connection, table, special))
      yield rows.map((cells) => asWritten(table, [...cells]));
  } catch (error) {
    throw withTrouble(error, name);
  }
}

/** JSON as it is written in one go, so that both sides have the same. */
function asWritten(table: string, cells: MovedCell[]): MovedRow {
  const names = Object.keys(movedColumns(table));
  const change = (column: string, to: (cell: string) => MovedCell) => {
    const place = names.indexOf(column);
    const cell = cells[place];
    if (typeof cell === 'string') cells[place] = to(cell);
  };
  if (table === 'jobs') {
    change('failure', (json) => {
      const { code, message } = JSON.parse(json) as { code: string; message: string };
      return JSON.stringify({ code, message });
    });
  }
  if (table === 'turns') {
    const record = parseRecord(cells[names.indexOf('record')] as string);
    change('record', () => JSON.stringify([JSON.stringify(record)]));
    cells[names.indexOf('branch')] = record.branch ?? null;
    // What is no text a database of SQLite cannot hold.
    change('prompt', (json) => JSON.stringify((JSON.parse(json) as string).toWellFormed()));
  }
  return cells;
}

/** Sums are in slots and shards, which only this engine has. */
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
const filled = movedTables.map(({ name }) =>
  name === 'administrator'
    ? '(select 1 from administrator where password is not null)'
    : `(select 1 from ${name} limit 1)`,
);

/**
 * An empty PostgreSQL, marked as one that is not whole until `finish`. What an earlier move left behind is deleted.
 *
 * @throws StoreError `in_use` where it is not empty, or another process has it open
 */
export async function openPostgresTarget(url: string): Promise<MoveTarget> {
  const database = openDatabase(url);
  try {
    await bringUpToDate(database);
    await takeEmpty(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    read: (table) => readBack(database, table),
    add: (table, rows) => add(database, table, rows),
    finish: (instance) => finish(database, instance),
    close: () => database.close(),
  };
}

async function takeEmpty(database: Database): Promise<void> {
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

/** The database has the list of tables; a `do` takes no values. */
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

async function add(database: Database, table: string, rows: MovedRow[]): Promise<void> {
  const columns = Object.entries(movedColumns(table));
  const added = Object.entries(additions[table] ?? {});
  const names = [...columns, ...added].map(([name]) => name);
  const isPlacedByDay =
    'shard' in (additions[table] ?? {}) && tablesOfDays.some(({ name }) => name === table);
  const values = columns.map(([name, type]) =>
    isList(type) ? listOf(`x.${name}`, type) : `x.${name}::${type.replace('packed ', '')}`,
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

async function* readBack(database: Database, table: string): AsyncGenerator<MovedRow[]> {
  const connection = await database.connect();
  try {
    await connection.run('begin isolation level repeatable read read only');
    yield* readRows(connection, table);
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
