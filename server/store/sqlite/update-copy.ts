import { readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFile } from '../../files/private-file.ts';
import { StoreError } from '../store.ts';
import type { Connection } from './connection.ts';
import { hasNoRoom } from './trouble.ts';

/** As long as the visitors of a day are kept at most: a copy must not remember them for longer. */
const keptMs = 48 * 60 * 60 * 1000;

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;

/**
 * Copies the database beside itself before its schema is changed, in place of earlier such copies. Answers the file.
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
