import { parsePgpKey } from './pgp-key.ts';
import type { SigningKey } from './private-key.ts';
import { parseSshKey } from './ssh-key.ts';

/** Reads a key of ssh-keygen or of GPG. @throws Error with what is wrong, without the key */
export function parseSigningKey(text: string): SigningKey {
  return /^-----BEGIN PGP /.test(text.trim()) ? parsePgpKey(text) : parseSshKey(text);
}

/** Whether commits can be signed with it. */
export function isSigningKey(text: string): boolean {
  try {
    return parseSigningKey(text).mark.length > 0;
  } catch {
    return false;
  }
}

/** Whether a signature was made with this key. */
export function isSignedBy({ mark }: SigningKey, signature: string): boolean {
  // Without the lines around it, and the sum of GPG below it.
  return Buffer.from(signature.replace(/^[-=].*$/gm, ''), 'base64').includes(mark);
}
