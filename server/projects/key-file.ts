import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { decodeKey, keyBytes } from '../config/secret-key.ts';
import { readTrouble, writeTrouble } from '../files/file-trouble.ts';

/** A secret that cannot be kept or read; the message says what to do, and holds nothing of it. */
export class SecretError extends Error {}

/** The key's name in the data folder. */
export const keyFile = 'secret.key';

/** The key of the environment, or of the file, which is made where there is none. @throws SecretError */
export function loadSecretKey(config: Pick<Config, 'dataDir' | 'secretKey'>): Buffer {
  return findSecretKey(config) ?? makeKeyFile(join(config.dataDir, keyFile));
}

/** The same, and nothing is made. */
export function findSecretKey({
  dataDir,
  secretKey,
}: Pick<Config, 'dataDir' | 'secretKey'>): Buffer | undefined {
  return secretKey ?? readKeyFile(join(dataDir, keyFile));
}

export function readKeyFile(file: string): Buffer | undefined {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(file, 'ascii').trim();
    mode = statSync(file).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SecretError(`The key file ${file} cannot be read: ${readTrouble(error as Error)}.`, {
      cause: error,
    });
  }
  if ((mode & 0o077) !== 0) {
    throw new SecretError(
      `The key file ${file} can be read by others: take it from them with "chmod 600 ${file}".`,
    );
  }
  const key = decodeKey(text);
  if (!key) throw new SecretError(`The key file ${file} is damaged: restore it from a backup.`);
  return key;
}

/** Whole or not at all, and never over a key that is there: another process may make one at the same moment. */
export function makeKeyFile(file: string): Buffer {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeDurably(draft, `${randomBytes(keyBytes).toString('base64')}\n`);
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new SecretError(`The key file ${file} cannot be made: ${writeTrouble(file, error as Error)}.`, {
        cause: error,
      });
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return readKeyFile(file) as Buffer;
}

function writeDurably(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The key must be on disk before anything is encrypted with it. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
