import { createHash, type KeyObject, sign } from 'node:crypto';
import {
  type Curve,
  curves,
  importEc,
  importEd25519,
  importRsa,
  padded,
  type SigningKey,
} from './private-key.ts';

// Keys and signatures of OpenPGP, version 4, as GPG makes them: https://www.rfc-editor.org/rfc/rfc9580
// GPG itself would start an agent for each homedir, and want the key in a file there.

const secretKey = 5;
const secretSubkey = 7;
const signature = 2;
const rsa = 1;
const ecdsa = 19;
const eddsa = 22;
const ed25519 = 27;

interface PgpKey {
  algorithm: number;
  /** Undefined: it is elsewhere, has a passphrase, or is of a kind that signs nothing. */
  key: KeyObject | undefined;
  hash: 'sha256' | 'sha384' | 'sha512';
  fingerprint: Buffer;
  hasPassphrase: boolean;
  isRevoked: boolean;
  maySign: boolean;
}

/**
 * Reads what `gpg --export-secret-keys --armor` writes of one key without a passphrase. As GPG does, it signs with the newest
 * subkey for signatures, or else with the key itself. @throws Error with what is wrong, without the key
 */
export function parsePgpKey(text: string): SigningKey {
  const keys = readKeys(unarmored(text));
  const usable = keys.filter(({ maySign, isRevoked }) => maySign && !isRevoked);
  const [first] = keys;
  const found = usable.slice(first && usable[0] === first ? 1 : 0).findLast(({ key }) => key) ?? usable[0];
  const { key, ...chosen } = found ?? {};
  if (found?.hasPassphrase) throw new Error('It has a passphrase.');
  if (!key || !found) throw new Error('It holds no key that signs: Ed25519, RSA or ECDSA.');
  return {
    sign: (payload, now) => signForGit({ ...found, ...chosen, key }, payload, now),
    mark: found.fingerprint,
  };
}

/** https://www.rfc-editor.org/rfc/rfc9580#section-6.2 */
function unarmored(text: string): Buffer {
  const [, base64] =
    /^-----BEGIN PGP PRIVATE KEY BLOCK-----[ \t]*\r?\n(?:[^\r\n]{1,500}:[^\r\n]{0,500}\r?\n){0,20}[ \t]*\r?\n([A-Za-z0-9+/\s]{1,50000}={0,2})\s*(?:=[A-Za-z0-9+/]{4}\s*)?-----END PGP PRIVATE KEY BLOCK-----\s*$/.exec(
      text.trim(),
    ) ?? [];
  if (base64 === undefined)
    throw new Error('It does not begin with "-----BEGIN PGP PRIVATE KEY BLOCK-----".');
  return Buffer.from(base64, 'base64');
}

/** The key itself, and then its subkeys. */
function readKeys(bytes: Buffer): PgpKey[] {
  const keys: PgpKey[] = [];
  for (const { tag, body } of readPackets(bytes)) {
    if (tag === secretKey && keys.length > 0) throw new Error('It holds more than one key.');
    if (tag === secretKey || tag === secretSubkey) keys.push(readKey(body));
    const last = keys.at(-1);
    if (tag === signature && last && body[0] === 4) readBinding(last, body);
  }
  return keys;
}

/** https://www.rfc-editor.org/rfc/rfc9580#section-4.2 */
function readPackets(bytes: Buffer): { tag: number; body: Buffer }[] {
  const packets: { tag: number; body: Buffer }[] = [];
  const fields = new Fields(bytes);
  while (!fields.isDone) {
    const head = fields.number(1);
    const isNew = (head & 0x40) !== 0;
    const size = isNew ? newLength(fields) : oldLength(fields, head & 3);
    packets.push({ tag: isNew ? head & 0x3f : (head >> 2) & 0xf, body: fields.take(size) });
  }
  return packets;
}

function newLength(fields: Fields): number {
  const first = fields.number(1);
  if (first < 192) return first;
  if (first < 224) return ((first - 192) << 8) + fields.number(1) + 192;
  if (first === 255) return fields.number(4);
  throw new Error('It is of an unknown form.');
}

function oldLength(fields: Fields, kind: number): number {
  if (kind === 3) throw new Error('It is of an unknown form.');
  return fields.number(2 ** kind);
}

