import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Decrypter, Encrypter } from 'age-encryption';
import { BackupError } from './backup-error.ts';

/** Who can decrypt a file: anyone with the passphrase, or with the identity of one of the recipients (`age1…`). */
export type Lock = { passphrase: string } | { recipients: readonly string[] };

/** What opens it: the passphrase, or identities (`AGE-SECRET-KEY-1…`). */
export type Unlock = { passphrase: string } | { identities: readonly string[] };

/** How files of age begin (https://age-encryption.org/v1); what follows says how they are opened. */
const header = 'age-encryption.org/v1\n';
const passphraseStanza = '-> scrypt ';

/** As `age --armor` writes it. */
const armorHeader = '-----BEGIN AGE';

export type Locked = 'no' | 'passphrase' | 'identity' | 'armored';

export function lockOf(beginning: Buffer): Locked {
  const text = beginning.toString('latin1');
  if (text.startsWith(armorHeader)) return 'armored';
  if (!text.startsWith(header)) return 'no';
  return text.startsWith(passphraseStanza, header.length) ? 'passphrase' : 'identity';
}

/** Before any work is done. @throws BackupError for what is no recipient */
export async function requireRecipients(lock: Lock): Promise<void> {
  await createEncrypter(lock);
}

export async function encrypt(plain: Readable, lock: Lock): Promise<Readable> {
  return fromWeb(await (await createEncrypter(lock)).encrypt(toWeb(plain)));
}

async function createEncrypter(lock: Lock): Promise<Encrypter> {
  const encrypter = new (await import('age-encryption')).Encrypter();
  if ('passphrase' in lock) encrypter.setPassphrase(lock.passphrase);
  else for (const recipient of lock.recipients) addTo(encrypter, recipient);
  return encrypter;
}

function addTo(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    const advice = recipient.startsWith('age1') ? 'copy all of it' : 'such a one begins with "age1"';
    throw new BackupError(`"${recipient}" is not a recipient of age: ${advice}.`, { cause });
  }
}

/** The stream fails where the file was changed or cut. @throws BackupError where this does not open it */
export async function decrypt(encrypted: Readable, unlock: Unlock): Promise<Readable> {
  const decrypter = new (await import('age-encryption')).Decrypter();
  if ('passphrase' in unlock) decrypter.addPassphrase(unlock.passphrase);
  else for (const identity of unlock.identities) addIdentity(decrypter, identity);
  try {
    return fromWeb(await decrypter.decrypt(toWeb(encrypted)));
  } catch (cause) {
    const isUnknown = /no identity matched/.test((cause as Error).message);
    throw new BackupError(isUnknown ? wrongKey(unlock) : damaged(), { cause });
  }
}

/** Without the identity in the message. */
function addIdentity(decrypter: Decrypter, identity: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch (cause) {
    throw new BackupError(
      'The file of identities holds a line that is not an identity: each begins with "AGE-SECRET-KEY-1".',
      {
        cause,
      },
    );
  }
}

function wrongKey(unlock: Unlock): string {
  return 'passphrase' in unlock
    ? 'The passphrase is not the one that the backup was encrypted with. Nothing was changed.'
    : 'None of these identities opens the backup: it was encrypted to somebody else. Nothing was changed.';
}

export function damaged(): string {
  return 'The backup is damaged: it was changed or cut after it was made.';
}

function toWeb(stream: Readable): globalThis.ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>;
}

function fromWeb(stream: globalThis.ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as unknown as ReadableStream<Uint8Array>);
}
