import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreError } from '../store/store.ts';
import type { FileContent, StoreFiles } from '../store/store-files.ts';
import { BackupError } from './backup-error.ts';
import { damaged, decrypt, type Locked, lockOf, type Unlock } from './encryption.ts';

interface Options {
  files: StoreFiles;
  /** Null: standard input. */
  input: Readable;
  mayReplace: boolean;
  /** Asked for what opens the backup, where it is encrypted. */
  unlock: (by: 'passphrase' | 'identity') => Promise<Unlock>;
}

export interface Restored extends FileContent {
  /** Where the database is kept that was there before; null: there was none. */
  kept: string | null;
}

/** Longer than all signatures by which file types are recognised. */
const beginningBytes = 64;

/** Puts a backup in the place of the database, after it was read to its end and looked at. @throws BackupError, StoreError */
export async function restore({ files, input, mayReplace, unlock }: Options): Promise<Restored> {
  const { draft, isInUse } = await files.hold();
  if (isInUse && !mayReplace) {
    throw new BackupError(
      'There is a database in the data folder already: give --replace to put the backup in its place, or set HEADCOUNT_DATA_DIR to an empty folder.',
    );
  }
  const [beginning, whole] = await peek(input);
  const locked = lockOf(beginning);
  if (locked === 'no') requireDatabase(beginning);
  const plain = locked === 'no' ? whole : await decrypt(whole, await unlock(keyOf(locked)));
  await write(plain, draft);
  const content = await inspect(files);
  return { ...content, kept: await files.useDraft() };
}

function keyOf(locked: Exclude<Locked, 'no'>): 'passphrase' | 'identity' {
  if (locked !== 'armored') return locked;
  throw new BackupError(
    'The backup is encrypted as text (armor): turn it into bytes first, with "age" itself.',
  );
}

async function inspect(files: StoreFiles): Promise<FileContent> {
  try {
    return await files.inspectDraft();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code === 'in_use') throw error;
    throw new BackupError(`The backup cannot be used: ${lowerFirst(error.message)} Nothing was changed.`, {
      cause: error,
    });
  }
}

/** The first bytes, and a stream that still has them. */
async function peek(input: Readable): Promise<[Buffer, Readable]> {
  const chunks = input[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first: Buffer[] = [];
  let length = 0;
  while (length < beginningBytes) {
    const { value, done } = await chunks.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const beginning = Buffer.concat(first);
  const whole = async function* () {
    yield beginning;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  };
  return [beginning, Readable.from(whole())];
}

const packers = [
  { magic: '1f8b', unpack: 'gunzip' },
  { magic: '28b52ffd', unpack: 'zstd -d' },
  { magic: 'fd377a585a00', unpack: 'xz -d' },
  { magic: '425a68', unpack: 'bunzip2' },
];

function requireDatabase(beginning: Buffer): void {
  if (beginning.toString('latin1', 0, 16) === 'SQLite format 3\0') return;
  if (beginning.length === 0) throw new BackupError('The backup is empty. Nothing was changed.');
  const packer = packers.find(({ magic }) => beginning.toString('hex').startsWith(magic));
  const remedy = packer ? `it is packed: unpack it first, with "${packer.unpack}".` : 'it is something else.';
  throw new BackupError(`This is not a backup of Headcount: ${remedy} Nothing was changed.`);
}

async function write(plain: Readable, draft: string): Promise<void> {
  try {
    await pipeline(plain, createWriteStream(draft));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOSPC')
      throw new BackupError('There is no room for the backup in the data folder. Nothing was changed.', {
        cause,
      });
    if (cause instanceof Error && 'syscall' in cause)
      throw new BackupError(`The backup cannot be read: ${message}.`, { cause });
    throw new BackupError(`${damaged()} Nothing was changed.`, { cause });
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
