import { createHash, createPublicKey } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { HttpsAnswer } from '../../../net/https-get.ts';
import type { Algorithm, SigningKey } from './algorithm.ts';

interface DirectoryKey extends SigningKey {
  /** Milliseconds since 1970. */
  notBefore: number;
  notAfter: number;
}

/** The keys of a directory by their thumbprint (RFC 7638), which is what a signature's keyid is. */
export type DirectoryKeys = ReadonlyMap<string, DirectoryKey>;

const maxKeys = 32;
const directory = z.object({ keys: z.array(z.unknown()).max(maxKeys) });
const common = {
  use: z.literal('sig').optional(),
  nbf: z.number().optional(),
  exp: z.number().optional(),
};
const ed25519 = z.object({
  ...common,
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});
/** Of 2048 to 4096 bits: shorter ones can be broken, and each bit more costs time. */
const rsa = z.object({
  ...common,
  kty: z.literal('RSA'),
  n: z.string().regex(/^[A-Za-z0-9_-]{342,683}$/),
  e: z.literal('AQAB'),
  alg: z.enum(['PS512', 'RS256', 'rsa-pss-sha512', 'rsa-v1_5-sha256']).optional(),
});
const publicKey = z.discriminatedUnion('kty', [ed25519, rsa]);

/** How a JWK names what RFC 9421 has names of its own for. */
const algorithmsOfJwk = {
  PS512: 'rsa-pss-sha512',
  RS256: 'rsa-v1_5-sha256',
  'rsa-pss-sha512': 'rsa-pss-sha512',
  'rsa-v1_5-sha256': 'rsa-v1_5-sha256',
} as const satisfies Record<string, Algorithm>;

/** In the order in which they are liked. */
export const keyMediaTypes: readonly string[] = [
  'application/http-message-signatures-directory+json',
  'application/jwk-set+json',
  'application/json',
];

/** Appendices B.1.4 and B.1.2 of RFC 9421 print the private halves of these keys. */
const publishedTestKeys = [
  'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U',
  'oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA',
];

/** @throws Error that says what is wrong with it */
export function parseDirectory({ status, headers, body }: HttpsAnswer): DirectoryKeys {
  if (status !== 200) throw new Error(`It answered with status ${status}.`);
  if (!keyMediaTypes.includes(mediaTypeOf(headers)))
    throw new Error('It answered with something that is not a key directory.');
  return parseKeys(parseJson(body));
}

/** @throws Error that says what is wrong with it. A key that is neither Ed25519 nor RSA or not well formed is passed over. */
export function parseKeys(set: unknown): DirectoryKeys {
  const parsed = directory.safeParse(set);
  if (!parsed.success) throw new Error(`It is not a list of at most ${maxKeys} keys.`);
  const keys = new Map<string, DirectoryKey>();
  for (const entry of parsed.data.keys) {
    const jwk = publicKey.safeParse(entry);
    if (!jwk.success) continue;
    const { nbf, exp } = jwk.data;
    const keyid = thumbprint(jwk.data);
    if (publishedTestKeys.includes(keyid)) continue;
    keys.set(keyid, {
      ...toSigningKey(jwk.data),
      notBefore: toMs(nbf) ?? 0,
      notAfter: toMs(exp) ?? Number.POSITIVE_INFINITY,
    });
  }
  return keys;
}

type PublicKey = z.infer<typeof publicKey>;

function toSigningKey(jwk: PublicKey): SigningKey {
  if (jwk.kty === 'OKP') {
    const { kty, crv, x } = jwk;
    return { key: createPublicKey({ format: 'jwk', key: { kty, crv, x } }) };
  }
  const { kty, n, e } = jwk;
  const alg = jwk.alg === undefined ? undefined : algorithmsOfJwk[jwk.alg];
  return { key: createPublicKey({ format: 'jwk', key: { kty, n, e } }), ...(alg && { alg }) };
}

/** RFC 7638, for Ed25519 with the members of RFC 8037 appendix A.3. */
function thumbprint(jwk: PublicKey): string {
  const members =
    jwk.kty === 'OKP'
      ? `{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`
      : `{"e":"${jwk.e}","kty":"RSA","n":"${jwk.n}"}`;
  return createHash('sha256').update(members).digest('base64url');
}

/** Seconds by the draft; some directories give milliseconds, which as seconds would lie past the year 5000. */
function toMs(time: number | undefined): number | undefined {
  return time === undefined || time > 1e11 ? time : time * 1000;
}

const freshForMs = { least: 5 * 60_000, usual: 3_600_000, most: 24 * 3_600_000 };

/** How long the directory may be used without asking again. */
export function freshness(headers: IncomingHttpHeaders): number {
  const maxAge = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(headers['cache-control'] ?? '')?.[1];
  if (maxAge === undefined) return freshForMs.usual;
  return Math.min(Math.max(Number(maxAge) * 1000, freshForMs.least), freshForMs.most);
}

/** In lower case, without parameters. */
export function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @throws Error */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('It is not JSON.');
  }
}
