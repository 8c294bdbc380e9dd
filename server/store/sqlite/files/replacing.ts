import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivateFile } from '../../../files/private-file.ts';
import { StoreError } from '../../store.ts';
import { leaveLog } from '../connection.ts';
import { type ServerLock, takeServerLock } from '../server-lock.ts';

/** Time for a server that was stopped a moment ago to be gone, and for commands to end. */
const waitMs = 2000;

/** Holds a data folder, so that its database can be replaced. */
export class Replacement {
  readonly #file: string;
  readonly #lock: ServerLock;
  readonly draft: string;

  /** @throws StoreError `in_use` while a server runs on it */
  constructor(file: string) {
    this.#file = file;
    this.#lock = takeServerLock(file, waitMs, serverRuns(file));
    this.draft = `${file}.restoring`;
    removeDraft(file);
    makePrivateFile(this.draft);
  }

  /** Whether there is a database. Its file is made before it, empty, so that it has its mode. */
  get isNeeded(): boolean {
    return (statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /** Where the database that was there is kept; null: there was none. @throws StoreError `in_use` while a command works on it */
  useDraft(): string | null {
    sync(this.draft);
    const kept = this.isNeeded ? this.#keepOld() : null;
    renameSync(this.draft, this.#file);
    sync(dirname(this.#file));
    return kept;
  }

  release(): void {
    removeDraft(this.#file);
    this.#lock.release();
  }

  /** Copies as they are made before updates end after two days, and so does this one: it has visitors. */
  #keepOld(): string {
    const kept = `${this.#file}.before-restore`;
    for (const suffix of ['', '-wal', '-shm']) rmSync(kept + suffix, { force: true });
    if (!leaveUse(this.#file)) throw new StoreError('in_use', othersWork(this.#file));
    try {
      linkSync(this.#file, kept);
    } catch {
      // Not every file system has links.
      copyFileSync(this.#file, kept, constants.COPYFILE_FICLONE);
    }
    const now = new Date();
    utimesSync(kept, now, now);
    // A log that a damaged database could not take in must not be taken for that of the new one.
    for (const suffix of ['-wal', '-shm']) {
      if (existsSync(this.#file + suffix)) renameSync(this.#file + suffix, kept + suffix);
    }
    return kept;
  }
}

/** That of a restore that was killed too; for who holds the folder. */
export function removeDraft(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}.restoring${suffix}`, { force: true });
}

/** False while another process has the database open. A damaged one cannot be open for long. */
function leaveUse(file: string): boolean {
  try {
    const db = new Database(file);
    try {
      return leaveLog(db, waitMs);
    } finally {
      db.close();
    }
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) return true;
    throw error;
  }
}

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function serverRuns(file: string): string {
  return `A server runs on the database ${file}: stop it first. Nothing was changed.`;
}

function othersWork(file: string): string {
  return `Another process has the database ${file} open, such as an import: wait for its end, or stop it. Nothing was changed.`;
}
