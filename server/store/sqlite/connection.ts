import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { StoreError } from '../store.ts';

export type Connection = Database.Database;

const switchTimeoutMs = 10_000;
const busyTimeoutMs = 10_000;

/** The first process switches a new database to a log; SQLite does not wait for that lock by itself. */
export function keepLog(db: Connection): void {
  const failure = switchJournal(db, 'wal', switchTimeoutMs);
  if (failure) throw failure;
  // The files of the log are made by the first transaction, and `sameFiles` wants to know them.
  db.exec('begin immediate; rollback');
}

/** Answers whether it came to be the only one that has the database open, in the time given. */
export function leaveLog(db: Connection, timeoutMs: number): boolean {
  return switchJournal(db, 'delete', timeoutMs) === undefined;
}

/** Answers why not, when the database was locked for so long. */
function switchJournal(db: Connection, mode: 'wal' | 'delete', timeoutMs: number): unknown {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let waitedMs = 0; ; waitedMs += 20) {
    try {
      db.pragma(`journal_mode = ${mode}`);
      return undefined;
    } catch (error) {
      const isLocked = (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;
      if (!isLocked) throw error;
      if (waitedMs >= timeoutMs) return error;
      Atomics.wait(sleeper, 0, 0, 20);
    }
  }
}

/** Makes the database when there is none; its schema is as it was. */
export function openForWriting(file: string): Connection {
  const db = new Database(file, { timeout: busyTimeoutMs });
  // Takes effect only before the first table is made; gives the space of sealed days back without a VACUUM.
  db.pragma('auto_vacuum = INCREMENTAL');
  keepLog(db);
  db.pragma('synchronous = FULL');
  // What is deleted is overwritten: a sealed day's salt must not linger in a free page.
  db.pragma('secure_delete = ON');
  db.pragma('foreign_keys = ON');
  db.pragma('cache_size = -8192');
  // 16 MiB of log between checkpoints: a checkpoint holds up the commit that reaches the mark.
  db.pragma('wal_autocheckpoint = 4096');
  return db;
}

export function openForReading(file: string): Connection {
  const db = new Database(file, { readonly: true, timeout: busyTimeoutMs });
  db.pragma('cache_size = -8192');
  return db;
}

/** Moves what the log holds into the database and gives its room back, as far as that is possible without waiting. */
export function emptyLog(db: Connection): void {
  db.pragma('busy_timeout = 0');
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // Where even this finds no room, the next failure tries it again.
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}

/**
 * The files of a database that was opened just now. When somebody removes or replaces them, the process goes on with what has no
 * name any more and is gone when it ends, and SQLite says nothing. The answer throws when one of them is another by then.
 */
export function sameFiles(file: string): () => void {
  const known = [file, `${file}-wal`, `${file}-shm`].map((path) => ({ path, identity: identityOf(path) }));
  return () => {
    const lost = known.find(({ path, identity }) => identityOf(path) !== identity);
    if (!lost) return;
    const now = identityOf(lost.path) === 'none' ? 'missing' : 'another file now';
    throw new StoreError(
      'unavailable',
      `The database ${file} was removed or replaced while it was in use (${lost.path} is ${now}). Nothing is counted until the files are back, or the server is started with others.`,
    );
  };
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : 'none';
}
