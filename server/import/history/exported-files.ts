import { closeSync, createReadStream, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { readTrouble } from '../../files/file-trouble.ts';
import { ImportError } from '../import-error.ts';
import { type Content, openFile } from '../reading/content.ts';

/** A file of an export, which is read more than once. */
export interface ExportedFile {
  /** As errors name it. */
  name: string;
  open(): Promise<Readable>;
}

/** A zip archive may name more, and unpack to more, than any export has. */
const maxEntries = 10_000;
const maxUnpackedBytes = 64e9;

/** Which files of a folder or an archive are meant, by their names. */
export type NamesWanted = (name: string, siblings: ReadonlySet<string>) => boolean;

const isCsv: NamesWanted = (name) => /\.csv(\.gz|\.zst)?$/i.test(name);

/** All kinds of files of the tools and their databases. A text is a table where the statement that creates it is next to it. */
export const isExported: NamesWanted = (name, siblings) =>
  /\.(csv|tsv|json|jsonl|ndjson|sql)(\.gz|\.zst)?$/i.test(name) ||
  (/\.txt$/i.test(name) && siblings.has(name.replace(/txt$/i, 'sql')));

/** The files that are named on the command line, also in folders and archives. @throws ImportError */
export async function openExport(
  paths: readonly string[],
  isWanted: NamesWanted = isCsv,
): Promise<ExportedFile[]> {
  const files: ExportedFile[] = [];
  for (const path of paths.flatMap((one) => filesAt(one, isWanted))) {
    if (isZip(path)) files.push(...(await openArchive(path, isWanted)));
    else files.push({ name: path, open: async () => streamOf(openFile(path)) });
  }
  if (files.length === 0) throw unreadable(paths.join(', '), 'there is no CSV file in it');
  return files;
}

export function filesAt(path: string, isWanted: NamesWanted = isCsv): string[] {
  const names = namesIn(path);
  if (names === null) return [path];
  return [...names]
    .filter((name) => isWanted(name, names))
    .sort()
    .map((name) => join(path, name));
}

/** Of a folder; null: it is a file. */
function namesIn(path: string): Set<string> | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) throw new ImportError('unreadable', `There is no file ${path}. Nothing was counted.`);
    if (stat.isFIFO()) throw new Error('it is a pipe, and is read more than once. Name a file');
    return stat.isDirectory() ? new Set(readdirSync(path)) : null;
  } catch (error) {
    throw asUnreadable(path, error as Error);
  }
}

function asUnreadable(path: string, error: Error): ImportError {
  return error instanceof ImportError ? error : unreadable(path, readTrouble(error), error);
}

/** By its first bytes (APPNOTE.TXT, 4.3.6). */
function isZip(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw asUnreadable(path, error as Error);
  }
  try {
    const start = Buffer.alloc(4);
    return readSync(file, start, 0, 4, 0) === 4 && start.readUInt32BE(0) === 0x504b0304;
  } finally {
    closeSync(file);
  }
}

async function openArchive(path: string, isWanted: NamesWanted): Promise<ExportedFile[]> {
  const { fromRandomAccessReaderPromise, RandomAccessReader } = await import('yauzl');
  /** Each reader of an entry opens the file for itself, so that none closes it for others. */
  class FileReader extends RandomAccessReader {
    override _readStreamForRange(start: number, end: number): Readable {
      return createReadStream(path, { start, end: end - 1 });
    }
  }
  try {
    const { size } = statSync(path);
    const archive = await fromRandomAccessReaderPromise(new FileReader(), size, { autoClose: false });
    if (archive.entryCount > maxEntries) throw new Error('it has more files than an export');
    const entries: Entry[] = [];
    for await (const entry of archive.eachEntry()) entries.push(entry);
    const names = new Set(entries.map(({ fileName }) => fileName));
    const files: ExportedFile[] = [];
    let bytes = 0;
    for (const entry of entries) {
      if (!isWanted(entry.fileName, names) || entry.fileName.startsWith('__MACOSX/')) continue;
      bytes += entry.uncompressedSize;
      if (bytes > maxUnpackedBytes) throw new Error('it unpacks to more than an export');
      files.push(entryOf(archive, entry, path));
    }
    return files.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw unreadable(path, (error as Error).message, error);
  }
}

/** While it is read, it is checked that it unpacks to no more than the archive says. */
function entryOf(archive: ZipFile, entry: Entry, path: string): ExportedFile {
  const name = `${path}/${entry.fileName}`;
  return {
    name,
    open: async () => {
      try {
        return await archive.openReadStreamPromise(entry);
      } catch (error) {
        throw unreadable(name, (error as Error).message, error);
      }
    },
  };
}

function streamOf(content: Content): Readable {
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const piece = Buffer.allocUnsafe(1 << 16);
        const length = await content.read(piece, 0);
        if (length === 0) return;
        yield piece.subarray(0, length);
      }
    } finally {
      content.close();
    }
  }
  return Readable.from(pieces(), { objectMode: false });
}

export function unreadable(name: string, why: string, cause?: unknown): ImportError {
  return new ImportError('unreadable', `${name} cannot be read: ${why}. Nothing was counted.`, { cause });
}
