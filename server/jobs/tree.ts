import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { badPath, findProtection, parsePath } from './path.ts';

/** A place in a checkout that was found to lie inside it, with no link on the way. */
export interface Place {
  /** Relative to the root, normalised; the root itself is ''. */
  path: string;
  absolute: string;
  kind: 'file' | 'folder' | 'missing';
  /** Bytes; 0 unless it is a file. */
  size: number;
}

/** A checkout that file tools work in. */
export interface Tree {
  /** An absolute path of ours, itself free of links. */
  root: string;
  /** Paths that are links or submodules in git, though they look like plain files or folders here. */
  links: ReadonlySet<string>;
}

/**
 * Looks at every part of a path without following links. @throws JobFailure bad_path, for a link, a FIFO, a device, a
 * file where a folder should be, and everything that `parsePath` refuses
 */
export async function resolveInside(tree: Tree, path: string): Promise<Place> {
  const relative = parsePath(path);
  const parts = relative === '' ? [] : relative.split('/');
  let place: Place = { path: '', absolute: tree.root, kind: 'folder', size: 0 };
  for (const part of parts) {
    if (place.kind === 'missing') {
      place = { ...place, path: `${place.path}/${part}`, absolute: join(place.absolute, part) };
    } else {
      if (place.kind === 'file') throw badPath(path, `"${place.path}" is a file`);
      place = await step(tree, place, part, path);
    }
  }
  return place;
}

/** As `resolveInside`, for a path that is to be changed. @throws JobFailure bad_path */
export async function resolveForChange(tree: Tree, path: string): Promise<Place> {
  const place = await resolveInside(tree, path);
  if (place.path === '') throw badPath(path, 'the root of the repository cannot be changed');
  const protection = findProtection(place.path);
  if (protection) throw badPath(path, protection);
  return place;
}

async function step(tree: Tree, folder: Place, part: string, asked: string): Promise<Place> {
  const path = folder.path === '' ? part : `${folder.path}/${part}`;
  const absolute = join(folder.absolute, part);
  if (tree.links.has(path)) throw badPath(asked, `"${path}" is a link or a submodule`);
  const stats = await findStats(absolute);
  if (!stats) return { path, absolute, kind: 'missing', size: 0 };
  if (stats.isDirectory()) return { path, absolute, kind: 'folder', size: 0 };
  if (stats.isFile()) return { path, absolute, kind: 'file', size: stats.size };
  throw badPath(asked, stats.isSymbolicLink() ? `"${path}" is a link` : `"${path}" is not a plain file`);
}

async function findStats(absolute: string): Promise<Stats | undefined> {
  try {
    return await lstat(absolute);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reads a file as text, with its line ends as they are. @throws JobFailure bad_path, for a missing, large or binary file
 * and for text that is not UTF-8
 */
export async function readInside(tree: Tree, path: string, maxBytes: number): Promise<string> {
  const place = await resolveInside(tree, path);
  if (place.kind !== 'file') {
    throw badPath(path, place.kind === 'folder' ? 'it is a folder' : 'there is no such file');
  }
  const bytes = await readPlain(place.absolute, path, maxBytes);
  return decodeText(bytes, path);
}

/** Opens without following a link and without waiting for a FIFO, in case the place changed since it was looked at. */
async function readPlain(absolute: string, path: string, maxBytes: number): Promise<Buffer> {
  const file = await open(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw badPath(path, 'it is not a plain file');
    if (stats.size > maxBytes) {
      throw badPath(path, `it has ${stats.size} bytes, and at most ${maxBytes} can be read`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** UTF-8 with its byte order mark and line ends kept. @throws JobFailure bad_path, for anything else */
export function decodeText(bytes: Buffer, path: string): string {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw badPath(path, 'it is in UTF-16, and only UTF-8 can be read and changed');
  }
  if (bytes.includes(0)) throw badPath(path, 'it is a binary file');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badPath(path, 'it is not valid UTF-8, and only UTF-8 can be read and changed');
  }
}

/**
 * Writes a whole file and the folders it needs; a file that was there keeps its mode.
 * @throws JobFailure bad_path, for a protected path and for everything that `resolveInside` refuses
 */
export async function writeInside(tree: Tree, path: string, text: string): Promise<void> {
  const place = await resolveForChange(tree, path);
  if (place.kind === 'folder') throw badPath(path, 'it is a folder');
  await mkdir(join(place.absolute, '..'), { recursive: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(place.absolute, flags, 0o644);
  try {
    if (!(await file.stat()).isFile()) throw badPath(path, 'it is not a plain file');
    await file.truncate(0);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
