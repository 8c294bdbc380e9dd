import { constants, type KeyObject, verify } from 'node:crypto';
import { UncheckedError } from './signature-error.ts';

/** A key with the one algorithm that its directory allows it, by the names of RFC 9421; without: any of its type. */
export interface SigningKey {
  key: KeyObject;
  alg?: Algorithm;
}

const rsaPss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };

/** Sections 3.3.1, 3.3.2 and 3.3.6 of RFC 9421. */
const algorithms = {
  ed25519: { type: 'ed25519', hash: null, options: {} },
  'rsa-pss-sha512': { type: 'rsa', hash: 'sha512', options: rsaPss },
  'rsa-v1_5-sha256': { type: 'rsa', hash: 'sha256', options: {} },
} as const;
export type Algorithm = keyof typeof algorithms;

/** @throws UncheckedError for one that is not checked here */
export function checkAlgorithm(alg: string | undefined): Algorithm | undefined {
  if (alg === undefined || Object.hasOwn(algorithms, alg)) return alg as Algorithm | undefined;
  throw new UncheckedError('It is signed by an algorithm that is not checked here.');
}

/**
 * Whether the key made the signature of the text.
 *
 * @param alg that the signature says; left out: what the directory says of its key, or else the usual one of its type
 * @throws UncheckedError if the key is for another algorithm
 */
export function isSignedBy(
  signing: SigningKey,
  alg: Algorithm | undefined,
  text: string,
  signature: Uint8Array,
): boolean {
  const { key } = signing;
  const usual = key.asymmetricKeyType === 'rsa' ? 'rsa-pss-sha512' : 'ed25519';
  const name = alg ?? signing.alg ?? usual;
  const { type, hash, options } = algorithms[name];
  if (key.asymmetricKeyType !== type || (signing.alg ?? name) !== name) {
    throw new UncheckedError('Its key is for another algorithm than it is signed by.');
  }
  return verify(hash, Buffer.from(text), { key, ...options }, signature);
}
