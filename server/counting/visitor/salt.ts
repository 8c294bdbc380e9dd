import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Day } from '../calendar.ts';

/** How long the throw-away salt of an imported day is kept, so that the next log goes on with its visitors. */
export const importSaltMs = 24 * 60 * 60 * 1000;

/** The day whose visitors a salt names. */
export interface SaltPlace {
  projectId: string;
  day: Day;
}

const version = 1;
const saltBytes = 16;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts salts (AES-256-GCM), so that nobody with the database but without the key can identify a visitor. A salt is
 * bound to its project and day: elsewhere it cannot be decrypted.
 */
export class SaltCipher {
  readonly #key: Buffer;

  /** @param secretKey 32 bytes that other things may be encrypted with too; salts get a key of their own from it */
  constructor(secretKey: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'headcount salts of days', 32));
  }

  /** A new random salt, encrypted. */
  make(place: SaltPlace): Uint8Array {
    return this.encrypt(place, randomBytes(saltBytes));
  }

  encrypt(place: SaltPlace, salt: Uint8Array): Uint8Array {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(bytesOf(place));
    const encrypted = Buffer.concat([cipher.update(salt), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), encrypted]);
  }

  /** As the hash of visitors takes it. Undefined: it was encrypted with another key, or for another place. */
  decrypt(place: SaltPlace, encrypted: Uint8Array): string | undefined {
    if (encrypted.length !== 1 + ivBytes + tagBytes + saltBytes || encrypted[0] !== version) return undefined;
    const bytes = Buffer.from(encrypted);
    const [ivEnd, tagEnd] = [1 + ivBytes, 1 + ivBytes + tagBytes];
    const [iv, tag] = [bytes.subarray(1, ivEnd), bytes.subarray(ivEnd, tagEnd)];
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv, { authTagLength: tagBytes })
      .setAAD(bytesOf(place))
      .setAuthTag(tag);
    try {
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('hex');
    } catch {
      return undefined;
    }
  }
}

/** Up to 0.1 salts were kept as they are. */
export function isPlainSalt(salt: Uint8Array): boolean {
  return salt.length === saltBytes;
}

/** In a backup without visitors, an open day has no salt. */
export function isLeftOut(salt: Uint8Array): boolean {
  return salt.length === 0;
}

function bytesOf({ projectId, day }: SaltPlace): Buffer {
  return Buffer.from(`headcount ${projectId} ${day}`);
}
