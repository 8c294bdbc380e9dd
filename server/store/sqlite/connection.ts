import Database from 'better-sqlite3';

export type Connection = Database.Database;

const switchTimeoutMs = 10_000;
const busyTimeoutMs = 10_000;

/** A new database is switched to a log by whoever is first; SQLite does not wait for that lock by itself. */
export function keepLog(db: Connection): void {
  const failure = switchJournal(db, 'wal', switchTimeoutMs);
  if (failure) throw failure;
  // The files of the log are made by the first transaction, and `OpenFiles` wants to know them.
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
