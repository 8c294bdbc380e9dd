import { existsSync } from 'node:fs';
import { StoreError } from '../store.ts';
import { type Connection, keepLog, leaveLog, openForWriting } from './connection.ts';
import { removeDraft } from './files/replacing.ts';
import { isOutdated, migrate, nextMigration, readVersion, requireKnown } from './schema.ts';
import { type ServerLock, takeServerLock } from './server-lock.ts';
import { copyBeforeUpdate } from './update-copy.ts';

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
/** Time for others to let go of a database that has to be brought up to date. */
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
  // Whoever has the lock waits until nobody else has the database open.
  db.close();
  const lock = takeServerLock(file, updateWaitMs, openElsewhere(file));
  return releasedOnFailure(lock, () => {
    const again = openForWriting(file);
    const notices = closedOnFailure(again, () => update(again));
    lock.release();
    return { db: again, notices, close: () => again.close() };
  });
}

/** While nobody else has a database of an older version open, and after a copy was made. */
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
