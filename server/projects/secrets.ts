import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { administrator } from '../../shared/accounts/user.ts';
import type { SecretName } from '../../shared/secrets.ts';
import { program } from '../process/program.ts';
import type { EncryptedSecrets } from '../store/projects.ts';
import type { Store } from '../store/store.ts';
import { keyFile, makeKeyFile, readKeyFile, SecretError } from './key-file.ts';

export type SecretTexts = Partial<Record<SecretName, string>>;

/** How commands name them. */
export const secretOptionOf = {
  forgeToken: 'forge-token',
  githubAppKey: 'github-app-key',
  repositoryTokens: 'repository-tokens',
  forgeWebhookSecret: 'forge-webhook-secret',
  signingKey: 'signing-key',
  webhookUrl: 'webhook-url',
  webhookSecret: 'webhook-secret',
} as const satisfies Record<SecretName, string>;

interface SecretsOptions {
  store: Pick<Store, 'readSecrets'>;
  dataDir: string;
  /** HEADCOUNT_SECRET_KEY; null: a file in the data folder. */
  secretKey: Buffer | null;
}

const version = 1;
const ivBytes = 12;
const tagBytes = 16;

/** Where a secret is kept, and what to do where it cannot be read. */
interface Binding {
  /** Binds a secret to its place: moved to another one it cannot be read. */
  purpose: string;
  /** How it is called in messages. */
  name: string;
  remedy: string;
}

/** Secrets of projects and accounts, encrypted by AES-256-GCM before they go to the store. */
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
  encrypt(projectId: string, texts: Partial<Record<SecretName, string | null>>): EncryptedSecrets {
    const entries = Object.entries(texts) as [SecretName, string | null][];
    return Object.fromEntries(
      entries.map(([name, text]) => [
        name,
        text === null ? null : this.#encrypt(ofProject(projectId, name), text),
      ]),
    );
  }

  /** Those that are set, in the clear: for the one who uses them, and never to be shown. @throws SecretError */
  async read(projectId: string): Promise<SecretTexts> {
    const encrypted = Object.entries(await this.#store.readSecrets(projectId)) as [SecretName, Uint8Array][];
    return Object.fromEntries(
      encrypted.map(([name, bytes]) => [name, this.#open(ofProject(projectId, name), Buffer.from(bytes))]),
    );
  }

  /** The secret of an account's second factor. @throws SecretError */
  encryptFactor(userId: string | null, text: string): Uint8Array {
    return this.#encrypt(ofAccount(userId), text);
  }

  /** @throws SecretError */
  readFactor(userId: string | null, encrypted: Uint8Array): string {
    return this.#open(ofAccount(userId), Buffer.from(encrypted));
  }

  /** The state of signing in by a provider, which the browser keeps meanwhile. @throws SecretError */
  encryptAuthState(text: string): Uint8Array {
    return this.#encrypt(ofAuthState, text);
  }

  /** @throws SecretError */
  readAuthState(encrypted: Uint8Array): string {
    return this.#open(ofAuthState, Buffer.from(encrypted));
  }

  /** The forms of the secret key in files and settings, to be redacted everywhere. Empty where there is none yet. */
  ownTexts(): string[] {
    const key = this.#givenKey ?? readKeyFile(this.#file);
    return key ? [key.toString('base64'), key.toString('hex')] : [];
  }

  #encrypt({ purpose }: Binding, text: string): Uint8Array {
    const key = this.#givenKey ?? readKeyFile(this.#file) ?? makeKeyFile(this.#file);
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(purpose));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), encrypted]);
  }

  #open({ purpose, name, remedy }: Binding, encrypted: Buffer): string {
    const key = this.#givenKey ?? readKeyFile(this.#file);
    if (!key) throw new SecretError(`The key file ${this.#file} is missing: ${remedy}`);
    const iv = encrypted.subarray(1, 1 + ivBytes);
    const tag = encrypted.subarray(1 + ivBytes, 1 + ivBytes + tagBytes);
    try {
      if (encrypted[0] !== version) throw new Error('unknown version');
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(tag);
      const rest = encrypted.subarray(1 + ivBytes + tagBytes);
      return Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8');
    } catch {
      const source = this.#givenKey ? 'HEADCOUNT_SECRET_KEY' : this.#file;
      throw new SecretError(`The ${name} cannot be decrypted with the key in ${source}: ${remedy}`);
    }
  }
}

/** The problem with the secrets of a project. Undefined: all of them can be read. */
export async function findLock(
  secrets: Pick<Secrets, 'read'>,
  projectId: string,
): Promise<SecretError | undefined> {
  try {
    await secrets.read(projectId);
    return undefined;
  } catch (error) {
    if (error instanceof SecretError) return error;
    throw error;
  }
}

function ofProject(projectId: string, name: SecretName): Binding {
  return {
    purpose: `headcount ${projectId} ${name}`,
    name: `${name} of project ${projectId}`,
    remedy: `restore the key that was there before, or set the secret again with "${program} project set <project> --${secretOptionOf[name]}-stdin".`,
  };
}

const ofAuthState: Binding = {
  purpose: 'headcount errand to a provider',
  name: 'state of signing in',
  remedy: 'begin again.',
};

function ofAccount(userId: string | null): Binding {
  const account = userId ?? administrator;
  return {
    purpose: `headcount second factor ${account}`,
    name: `second factor of ${account}`,
    remedy: `restore the key that was there before, or turn it off with "${program} user reset-factor <name>".`,
  };
}
