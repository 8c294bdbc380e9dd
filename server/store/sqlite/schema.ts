import { closeSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { listNumbered, readShipped } from '../../files/shipped.ts';
import { StoreError } from '../store.ts';
import type { Connection } from './connection.ts';
import { damaged } from './trouble.ts';

const migrationsFolder = 'server/store/sqlite/migrations';

/** The number of the last one applied is the database's `user_version`. */
const listMigrations = () => listNumbered(migrationsFolder);

export function newestVersion(): number {
  return listMigrations().at(-1)?.number ?? 0;
}

/** 0: a new database. */
export function versionOf(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Of a file, without opening the database, which would change it; 0: unknown. */
export function readVersion(file: string): number {
  // https://sqlite.org/fileformat2.html#the_database_header
  const header = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  try {
    if (readSync(descriptor, header) < header.length) return 0;
  } finally {
    closeSync(descriptor);
  }
  return header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(60) : 0;
}

/** Whether an older Headcount wrote it. @throws StoreError for a database of a newer one. */
export function isOutdated(db: Connection): boolean {
  const version = versionOf(db);
  requireKnown(version, db.name);
  return version > 0 && version < newestVersion();
}

/** No Headcount will have so many; an overwritten header has. */
const absurdVersion = 100_000;

/** @throws StoreError for the schema of a newer Headcount. */
export function requireKnown(version: number, file: string): void {
  const newest = newestVersion();
  if (version < 0 || version > absurdVersion) throw damaged(file, `its header says schema ${version}`);
  if (version > newest) throw newerVersion(file, version, newest);
}

/** The first migration that is yet to come. */
export function nextMigration(db: Connection): number {
  return versionOf(db) + 1;
}

/** In one transaction: a process that opens a new database at the same time takes no half-made one for an old one. */
export function migrate(db: Connection): void {
  db.transaction(() => {
    // Read inside the transaction, as another process may have been quicker.
    const version = versionOf(db);
    apply(db, version + 1, newestVersion());
  }).immediate();
}

/** Of an empty database. */
export function makeTables(db: Connection, version: number): void {
  apply(db, 1, version);
}

function apply(db: Connection, from: number, to: number): void {
  for (const { number, file } of listMigrations()) {
    if (number < from || number > to) continue;
    db.exec(String(readShipped(`${migrationsFolder}/${file}`)));
    db.pragma(`user_version = ${number}`);
  }
}

/** Only a database has it that was saved from a damaged one: what it lacks, a sentence each. */
export const missingTable = 'missing';

/** Whether the database has the tables and columns that its version says. */
export function hasSchema(db: Connection): boolean {
  const model = new Database(':memory:');
  try {
    apply(model, 1, versionOf(db));
    return describeSchema(model) === describeSchema(db);
  } finally {
    model.close();
  }
}

function describeSchema(db: Connection): string {
  const columns = db
    .prepare(
      `select t.name, c.name, c.type, c.pk from sqlite_schema t join pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' and t.name <> '${missingTable}' order by 1, c.cid`,
    )
    .raw()
    .all();
  return JSON.stringify(columns);
}

/** For who may not bring it up to date. @throws StoreError for a database of another version. */
export function requireNewest(db: Connection): void {
  if (!isOutdated(db) && versionOf(db) === newestVersion()) return;
  throw new StoreError(
    'unusable',
    `The database ${db.name} was written by an older Headcount (schema ${versionOf(db)}, this one has ${newestVersion()}): start the server or any other command once, which brings it up to date.`,
  );
}

function newerVersion(file: string, version: number, newest: number): StoreError {
  return new StoreError(
    'newer',
    `The database ${file} was written by a newer Headcount (schema ${version}, this one knows ${newest}): start that version, or restore a backup made before the update.`,
  );
}
