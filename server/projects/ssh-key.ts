import { createHash, type KeyObject, sign } from 'node:crypto';
import {
  type Curve,
  curves,
  importEc,
  importEd25519,
  importKey,
  importRsa,
  type SigningKey,
} from './private-key.ts';

interface SshKey {
  /** As signatures name it. */
  publicKey: Buffer;
  key: KeyObject;
  /** Of the signature, with the hash that it is made of. */
  algorithm: string;
  hash: 'sha256' | 'sha384' | 'sha512';
}

const frame =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\s]{1,20000})-----END OPENSSH PRIVATE KEY-----\s*$/;
const magic = Buffer.from('openssh-key-v1\0');

/** Reads fields of the form that SSH gives them: a length of four bytes, and so many bytes (RFC 4251, section 5). */
class Fields {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  take(length: number): Buffer {
    if (length > this.#rest.length) throw new Error('The key is cut off.');
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  number(): number {
    return this.take(4).readUInt32BE();
  }

  bytes(): Buffer {
    return this.take(this.number());
  }

  text(): string {
    return this.bytes().toString('latin1');
  }

  /** Without the zero that keeps it positive. */
  natural(): Buffer {
    const bytes = this.bytes();
    return bytes[0] === 0 ? bytes.subarray(1) : bytes;
  }
}

function field(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes as Buffer);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

/**
 * Reads a key as ssh-keygen or openssl write it: Ed25519, RSA or ECDSA, in the form of OpenSSH or as PEM (PKCS #1, SEC 1,
 * PKCS #8), without a passphrase.
 * https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key
 * @throws Error with what is wrong, without the key
 */
export function parseSshKey(text: string): SigningKey {
  const sshKey = readSshKey(text);
  return { sign: (payload) => signForGit(sshKey, payload), mark: field(sshKey.publicKey) };
}

function readSshKey(text: string): SshKey {
  const [, base64] = frame.exec(text.trim()) ?? [];
  // openssl may have the curve in front.
  if (base64 === undefined)
    return parsePem(text.trim().replace(/^-+BEGIN EC PARAMETERS-+[^-]+-+END EC PARAMETERS-+\s+/, ''));
  const outside = new Fields(Buffer.from(base64, 'base64'));
  if (!outside.take(magic.length).equals(magic)) throw new Error('It is of an unknown form.');
  if (outside.text() !== 'none') throw new Error('It has a passphrase.');
  outside.bytes();
  outside.bytes();
  if (outside.number() !== 1) throw new Error('It holds more than one key.');
  const publicKey = Buffer.from(outside.bytes());
  const inside = new Fields(outside.bytes());
  // Two numbers that are the same where the key was decrypted well.
  if (!inside.take(4).equals(inside.take(4))) throw new Error('It is damaged.');
  return { publicKey, ...readPrivate(inside) };
}

const pem = /^-----BEGIN (?:(?:EC|RSA|ENCRYPTED) )?PRIVATE KEY-----\r?\n[\x20-\x7e\s]{1,20000}$/;

function parsePem(text: string): SshKey {
  if (!pem.test(text)) throw new Error('It is no private key in the form of OpenSSH or PEM.');
  if (text.includes('ENCRYPTED')) throw new Error('It has a passphrase.');
  const key = importKey({ key: text, format: 'pem' });
  const { kty, crv = '', ...jwk } = key.export({ format: 'jwk' });
  const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name] ?? '', 'base64url');
  if (crv === 'Ed25519')
    return { key, algorithm: 'ssh-ed25519', hash: 'sha512', publicKey: joined('ssh-ed25519', part('x')) };
  if (kty === 'RSA') {
    const publicKey = joined('ssh-rsa', positive(part('e')), positive(part('n')));
    return { key, algorithm: 'rsa-sha2-512', hash: 'sha512', publicKey };
  }
  if (!(crv in curves)) throw new Error(`It is of the kind ${crv || kty}.`);
  const name = `nistp${crv.slice(2)}`;
  const point = Buffer.concat([Buffer.from([4]), part('x'), part('y')]);
  const algorithm = `ecdsa-sha2-${name}`;
  return { key, algorithm, hash: curves[crv as Curve].hash, publicKey: joined(algorithm, name, point) };
}

const joined = (...parts: readonly (Buffer | string)[]) => Buffer.concat(parts.map(field));

function readPrivate(fields: Fields): Omit<SshKey, 'publicKey'> {
  const type = fields.text();
  switch (type) {
    case 'ssh-ed25519': {
      const x = fields.bytes();
      const d = fields.bytes().subarray(0, 32);
      const key = importEd25519(x, d);
      return { key, algorithm: type, hash: 'sha512' };
    }
    case 'ssh-rsa': {
      const [n, e, d, qi, p, q] = Array.from({ length: 6 }, () => fields.natural()) as Six;
      return { key: importRsa({ n, e, d, p, q, qi }), algorithm: 'rsa-sha2-512', hash: 'sha512' };
    }
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521': {
      const curve = `P-${type.slice(-3)}` as Curve;
      fields.bytes();
      const point = fields.bytes();
      const key = importEc(curve, point, fields.natural());
      return { key, algorithm: type, hash: curves[curve].hash };
    }
    default:
      throw new Error(`It is of the kind ${JSON.stringify(type.slice(0, 50))}.`);
  }
}

type Six = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];

/**
 * Signs what git signs of a commit, as `ssh-keygen -Y sign -n git` does.
 * https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig
 */
function signForGit(sshKey: SshKey, payload: Buffer): string {
  const head = [field('git'), field(''), field('sha512')];
  const digest = createHash('sha512').update(payload).digest();
  const signed = Buffer.concat([Buffer.from('SSHSIG'), ...head, field(digest)]);
  const version = Buffer.from([0, 0, 0, 1]);
  const signature = Buffer.concat([field(sshKey.algorithm), field(signBytes(sshKey, signed))]);
  const blob = [Buffer.from('SSHSIG'), version, field(sshKey.publicKey), ...head, field(signature)];
  const lines =
    Buffer.concat(blob)
      .toString('base64')
      .match(/.{1,70}/g) ?? [];
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----'].join('\n');
}

function signBytes({ key, algorithm, hash }: SshKey, bytes: Buffer): Buffer {
  if (algorithm === 'ssh-ed25519') return sign(null, bytes, key);
  if (algorithm === 'rsa-sha2-512') return sign(hash, bytes, key);
  const raw = sign(hash, bytes, { key, dsaEncoding: 'ieee-p1363' });
  const half = raw.length / 2;
  return Buffer.concat([field(positive(raw.subarray(0, half))), field(positive(raw.subarray(half)))]);
}

/** A number as SSH writes it: without zeros before it, but one where its first bit is set. */
function positive(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const short = bytes.subarray(start < 0 ? bytes.length : start);
  return (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short;
}
