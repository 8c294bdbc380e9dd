import { hash } from 'node:crypto';
import { has, type Queryable } from '../../database/sql.ts';
import { tables } from '../../database/tables/tables.ts';
import { listNumbered, listShipped, readShipped } from '../../files/shipped.ts';
import { program } from '../../process/program.ts';
import { StoreError } from '../store.ts';
import type { Connection } from './connection.ts';
import { type Database, inTransaction } from './database.ts';

const migrationsFolder = 'server/store/postgres/migrations';
const functionsFolder = 'server/store/postgres/functions';
const oldestServer = 15;
const firstWrittenAnew = 3;

const isForCitus = (file: string) => file.endsWith('.citus.sql');

/** Those that end with `.citus.sql` run where that extension is, and count as run elsewhere. */
const listMigrations = () => listNumbered(migrationsFolder);

/** Of all functions that a server calls. */
export function functionNames(): string[] {
  return readFunctions(true).names;
}

/** A function a file; files that end with `.citus.sql` come after all others where that extension is, and change these. */
function readFunctions(hasCitus: boolean): { names: string[]; text: string } {
  const files = listShipped(functionsFolder).sort();
  const used = files.filter((file) => !isForCitus(file)).concat(hasCitus ? files.filter(isForCitus) : []);
  return {
    names: used.map((file) => file.replace(/\..*/, '')),
    text: used.map((file) => String(readShipped(`${functionsFolder}/${file}`))).join('\n'),
  };
}

/** Of what a database is to have, and has. */
interface Schema {
  version: number;
  /** Of the text of the functions; null: they were never written completely. */
  functions: string | null;
}

type Wanted = Schema & ReturnType<typeof readFunctions>;

async function wantedSchema(connection: Connection): Promise<Wanted> {
  const read = readFunctions(await findCitus(connection));
  return { version: newestVersion(), functions: hash('sha256', read.text), ...read };
}

function newestVersion(): number {
  return listMigrations().at(-1)?.number ?? 0;
}

/**
 * Makes the tables, or brings them up to date; nodes of the version before may be at work meanwhile.
 *
 * @throws StoreError `newer` for those of a later version, `missing` where there have to be some, `unusable` for a server
 * that does not do
 */
export async function bringUpToDate(database: Database, mustExist = false): Promise<void> {
  await database.alone(async (connection) => {
    await requireServer(connection, database.name);
    const found = await knownSchema(connection, database.name);
    const wanted = await wantedSchema(connection);
    if (found.version === wanted.version && found.functions === wanted.functions) return;
    if (found.version === 0 && mustExist) throw nothingThere(database.name);
    await connection.run('select pg_advisory_lock(5, 0)');
    try {
      // Another node may have been quicker.
      const { version, functions } = await knownSchema(connection, database.name);
      if (version === wanted.version && functions === wanted.functions) return;
      await requireFunctions(connection, database.name, wanted.names);
      await inTransaction(connection, 'begin', () => migrate(connection, version, wanted));
    } finally {
      if (connection.isUsable) await connection.run('select pg_advisory_unlock(5, 0)');
    }
  });
}

/** For who may not bring it up to date. @throws StoreError for a database of another version */
export async function requireNewest(database: Database): Promise<void> {
  const { version } = await database.alone((connection) => knownSchema(connection, database.name));
  if (version === newestVersion()) return;
  if (version === 0) throw nothingThere(database.name);
  throw new StoreError(
    'unusable',
    `The database ${database.name} was written by an older Headcount (schema ${version}, this one has ${newestVersion()}): start the server or any other command once, which brings it up to date.`,
  );
}

function nothingThere(name: string): StoreError {
  return new StoreError(
    'missing',
    `There is nothing of Headcount in the database ${name}, and nothing was made: name the server's with HEADCOUNT_DATABASE_URL. The first start of a server makes its tables, and so does "${program} project add --name …".`,
  );
}

/** Of the tables, and the newest that is known here. */
export async function readVersions(database: Database): Promise<{ version: number; knownVersion: number }> {
  const { version } = await database.alone(readSchema);
  return { version, knownVersion: newestVersion() };
}

/** Version 0: there is nothing yet. */
async function readSchema(connection: Connection): Promise<Schema> {
  const [table] = await connection.query<{ isThere: boolean }>(
    `select to_regclass('headcount_schema') is not null as "isThere"`,
  );
  // Versions up to 30 had no column for the functions.
  const [row] = table?.isThere
    ? await connection.query<Schema>(
        "select version, to_jsonb(s) ->> 'functions' as functions from headcount_schema s",
      )
    : [];
  return row ?? { version: 0, functions: null };
}