class Fields {
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** All that was taken so far. */
  get taken(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  take(size: number): Buffer {
    if (this.#at + size > this.#bytes.length) throw new Error('The key is cut off.');
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }

  number(size: number): number {
    return this.take(size).readUIntBE(0, size);
  }

  /** A number with its length in bits before it. */
  natural(): Buffer {
    return this.take(Math.ceil(this.number(2) / 8));
  }
}

/** https://www.rfc-editor.org/rfc/rfc9580#section-5.5.3 */
function readKey(body: Buffer): PgpKey {
  const fields = new Fields(body);
  if (fields.number(1) !== 4) throw new Error('It is of an unknown version.');
  fields.take(4);
  const algorithm = fields.number(1);
  const none = { algorithm, isRevoked: false, maySign: false } as const;
  const read = readers[algorithm];
  // One that encrypts, or of a kind that few use.
  if (!read)
    return { ...none, key: undefined, hash: 'sha512', fingerprint: Buffer.alloc(0), hasPassphrase: false };
  const { hash, finish } = read(fields);
  const open = fields.taken;
  const length = Buffer.from([0x99, open.length >> 8, open.length & 0xff]);
  const fingerprint = createHash('sha1').update(length).update(open).digest();
  const protection = fields.number(1);
  const kind = protection === 0 ? 0 : (body[fields.taken.length + 1] ?? 0);
  // 101: https://github.com/gpg/gnupg/blob/master/doc/DETAILS, the key is kept elsewhere.
  const isElsewhere = kind === 101;
  const key = protection === 0 ? finish() : undefined;
  return { ...none, key, hash, fingerprint, hasPassphrase: protection !== 0 && !isElsewhere };
}

type Reader = (fields: Fields) => { hash: PgpKey['hash']; finish: () => KeyObject | undefined };

/** The public numbers of each kind of key that signs, and then the private ones. */
const readers: Readonly<Record<number, Reader>> = {
  [rsa]: readRsa,
  3: readRsa,
  [ecdsa]: (fields) => {
    const oid = fields.take(fields.number(1)).toString('hex');
    const point = fields.natural();
    const curve = curveOf[oid];
    const hash = curve ? curves[curve].hash : 'sha512';
    return { hash, finish: () => curve && importEc(curve, point, fields.natural()) };
  },
  [eddsa]: (fields) => {
    const isEd25519 = fields.take(fields.number(1)).toString('hex') === '2b06010401da470f01';
    const point = fields.natural();
    const finish = () =>
      isEd25519 ? importEd25519(point.subarray(1), padded(fields.natural(), 32)) : undefined;
    return { hash: 'sha512', finish };
  },
  [ed25519]: (fields) => {
    const x = fields.take(32);
    return { hash: 'sha512', finish: () => importEd25519(x, fields.take(32)) };
  },
};

function readRsa(fields: Fields): ReturnType<Reader> {
  const [n, e] = [fields.natural(), fields.natural()];
  const finish = () => {
    const [d, p, q] = [fields.natural(), fields.natural(), fields.natural()];
    // The last number is the inverse of the first prime modulo the second.
    return importRsa({ n, e, d, p: q, q: p, qi: fields.natural() });
  };
  return { hash: 'sha512', finish };
}

const curveOf: Readonly<Record<string, Curve>> = {
  '2a8648ce3d030107': 'P-256',
  '2b81040022': 'P-384',
  '2b81040023': 'P-521',
};

const flagsOfKey = 27;

/** Whether a signature revokes the key before it, and whether that key signs. */
function readBinding(key: PgpKey, body: Buffer): void {
  const type = body[1] ?? 0;
  if (type === 0x20 || type === 0x28) key.isRevoked = true;
  const isBinding = (type >= 0x10 && type <= 0x13) || type === 0x18 || type === 0x1f;
  if (!isBinding) return;
  const fields = new Fields(body);
  fields.take(4);
  const hashed = new Fields(fields.take(fields.number(2)));
  while (!hashed.isDone) {
    const first = hashed.number(1);
    const size =
      first < 192 ? first : first === 255 ? hashed.number(4) : ((first - 192) << 8) + hashed.number(1) + 192;
    const part = hashed.take(size);
    if (((part[0] ?? 0) & 0x7f) === flagsOfKey) key.maySign = ((part[1] ?? 0) & 2) !== 0;
  }
}

/** A detached signature: https://www.rfc-editor.org/rfc/rfc9580#section-5.2.3 */
function signForGit(
  { algorithm, key, hash, fingerprint }: PgpKey & { key: KeyObject },
  payload: Buffer,
  now: number,
): string {
  const at = Buffer.alloc(4);
  at.writeUInt32BE(Math.floor(now / 1000));
  const numberOfHash = { sha256: 8, sha384: 9, sha512: 10 }[hash];
  const issuer = Buffer.concat([Buffer.from([22, 33, 4]), fingerprint]);
  const hashed = Buffer.concat([Buffer.from([5, 2]), at, issuer]);
  const head = Buffer.concat([Buffer.from([4, 0, algorithm, numberOfHash, 0, hashed.length]), hashed]);
  const end = Buffer.from([4, 0xff, 0, 0, 0, head.length]);
  const signed = Buffer.concat([payload, head, end]);
  const digest = createHash(hash).update(signed).digest();
  const open = Buffer.concat([Buffer.from([0, 10, 9, 16]), fingerprint.subarray(-8)]);
  const body = Buffer.concat([head, open, digest.subarray(0, 2), ...numbersOf(algorithm)]);
  const size = Buffer.from([0xc2, 0xff, 0, 0, body.length >> 8, body.length & 0xff]);
  return armored(Buffer.concat([size, body]));

  function numbersOf(kind: number): Buffer[] {
    if (kind === ed25519) return [sign(null, digest, key)];
    if (kind !== ecdsa && kind !== eddsa) return [natural(sign(hash, signed, key))];
    const raw =
      kind === eddsa ? sign(null, digest, key) : sign(hash, signed, { key, dsaEncoding: 'ieee-p1363' });
    return [natural(raw.subarray(0, raw.length / 2)), natural(raw.subarray(raw.length / 2))];
  }
}

/** A number with its length in bits before it, without zeros at its beginning. */
function natural(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const short = start < 0 ? Buffer.alloc(0) : bytes.subarray(start);
  const bits = short.length * 8 - (short.length === 0 ? 0 : Math.clz32(short[0] ?? 0) - 24);
  return Buffer.concat([Buffer.from([bits >> 8, bits & 0xff]), short]);
}

function armored(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  const sum = crc24(bytes);
  const check = Buffer.from([sum >> 16, (sum >> 8) & 0xff, sum & 0xff]).toString('base64');
  return ['-----BEGIN PGP SIGNATURE-----', '', ...lines, `=${check}`, '-----END PGP SIGNATURE-----'].join(
    '\n',
  );
}

/** https://www.rfc-editor.org/rfc/rfc9580#section-6.1 */
function crc24(bytes: Buffer): number {
  let sum = 0xb704ce;
  for (const byte of bytes) {
    sum ^= byte << 16;
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x800000 ? ((sum << 1) ^ 0x1864cfb) & 0xffffff : sum << 1;
  }
  return sum;
}
