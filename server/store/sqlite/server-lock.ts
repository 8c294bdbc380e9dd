import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { makePrivateFile } from '../../files/private-file.ts';
import { StoreError } from '../store.ts';

/** In the folder of the database. Always empty; only its lock is used. */
const lockFile = 'headcount.lock';

/**
 * Held by the one server of a data folder for as long as it runs, and during changes of the schema. The system takes
 * it back from a process that was killed, so that nothing has to be cleaned up.
 */
export interface ServerLock {
  release(): void;
}

/** @throws StoreError `in_use` with this message when another process has it for so long. */
export function takeServerLock(file: string, waitMs: number, refusal: string): ServerLock {
  const path = join(dirname(file), lockFile);
  makePrivateFile(path);
  const lock = new Database(path, { timeout: waitMs });
  try {
    // Nothing is ever written, and a journal would only lie around.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    const isHeld = (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;
    throw isHeld ? new StoreError('in_use', refusal, { cause: error }) : error;
  }
  return { release: () => lock.close() };
}

/** Whether the lock of the data folder is held: it is taken and released, for which a starting server waits. */
export function isServerLockHeld(dataDir: string): boolean {
  const path = join(dataDir, lockFile);
  if (!existsSync(path)) return false;
  const lock = new Database(path, { readonly: true, timeout: 0 });
  try {
    lock.prepare('select 1 from sqlite_schema').all();
    return false;
  } catch (error) {
    return (error as { code?: string }).code?.startsWith('SQLITE_BUSY') ?? false;
  } finally {
    lock.close();
  }
}
