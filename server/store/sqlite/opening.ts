import { existsSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makePrivateFile } from '../../files/private-file.ts';
import { StoreError } from '../store.ts';
import { type Connection, keepLog, leaveLog, openForReading, openForWriting } from './connection.ts';
import { removeDraft } from './files/replacing.ts';
import { isOutdated, migrate, nextMigration, readVersion, requireKnown, requireNewest } from './schema.ts';
import { type ServerLock, takeServerLock } from './server-lock.ts';
import { hasNoRoom } from './trouble.ts';

/** What a process opens the database for; of servers there is one at a time. */
export type Opener = 'server' | 'command';

export interface Opened {
  db: Connection;
  /** What the operator should know. */
  notices: string[];
  close(): void;
}

/** Time for a server that was killed a moment ago to be gone. */
const serverWaitMs = 1000;
/** Time for another command to bring the database up to date. */
const updateWaitMs = 10_000;
/** How long to wait for others to close a database that has to be updated. */
const solitudeMs = 2000;

/**
 * Opens the database for reading and writing, makes it when there is none, and brings its schema up to date.
 *
 * @throws StoreError `newer`, before anything is touched; `in_use` for a second server, and where an older version still has
 * the database open.
 */
export function openUpToDate(file: string, opener: Opener): Opened {
  if (existsSync(file)) requireKnown(readVersion(file), file);
  return opener === 'server' ? openForServer(file) : openForCommand(file);
}

function openForServer(file: string): Opened {
  const lock = takeServerLock(file, serverWaitMs, runsAlready(file));
  return releasedOnFailure(lock, () => {
    removeDraft(file);
    const db = openForWriting(file);
    const notices = closedOnFailure(db, () => update(db));
    const close = () => {
      db.close();
      lock.release();
    };
    return { db, notices, close };
  });
}

function openForCommand(file: string): Opened {
  const db = openForWriting(file);
  const close = () => db.close();
  const needsLock = closedOnFailure(db, () => isOutdated(db));
  if (!needsLock) return { db, notices: closedOnFailure(db, () => update(db)), close };
  // With the lock, waits until no other process has the database open.
  db.close();
  const lock = takeServerLock(file, updateWaitMs, openElsewhere(file));
  return releasedOnFailure(lock, () => {
    const again = openForWriting(file);
    const notices = closedOnFailure(again, () => update(again));
    lock.release();
    return { db: again, notices, close: () => again.close() };
  });
}

/** While no other process has the database open, and after a copy was made. */
function update(db: Connection): string[] {
  if (!isOutdated(db)) {
    migrate(db);
    return [];
  }
  if (!leaveLog(db, solitudeMs)) throw new StoreError('in_use', openElsewhere(db.name));
  const copy = copyBeforeUpdate(db, nextMigration(db));
  migrate(db);
  keepLog(db);
  return [
    `The database was brought up to date. What it was before is in ${copy}, which the server deletes after two days.`,
  ];
}

function closedOnFailure<T>(db: Connection, use: () => T): T {
  try {
    return use();
  } catch (error) {
    db.close();
    throw error;
  }
}

function releasedOnFailure<T>(lock: ServerLock, use: () => T): T {
  try {
    return use();
  } catch (error) {
    lock.release();
    throw error;
  }
}

function runsAlready(file: string): string {
  return `Another server runs on the database ${file}: stop it first, or give this one a folder of its own with HEADCOUNT_DATA_DIR.`;
}

function openElsewhere(file: string): string {
  return `The database ${file} was written by an older Headcount and has to be brought up to date, but another process has it open: stop the server and other commands first.`;
}

/**
 * Opens the database without making or changing any file, so that it works in a folder that cannot be written to.
 *
 * @throws StoreError for a database that is not there, or of another version.
 */
export function openForObserving(file: string): Connection {
  if (!existsSync(file)) throw new StoreError('missing', `There is no database ${file}.`);
  // Without a log it is not open elsewhere, and SQLite need not make the files for several processes.
  const db = existsSync(`${file}-wal`) ? openForReading(file) : openAtRest(file);
  requireNewest(db);
  return db;
}

/** better-sqlite3 takes no addresses with options, of which `immutable` is one (https://sqlite.org/uri.html); Node does. */
function openAtRest(file: string): Connection {
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  // Loaded by this one kind of thread only.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(address, { readOnly: true });
  const alike = {
    name: file,
    // What is asked of it answers rows, and is given numbers that only PostgreSQL needs, too.
    prepare: (sql: string) => {
      const statement = db.prepare(sql);
      statement.setAllowUnknownNamedParameters(true);
      return Object.assign(statement, { reader: true });
    },
    exec: (sql: string) => db.exec(sql),
    transaction: (run: () => unknown) => run,
    pragma: (name: string) => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0],
    close: () => db.close(),
  };
  return alike as unknown as Connection;
}

/** As long as the visitors of a day are kept at most: a copy must not remember them for longer. */
const keptMs = 48 * 60 * 60 * 1000;

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

/**
 * Copies the database in its folder before its schema is changed, in place of earlier such copies. Returns the file.
 *
 * @throws StoreError where there is no room for it; nothing is left behind then.
 */
export function copyBeforeUpdate(db: Connection, migration: number): string {
  const copy = `${db.name}.before-${String(migration).padStart(4, '0')}`;
  rmSync(copy, { force: true });
  const bytes = sizeOf(db);
  const { bavail, bsize } = statfsSync(dirname(db.name));
  if (bavail * bsize < bytes) throw noRoom(db.name, bytes);
  // An empty file may be copied into.
  makePrivateFile(copy);
  try {
    db.prepare('vacuum into ?').run(copy);
  } catch (error) {
    rmSync(copy, { force: true });
    throw hasNoRoom(error) ? noRoom(db.name, bytes, error) : error;
  }
  for (const older of copiesOf(db.name)) if (older !== copy) rmSync(older, { force: true });
  return copy;
}

export function deleteOldCopies(file: string, now: number): void {
  for (const copy of copiesOf(file)) {
    const { mtimeMs } = statSync(copy, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && now - mtimeMs >= keptMs) rmSync(copy, { force: true });
  }
}

function copiesOf(file: string): string[] {
  const isCopy = (name: string) => name.startsWith(`${basename(file)}.before-`);
  return readdirSync(dirname(file))
    .filter(isCopy)
    .map((name) => join(dirname(file), name));
}

function sizeOf(db: Connection): number {
  const pragma = (name: string) => db.pragma(name, { simple: true }) as number;
  return pragma('page_count') * pragma('page_size');
}

function noRoom(file: string, bytes: number, cause?: unknown): StoreError {
  return new StoreError(
    'unusable',
    `The database ${file} was written by an older Headcount, and there is no room for the copy that is made before it is brought up to date: make ${megabytes(bytes)} of room in its folder. Nothing was changed.`,
    { cause },
  );
}
