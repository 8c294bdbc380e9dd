import { hash, randomInt } from 'node:crypto';
import { type KeyScope, keyScopes } from '../../shared/accounts/key-scope.ts';
import type { StoredKey } from '../store/projects.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

// 62^28 is more than 2^166; the checksum of 32 bits takes six more characters.
const secretLength = 28;
const checksumLength = 6;
const keyShape = new RegExp(`^hc_(${keyScopes.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}$`);

export function randomText(length: number, characters = alphabet): string {
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

function checksum(text: string): string {
  // Loaded with the first key: a server that only counts needs nothing of it.
  let rest = process.getBuiltinModule('node:zlib').crc32(text);
  let digits = '';
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}

/** Whether a text is built like a key, checksum included: a mistyped key needs no look-up. */
export function isKey(text: string): boolean {
  if (!keyShape.test(text)) return false;
  return text.slice(-checksumLength) === checksum(text.slice(0, -checksumLength));
}

export function hashKey(key: string): string {
  return hash('sha256', key);
}

export interface MadeKey {
  /** Shown once, never stored. */
  secret: string;
  stored: StoredKey;
}

/** Further limits of a key, and the key that makes it. */
type KeyLimits = Partial<Pick<StoredKey, 'expiresAt' | 'networks' | 'maker'>>;

/** `projectId` null: for all projects of this installation. */
export function makeKey(
  scope: KeyScope,
  projectId: string | null,
  name: string,
  now: number,
  { expiresAt = null, networks = [], maker = null }: KeyLimits = {},
): MadeKey {
  const body = `hc_${scope}_${randomText(secretLength)}`;
  const secret = body + checksum(body);
  return {
    secret,
    stored: {
      id: `key_${randomText(12)}`,
      hash: hashKey(secret),
      name,
      scope,
      projectId,
      createdAt: new Date(now).toISOString(),
      expiresAt,
      networks,
      maker,
    },
  };
}
