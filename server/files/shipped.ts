import { openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, resolve } from 'node:path';
import { getAssetKeys, getRawAsset, isSea } from 'node:sea';

// What belongs to Headcount and is not its code: files of the checkout or of the package, or assets of the one file that
// `npm run build:binary` makes, by the same names.

/** Where the build puts the pages of the dashboard. */
export const dashboardFolder = 'dist/dashboard';

/**
 * @param path from the top of the repository
 * @returns undefined where it was not built; what may not be written to
 */
export function readShipped(path: string): Buffer | undefined {
  if (isSea()) return getAssetKeys().includes(path) ? Buffer.from(getRawAsset(path)) : undefined;
  return orMissing(() => readFileSync(pathOf(path)));
}

/** Reads so many bytes of a file, from the given one on; zeros beyond its end. */
export type ReadPart = (at: number, length: number) => Uint8Array;

/** A file of which little is needed; it stays open. @returns undefined where it was not built */
export function openShipped(path: string): ReadPart | undefined {
  if (isSea()) {
    const whole = readShipped(path);
    return whole && ((at, length) => whole.subarray(at, at + length));
  }
  return orMissing(() => {
    const file = openSync(pathOf(path), 'r');
    return (at, length) => {
      const part = new Uint8Array(length);
      readSync(file, part, 0, length, at);
      return part;
    };
  });
}

/** The names of the files of a folder; none where it was not built. */
export function listShipped(folder: string): string[] {
  if (isSea()) return namesIn(folder, getAssetKeys());
  const entries = orMissing(() => readdirSync(pathOf(folder), { withFileTypes: true })) ?? [];
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** The SQL files of a folder that begin with four digits and a hyphen, by that number. */
export function listNumbered(folder: string): { number: number; file: string }[] {
  return listShipped(folder)
    .filter((file) => /^\d{4}-.*\.sql$/.test(file))
    .sort()
    .map((file) => ({ number: Number(file.slice(0, 4)), file }));
}

function namesIn(folder: string, keys: string[]): string[] {
  const inside = keys
    .filter((key) => key.startsWith(`${folder}/`))
    .map((key) => key.slice(folder.length + 1));
  return inside.filter((name) => !name.includes('/'));
}

/** The bundled server lies in another folder than this file does. To look for it takes as long as to read a file. */
let home: string | undefined;

function pathOf(name: string): string {
  home ??= dirname(String(findPackageJSON('.', import.meta.url)));
  return resolve(home, name);
}

function orMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
