import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SecretName } from '../../shared/job-settings.ts';
import { decodeKey, keyBytes } from '../config/secret-key.ts';
import type { EncryptedSecrets } from '../store/project-store.ts';
import type { Store } from '../store/store.ts';

/** A secret that cannot be kept or read; the message says what to do, and holds nothing of it. */
export class SecretError extends Error {}

export type SecretTexts = Partial<Record<SecretName, string>>;

interface SecretsOptions {
  store: Pick<Store, 'readSecrets'>;
  dataDir: string;
  /** HEADCOUNT_SECRET_KEY; null: a file in the data folder. */
  secretKey: Buffer | null;
}

const keyFile = 'secret.key';
const version = 1;
const ivBytes = 12;
const tagBytes = 16;

/** Secrets of projects, encrypted by AES-256-GCM before they go to the store. */
export class Secrets {
  readonly #store: SecretsOptions['store'];
  readonly #file: string;
  readonly #givenKey: Buffer | null;

  constructor({ store, dataDir, secretKey }: SecretsOptions) {
    this.#store = store;
    this.#file = join(dataDir, keyFile);
    this.#givenKey = secretKey;
  }

  /** Makes the key file at the first need. Null stays: it removes a secret. @throws SecretError */
  seal(projectId: string, texts: Partial<Record<SecretName, string | null>>): EncryptedSecrets {
    const entries = Object.entries(texts) as [SecretName, string | null][];
    return Object.fromEntries(
      entries.map(([name, text]) => [name, text === null ? null : this.#seal(projectId, name, text)]),
    );
  }

  /** Those that are set, in the clear: for the one who uses them, and never to be shown. @throws SecretError */
  async read(projectId: string): Promise<SecretTexts> {
    const sealed = Object.entries(await this.#store.readSecrets(projectId)) as [SecretName, Uint8Array][];
    return Object.fromEntries(
      sealed.map(([name, bytes]) => [name, this.#open(projectId, name, Buffer.from(bytes))]),
    );
  }

  #seal(projectId: string, name: SecretName, text: string): Uint8Array {
    const key = this.#givenKey ?? readKeyFile(this.#file) ?? makeKeyFile(this.#file);
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(purposeOf(projectId, name));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), encrypted]);
  }

  #open(projectId: string, name: SecretName, sealed: Buffer): string {
    const key = this.#givenKey ?? readKeyFile(this.#file);
    if (!key) throw new SecretError(`The key file ${this.#file} is missing: ${this.#remedy(name)}`);
    const iv = sealed.subarray(1, 1 + ivBytes);
    const tag = sealed.subarray(1 + ivBytes, 1 + ivBytes + tagBytes);
    try {
      if (sealed[0] !== version) throw new Error('unknown version');
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
        .setAAD(purposeOf(projectId, name))
        .setAuthTag(tag);
      const rest = sealed.subarray(1 + ivBytes + tagBytes);
      return Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8');
    } catch {
      const source = this.#givenKey ? 'HEADCOUNT_SECRET_KEY' : this.#file;
      throw new SecretError(
        `The ${name} of project ${projectId} cannot be decrypted with the key in ${source}: ${this.#remedy(name)}`,
      );
    }
  }

  #remedy(name: SecretName): string {
    const option = name === 'forgeToken' ? '--forge-token-stdin' : '--github-app-key-stdin';
    return `restore the key that was there before, or set the secret again with "project set <project> ${option}".`;
  }
}

/** Binds a secret to its place: moved to another project or name it cannot be read. */
function purposeOf(projectId: string, name: SecretName): Buffer {
  return Buffer.from(`headcount ${projectId} ${name}`);
}

function readKeyFile(file: string): Buffer | undefined {
  let text: string;
  let mode: number;
  try {
    text = readFileSync(file, 'ascii').trim();
    mode = statSync(file).mode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new SecretError(`The key file ${file} cannot be read: ${(error as Error).message}.`);
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
function makeKeyFile(file: string): Buffer {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeDurably(draft, `${randomBytes(keyBytes).toString('base64')}\n`);
    linkSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new SecretError(`The key file ${file} cannot be made: ${(error as Error).message}.`);
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

/** What is encrypted with a key must not outlive it when the power goes. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
