import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Connection } from '../connection.ts';

const busyTimeoutMs = 10_000;

/** Opens an empty file as a database that is filled once, and thrown away when that fails. */
export function openToFill(file: string): Connection {
  const db = new Database(file, { timeout: busyTimeoutMs });
  db.pragma('foreign_keys = OFF');
  db.pragma('journal_mode = MEMORY');
  db.pragma('synchronous = OFF');
  // Takes effect only before the first table is made.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.exec('create table first (x); drop table first');
  return db;
}

/** A temporary database next to another, in an unlinked file, so that a kill leaves nothing. */
export function openScratch(file: string): { db: Connection; descriptor: number } {
  const scratch = `${file}.scratch-${randomBytes(6).toString('hex')}`;
  const descriptor = openSync(scratch, 'wx+', 0o600);
  try {
    return { db: openToFill(scratch), descriptor };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  } finally {
    rmSync(scratch);
  }
}