/** @throws StoreError `newer` */
async function knownSchema(connection: Connection, name: string): Promise<Schema> {
  const found = await readSchema(connection);
  const { version } = found;
  const newest = newestVersion();
  if (version <= newest) {
    if (version >= firstWrittenAnew) await requireOwn(connection, name);
    return found;
  }
  throw new StoreError(
    'newer',
    `The database ${name} was written by a newer Headcount (schema ${version}, this one knows ${newest}): start that version.`,
  );
}

/** @throws StoreError for what development versions made with migrations that were written anew before any release had them */
async function requireOwn(connection: Connection, name: string): Promise<void> {
  const [found] = await connection.query<{ isThere: boolean }>(
    `select to_regproc('count_views') is not null as "isThere"`,
  );
  if (found?.isThere) return;
  throw new StoreError(
    'unusable',
    `The database ${name} was made by a development version of Headcount, which cannot be brought up to date: name an empty one, and what that version exports can be imported.`,
  );
}

/**
 * In one transaction, as tables and functions need each other. A function without a file any more stays: nodes of the release
 * before may call it.
 */
async function migrate(connection: Connection, version: number, wanted: Wanted): Promise<void> {
  await connection.run(
    `create table if not exists headcount_schema (version int not null);
     alter table headcount_schema add column if not exists functions text`,
  );
  const hasCitus = await findCitus(connection);
  for (const { number, file } of listMigrations()) {
    if (number > version && (hasCitus || !isForCitus(file)))
      await connection.run(String(readShipped(`${migrationsFolder}/${file}`)));
  }
  // They name each other.
  await connection.run(`set local check_function_bodies = off; ${wanted.text}`);
  await connection.run('delete from headcount_schema');
  await connection.query('insert into headcount_schema (version, functions) values ($1, $2)', [
    wanted.version,
    wanted.functions,
  ]);
}

/** @throws StoreError where the user may not write the functions anew */
async function requireFunctions(connection: Connection, name: string, functions: string[]): Promise<void> {
  const [foreign] = await connection.query<{ user: string; function: string; owner: string }>(
    `select quote_ident(current_user) as user, oid::regprocedure::text as function,
       quote_ident(pg_get_userbyid(proowner)) as owner
     from pg_proc where pronamespace = current_schema()::regnamespace and proname = any ($1)
       and not pg_has_role(proowner, 'usage') order by oid limit 1`,
    [functions],
  );
  if (!foreign) return;
  throw new StoreError(
    'unusable',
    `The database ${name} cannot be brought up to date: its user ${foreign.user} is not the owner of the function ${foreign.function}, which this version writes anew. Have an administrator run: grant ${foreign.owner} to ${foreign.user}`,
  );
}

async function findCitus(connection: Connection): Promise<boolean> {
  return has(connection, "select from pg_extension where extname = 'citus'");
}

/** @throws StoreError */
async function requireServer(connection: Connection, name: string): Promise<void> {
  const [server] = await connection.query<{ version: number; encoding: string }>(
    `select current_setting('server_version_num')::int / 10000 as version,
       current_setting('server_encoding') as encoding`,
  );
  if (server && server.version < oldestServer) {
    throw new StoreError(
      'unusable',
      `The database ${name} runs on PostgreSQL ${server.version}, and Headcount needs ${oldestServer} or later.`,
    );
  }
  if (server && server.encoding !== 'UTF8') {
    throw new StoreError(
      'unusable',
      `The database ${name} keeps text as ${server.encoding}, and Headcount needs UTF8: make one with "create database … encoding 'UTF8' template template0".`,
    );
  }
}

interface Rights {
  user: string;
  schema: string | null;
  mayCreate: boolean;
  /** Of a table that the user is no owner of. */
  table: string | null;
  owner: string | null;
  /** That the user may not read or change. */
  denied: string | null;
  /** That the user may not call. */
  function: string | null;
}

/**
 * What a server needs only later: to read and change all tables, and, when days are opened and closed, to make, attach,
 * truncate, vacuum and drop some.
 *
 * @throws StoreError that names the first right that is missing, and how to grant it
 */
