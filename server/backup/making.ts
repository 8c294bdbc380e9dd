import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemTrouble, writeTrouble } from '../files/file-trouble.ts';
import { makePrivateFile } from '../files/private-file.ts';
import type { StoreFiles } from '../store/store-files.ts';
import { BackupError } from './backup-error.ts';
import { decrypt, encrypt, type Lock } from './encryption.ts';

interface Options {
  files: StoreFiles;
  withVisitors: boolean;
  /** Null: not encrypted. */
  lock: Lock | null;
}

/**
 * Writes a backup to a file, which is there whole or not at all. What was written is read again, as far as that is possible
 * without the key of a recipient.
 *
 * @throws BackupError
 */
export async function backUpToFile(target: string, mayReplace: boolean, options: Options): Promise<Made> {
  const { files, withVisitors, lock } = options;
  let missing: string[] = [];
  const bytes = await writeWhole(target, mayReplace, async (draft) => {
    missing = lock ? await writeEncrypted(draft, lock, options) : await files.copy(draft, { withVisitors });
  });
  return { bytes, missing };
}

export interface Made {
  bytes: number;
  /** Of a damaged database, what could not be read. */
  missing: string[];
}

/** Writes a file that is there whole or not at all, for its owner alone. Answers its length. @throws BackupError */
export function writeToFile(target: string, mayReplace: boolean, content: Readable): Promise<number> {
  return writeWhole(target, mayReplace, (draft) =>
    pipeline(content, createWriteStream(draft, { flush: true })),
  );
}

async function writeWhole(
  target: string,
  mayReplace: boolean,
  write: (draft: string) => Promise<void>,
): Promise<number> {
  refuseToReplace(target, mayReplace);
  const draft = makeDraft(target);
  try {
    await write(draft);
    refuseToReplace(target, mayReplace);
    renameSync(draft, target);
    await syncFolder(dirname(target));
    return statSync(target).size;
  } catch (error) {
    throw asBackupError(error, `The file ${target}`, target);
  } finally {
    rmSync(draft, { force: true });
  }
}

function makeDraft(target: string): string {
  const draft = `${target}.partial`;
  try {
    rmSync(draft, { force: true });
    makePrivateFile(draft);
    return draft;
  } catch (error) {
    throw asBackupError(error, `The file ${target}`, target);
  }
}

/** The same to where standard output leads. Answers what is missing. */
export async function backUpToStream(output: Writable, options: Options): Promise<string[]> {
  const { plain, missing } = await readCopy(options);
  await writeToStream(output, options.lock ? await encrypt(plain, options.lock) : plain);
  return missing;
}

export async function writeToStream(output: Writable, content: Readable): Promise<void> {
  try {
    await pipeline(content, output, { end: false });
  } catch (error) {
    throw asBackupError(error, 'Standard output');
  }
}

function refuseToReplace(target: string, mayReplace: boolean): void {
  if (!existsSync(target)) return;
  if (statSync(target).isDirectory()) {
    throw new BackupError(`The file ${target} cannot be written: it is a folder. Name a file in it.`);
  }
  if (mayReplace) return;
  throw new BackupError(`There is a file ${target} already: give another name, or --overwrite.`);
}

async function readCopy({ files, withVisitors }: Options): Promise<{ plain: Readable; missing: string[] }> {
  const { descriptor: fd, missing } = await files.copyUnnamed({ withVisitors });
  return { plain: createReadStream('', { fd, start: 0, autoClose: false }), missing };
}

async function writeEncrypted(draft: string, lock: Lock, options: Options): Promise<string[]> {
  const written = createHash('sha256');
  const copy = await readCopy(options);
  const plain = Readable.from(throughHash(copy.plain, written));
  await pipeline(await encrypt(plain, lock), createWriteStream(draft, { flush: true }));
  if (!('passphrase' in lock)) return copy.missing;
  const read = createHash('sha256');
  for await (const chunk of await decrypt(createReadStream(draft), lock)) read.update(chunk);
  if (read.digest('hex') !== written.digest('hex'))
    throw new BackupError(`What was written to ${draft} reads differently.`);
  return copy.missing;
}

async function* throughHash(stream: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    hash.update(chunk);
    yield chunk;
  }
}

/** A file that the power takes away was not written. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}

function asBackupError(error: unknown, what: string, target?: string): unknown {
  if ((error as NodeJS.ErrnoException).syscall === undefined) return error;
  const why = target === undefined ? systemTrouble(error as Error) : writeTrouble(target, error as Error);
  return new BackupError(`${what} cannot be written: ${why}.`, { cause: error });
}
