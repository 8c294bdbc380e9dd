import { hash, randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { listShipped, readShipped } from '../server/files/shipped.ts';
import { StoreError } from '../server/store/store.ts';

/** Of the one file's assets, the one that is named by the SHA-256 of what it holds. */
const shippedFolder = 'addon';

let binding: object | undefined;

/**
 * SQLite's machine code, which only loads from a file: it is unpacked to a folder in which nobody else could put something
 * in its place. Stands for `lib/binding.js` of better-sqlite3.
 *
 * @throws StoreError where there is no such folder
 */
export function getBinding(): object {
  binding ??= loadShipped();
  return binding;
}

function loadShipped(): object {
  const [name = ''] = listShipped(shippedFolder);
  const content = readShipped(`${shippedFolder}/${name}`) as Buffer;
  const faults: string[] = [];
  for (const folder of candidates()) {
    try {
      return load(unpack(folder, name, content));
    } catch (error) {
      faults.push(`${folder}: ${(error as Error).message}`);
    }
  }
  throw new StoreError(
    'unusable',
    `SQLite can be loaded from none of these folders; name one with XDG_CACHE_HOME that only you can write to and that programs may be run from: ${faults.join('; ')}.`,
  );
}

/** https://specifications.freedesktop.org/basedir/latest/, and what systemd names with `CacheDirectory=`. */
function candidates(): string[] {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME, HOME, HEADCOUNT_DATA_DIR } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  const dataDir = resolve(HEADCOUNT_DATA_DIR || 'data');
  return [
    CACHE_DIRECTORY,
    cache && join(cache, 'headcount'),
    join(tmpdir(), `headcount-${ownId()}`),
    // A command that finds no data makes no folder for it.
    existsSync(dataDir) && join(dataDir, 'sqlite'),
  ].filter((folder): folder is string => Boolean(folder));
}

function load(path: string): object {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}

/** What is there already is used where it holds the very same. */
function unpack(folder: string, name: string, content: Buffer): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = realpathSync(folder);
  requireOwn(place);
  const path = join(place, name);
  if (!isSound(path, name)) {
    replace(path, content);
    forgetOthers(place, name);
  }
  return path;
}

function isSound(path: string, name: string): boolean {
  try {
    return isOwn(path) && `${hash('sha256', readFileSync(path))}.node` === name;
  } catch {
    return false;
  }
}

/** Another process may be doing the same. */
function replace(path: string, content: Buffer): void {
  const fresh = `${path}.${randomUUID()}`;
  try {
    writeFileSync(fresh, content, { mode: 0o500, flag: 'wx' });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** Of earlier versions. A process that has one loaded keeps it. */
function forgetOthers(folder: string, name: string): void {
  for (const other of readdirSync(folder)) {
    if (other !== name && /^[0-9a-f]{64}\.node$/.test(other)) rmSync(join(folder, other), { force: true });
  }
}

/** Anyone who can write to a folder above can put another one in its place. @throws Error */
function requireOwn(folder: string): void {
  if (!isOwn(folder)) throw new Error('others own it, or can write to it');
  for (let above = dirname(folder), below = folder; above !== below; below = above, above = dirname(above)) {
    const { uid, mode } = lstatSync(above);
    const isSticky = (mode & 0o1000) !== 0;
    if (![0, ownId()].includes(uid) || ((mode & 0o022) !== 0 && !isSticky)) {
      throw new Error(`others own ${above}, or can write to it`);
    }
  }
}

function isOwn(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  return uid === ownId() && (mode & 0o022) === 0;
}

function ownId(): number {
  return process.getuid?.() ?? 0;
}