export async function requireRights(database: Database): Promise<void> {
  const [rights] = await database.query<Rights>(
    `with own as (
       select c.oid, c.relowner
       from unnest($3::text[]) as t (name)
         join pg_class c on c.oid = to_regclass(t.name)
           or c.oid in (select relid from pg_partition_tree(to_regclass(t.name)))
     ), foreign_table as (select * from own where not pg_has_role(relowner, 'usage') order by oid limit 1)
     select quote_ident(current_user) as user, quote_ident(current_schema()) as schema,
       coalesce(has_schema_privilege(current_schema(), 'create'), false) as "mayCreate",
       (select oid::regclass::text from foreign_table) as table,
       (select quote_ident(pg_get_userbyid(relowner)) from foreign_table) as owner,
       (select oid::regclass::text from pg_class
        where oid in (select to_regclass(name) from unnest($1::text[]) as t (name))
          and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
            and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
        order by oid limit 1) as denied,
       (select oid::regprocedure::text from pg_proc
        where proname = any ($2) and pronamespace = current_schema()::regnamespace
          and not has_function_privilege(oid, 'execute') order by oid limit 1) as function`,
    [namesOf(tables), functionNames(), namesOf(tables.filter(({ postgres }) => postgres?.owned))],
  );
  const missing = rights && findMissing(rights);
  if (missing !== undefined) {
    throw new StoreError('unusable', `The database ${database.name} cannot be used: ${missing}`);
  }
}

const namesOf = (all: typeof tables) => all.map(({ name }) => name);

function findMissing({ user, schema, mayCreate, table, owner, denied, function: called }: Rights) {
  if (schema === null) {
    return `its user ${user} may use no schema of its search_path. Have an administrator run: grant usage, create on schema public to ${user}`;
  }
  if (!mayCreate) {
    return `its user ${user} may not create tables in the schema ${schema}, and each day needs one for its visitors. Have an administrator run: grant create on schema ${schema} to ${user}`;
  }
  if (table !== null) {
    return `its user ${user} is not the owner of the table ${table}, whose parts are made and dropped with each day. Have an administrator run: grant ${owner} to ${user}`;
  }
  if (denied !== null) {
    return `its user ${user} may not read and change the table ${denied}. Have an administrator run: grant select, insert, update, delete on all tables in schema ${schema} to ${user}`;
  }
  return called === null
    ? undefined
    : `its user ${user} may not call the function ${called}. Have an administrator run: grant execute on all functions in schema ${schema} to ${user}`;
}

/**
 * Requires the key of the first server, whose instance is in the database: with another one the salts of active days
 * could not be read, new ones would be made, and visitors would count twice.
 *
 * @throws StoreError where the database is encrypted with another key
 */
export async function requireSharedKey(database: Database, instance: string): Promise<void> {
  if ((await leaveInstance(database, instance)) === instance) return;
  throw new StoreError(
    'unusable',
    `HEADCOUNT_SECRET_KEY is another key than the one that the database ${database.name} is encrypted with, and nothing was changed: set it to the one that all other servers have. If that key is lost or is to be another, stop all servers, give "delete from secret_key" to psql, and start them with the new key: active days get new salts, and tokens of projects have to be set anew.`,
  );
}

/** Answers the one that is there, which may be another. */
export async function leaveInstance(db: Queryable, instance: string): Promise<string | undefined> {
  const [kept] = await db.query<{ instance: string }>(
    `insert into secret_key as kept values (1, $1)
     on conflict (id) do update set instance = kept.instance returning instance`,
    [instance],
  );
  return kept?.instance;
}

/** @throws StoreError where an earlier move into it was not finished, or it is being moved elsewhere */
export async function requireWhole(database: Database): Promise<void> {
  const [move] = await database.query<{ isBegun: boolean; isFree: boolean }>(
    `select exists (select from moving) as "isBegun", pg_try_advisory_xact_lock_shared(10, 0) as "isFree"`,
  );
  if (move?.isBegun) {
    throw new StoreError(
      'unusable',
      `A move into the database ${database.name} was begun and not finished: give "headcount move" again, which begins anew.`,
    );
  }
  if (move?.isFree === false) {
    throw new StoreError(
      'in_use',
      `The database ${database.name} is being moved to a data folder: wait for the end of that, or stop it.`,
    );
  }
}

/** Holds the database until the end of the connection. @throws StoreError `in_use` where another process has it open */
export async function holdForMove(connection: Connection, name: string): Promise<void> {
  const [lock] = await connection.query<{ isTaken: boolean }>(
    'select pg_try_advisory_lock(10, 0) as "isTaken"',
  );
  const others = await connection.query(
    `select from pg_stat_activity
     where datname = current_database() and application_name like 'headcount%' and pid <> pg_backend_pid()`,
  );
  if (lock?.isTaken && others.length === 0) return;
  throw new StoreError(
    'in_use',
    `Somebody has the database ${name} open: stop all servers first. Nothing was changed.`,
  );
}
