import { listShipped, readShipped } from '../../files/shipped.ts';
import { program } from '../../process/program.ts';
import { StoreError } from '../store.ts';
import type { Connection } from './connection.ts';
import { type Database, inTransaction } from './database.ts';

const migrationsFolder = 'server/store/postgres/migrations';
const oldestServer = 15;
const firstWrittenAnew = 3;

interface Migration {
  number: number;
  file: string;
}

/** Numbered SQL files; those that end with `.citus.sql` run where that extension is, and count as run elsewhere. */
function listMigrations(): Migration[] {
  return listShipped(migrationsFolder)
    .filter((file) => /^\d{4}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ number: Number(file.slice(0, 4)), file }));
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
    const found = await knownVersion(connection, database.name);
    if (found === newestVersion()) return;
    if (found === 0 && mustExist) throw nothingThere(database.name);
    await connection.run('select pg_advisory_lock(5, 0)');
    try {
      // Another node may have been quicker.
      const version = await knownVersion(connection, database.name);
      await migrate(connection, version);
    } finally {
      if (connection.isUsable) await connection.run('select pg_advisory_unlock(5, 0)');
    }
  });
}

/** For who may not bring it up to date. @throws StoreError for a database of another version */
export async function requireNewest(database: Database): Promise<void> {
  const version = await database.alone((connection) => knownVersion(connection, database.name));
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
  const version = await database.alone(readVersion);
  return { version, knownVersion: newestVersion() };
}

/** 0: there is nothing yet. */
async function readVersion(connection: Connection): Promise<number> {
  const [table] = await connection.query<{ isThere: boolean }>(
    `select to_regclass('headcount_schema') is not null as "isThere"`,
  );
  if (!table?.isThere) return 0;
  const [row] = await connection.query<{ version: number }>('select version from headcount_schema');
  return row?.version ?? 0;
}

/** @throws StoreError `newer` */
async function knownVersion(connection: Connection, name: string): Promise<number> {
  const version = await readVersion(connection);
  const newest = newestVersion();
  if (version <= newest) {
    if (version >= firstWrittenAnew) await requireOwn(connection, name);
    return version;
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

async function migrate(connection: Connection, version: number): Promise<void> {
  const hasCitus = await findCitus(connection);
  for (const { number, file } of listMigrations().filter(({ number }) => number > version)) {
    await inTransaction(connection, 'begin', async () => {
      if (number === 1) await connection.run('create table headcount_schema (version int not null)');
      if (hasCitus || !file.endsWith('.citus.sql')) {
        await connection.run(String(readShipped(`${migrationsFolder}/${file}`)));
      }
      await connection.run('delete from headcount_schema');
      await connection.run(`insert into headcount_schema values (${number})`);
    });
  }
}

async function findCitus(connection: Connection): Promise<boolean> {
  const found = await connection.query("select from pg_extension where extname = 'citus'");
  return found.length > 0;
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
