import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { StoreError } from '../store.ts';

export type Connection = Database.Database;

const migrationsDir = join(import.meta.dirname, 'migrations');

/** Numbered SQL files; the number of the last one applied is the database's `user_version`. */
function listMigrations(): { number: number; file: string }[] {
  return readdirSync(migrationsDir)
    .filter((file) => /^\d{4}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ number: Number(file.slice(0, 4)), file }));
}

function versionOf(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number;
}

function migrate(db: Connection): void {
  const migrations = listMigrations();
  const newest = migrations.at(-1)?.number ?? 0;
  for (const { number, file } of migrations) {
    // Inside the transaction the version is read again: another process may have been quicker.
    db.transaction(() => {
      if (versionOf(db) >= number) return;
      db.exec(readFileSync(join(migrationsDir, file), 'utf8'));
      db.pragma(`user_version = ${number}`);
    }).immediate();
  }
  const version = versionOf(db);
  if (version > newest) throw newerVersion(db, version, newest);
}

const switchTimeoutMs = 10_000;

/** A new database is switched to a log by whoever is first; SQLite does not wait for that lock by itself. */
function switchToLog(db: Connection): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += 20) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isLocked = (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;
      if (!isLocked || waitedMs >= switchTimeoutMs) throw error;
      Atomics.wait(sleeper, 0, 0, 20);
    }
  }
}

/** Opens the database for reading and writing, makes it when there is none, and brings its schema up to date. */
export function openForWriting(file: string): Connection {
  const db = new Database(file, { timeout: 10_000 });
  // Takes effect only before the first table is made; gives the space of sealed days back without a VACUUM.
  db.pragma('auto_vacuum = INCREMENTAL');
  switchToLog(db);
  db.pragma('synchronous = FULL');
  // What is deleted is overwritten: a sealed day's salt must not linger in a free page.
  db.pragma('secure_delete = ON');
  db.pragma('foreign_keys = ON');
  db.pragma('cache_size = -8192');
  // 16 MiB of log between checkpoints: a checkpoint holds up the commit that reaches the mark.
  db.pragma('wal_autocheckpoint = 4096');
  migrate(db);
  return db;
}

export function openForReading(file: string): Connection {
  const db = new Database(file, { readonly: true, timeout: 10_000 });
  db.pragma('cache_size = -8192');
  return db;
}

/**
 * Opens the database without making or changing any file, so that it works in a folder that cannot be written to.
 *
 * @throws StoreError for a database that is not there, or of another version.
 */
export function openForObserving(file: string): Connection {
  if (!existsSync(file)) throw new StoreError('unusable', `There is no database ${file}.`);
  // Without a log nobody has it open, and SQLite need not make the files by which processes agree.
  const db = existsSync(`${file}-wal`) ? openForReading(file) : openAtRest(file);
  checkVersion(db, versionOf(db));
  return db;
}

/** better-sqlite3 takes no addresses with options, of which `immutable` is one (https://sqlite.org/uri.html); Node does. */
function openAtRest(file: string): Connection {
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  const db = new DatabaseSync(address, { readOnly: true });
  const alike = {
    name: file,
    prepare: (sql: string) => db.prepare(sql),
    transaction: (run: () => unknown) => run,
    pragma: (name: string) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0],
    close: () => db.close(),
  };
  return alike as unknown as Connection;
}

function checkVersion(db: Connection, version: number): void {
  const newest = listMigrations().at(-1)?.number ?? 0;
  if (version < newest) {
    throw new StoreError(
      'unusable',
      `The database ${db.name} was written by an older Headcount (schema ${version}, this one has ${newest}): start the server or any other command once, which brings it up to date.`,
    );
  }
  if (version > newest) throw newerVersion(db, version, newest);
}

function newerVersion(db: Connection, version: number, newest: number): StoreError {
  return new StoreError(
    'newer',
    `The database ${db.name} was written by a newer Headcount (schema ${version}, this one knows ${newest}): start that version, or restore a backup made before the update.`,
  );
}
