import { createPrivateKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { CatalogueError } from './catalogue-error.ts';

/** The first line of a signed catalogue; all that follows it is signed, to the byte. */
const firstLine = /^headcount-catalogue ed25519 ([A-Za-z0-9+/]{86}==)\n/;

/** Some ten times the usual size. */
export const maxBytes = 500_000;

/** @param privateKey PEM, of Ed25519. @throws CatalogueError */
export function signText(text: string, privateKey: string): string {
  const signature = sign(null, Buffer.from(text), readPrivateKey(privateKey)).toString('base64');
  return `headcount-catalogue ed25519 ${signature}\n${text}`;
}

/** The text that one of the keys signed. @throws CatalogueError */
export function verifyText(signed: string, keys: readonly KeyObject[]): string {
  if (Buffer.byteLength(signed) > maxBytes) throw new CatalogueError(`It has more than ${maxBytes} bytes.`);
  const [line = '', signature = ''] = firstLine.exec(signed) ?? [];
  if (line === '') {
    throw new CatalogueError(
      'It does not begin with the line "headcount-catalogue ed25519 …" of a signed catalogue.',
    );
  }
  const text = signed.slice(line.length);
  const isGood = keys.some((key) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64')));
  if (isGood) return text;
  throw new CatalogueError(
    'Its signature is not by the key of HEADCOUNT_CATALOGUE_KEY: it was changed after it was signed, or somebody else signed it.',
  );
}

/** Whether one of the keys signed it. */
export function isSigned(signed: string, keys: readonly KeyObject[]): boolean {
  try {
    verifyText(signed, keys);
    return true;
  } catch (error) {
    if (error instanceof CatalogueError) return false;
    throw error;
  }
}

function readPrivateKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The cause does not belong in messages.
  }
  throw new CatalogueError('The key is not a private Ed25519 key in PEM, as "catalogue key" makes them.');
}

/** A private key in PEM, and the public one as a setting has it. */
export function makeKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    publicKey: Buffer.from(x, 'base64url').toString('base64'),
  };
}
