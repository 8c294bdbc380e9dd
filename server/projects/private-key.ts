import { createPrivateKey, type KeyObject } from 'node:crypto';

/** A private key with which commits are signed. */
export interface SigningKey {
  /** Signs what git signs of a commit. @param now milliseconds since 1970 */
  sign(payload: Buffer, now: number): string;
  /** By which a signature names the key that made it. */
  mark: Buffer;
}

/** The numbers that an RSA key is made of; `qi` is the inverse of `q` modulo `p`. */
interface RsaNumbers {
  n: Buffer;
  e: Buffer;
  d: Buffer;
  p: Buffer;
  q: Buffer;
  qi: Buffer;
}

export function importRsa({ d, p, q, ...rest }: RsaNumbers): KeyObject {
  return importNumbers({ kty: 'RSA' }, { ...rest, d, p, q, dp: remainder(d, p), dq: remainder(d, q) });
}

export function importEd25519(x: Buffer, d: Buffer): KeyObject {
  return importNumbers({ kty: 'OKP', crv: 'Ed25519' }, { x, d });
}

/** @param point a byte for its form, and two coordinates */
export function importEc(curve: Curve, point: Buffer, d: Buffer): KeyObject {
  const { size } = curves[curve];
  const parts = { x: point.subarray(1, 1 + size), y: point.subarray(1 + size), d: padded(d, size) };
  return importNumbers({ kty: 'EC', crv: curve }, parts);
}

export const curves = {
  'P-256': { size: 32, hash: 'sha256' },
  'P-384': { size: 48, hash: 'sha384' },
  'P-521': { size: 66, hash: 'sha512' },
} as const;

export type Curve = keyof typeof curves;

/** With the zeros before it that a number of this size may lack. */
export function padded(number: Buffer, size: number): Buffer {
  return Buffer.concat([Buffer.alloc(size), number]).subarray(-size);
}

function importNumbers(kind: Record<string, string>, parts: Record<string, Buffer>): KeyObject {
  const numbers = Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64url')]);
  return importKey({ key: { ...kind, ...Object.fromEntries(numbers) }, format: 'jwk' });
}

/** @throws Error with what is wrong, without the key */
export function importKey(input: Parameters<typeof createPrivateKey>[0]): KeyObject {
  try {
    return createPrivateKey(input);
  } catch {
    throw new Error('It is damaged.');
  }
}

/** Of `d` by `prime - 1`: RSA is calculated in these two halves. */
function remainder(d: Buffer, prime: Buffer): Buffer {
  const hex = (BigInt(`0x${d.toString('hex')}`) % (BigInt(`0x${prime.toString('hex')}`) - 1n)).toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}
