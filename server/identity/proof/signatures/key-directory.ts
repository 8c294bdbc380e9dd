import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { HttpsAnswer } from '../../../net/https-get.ts';

interface DirectoryKey {
  key: KeyObject;
  /** Milliseconds since 1970. */
  notBefore: number;
  notAfter: number;
}

/** The Ed25519 keys of a directory by their thumbprint (RFC 7638), which is what a signature's keyid is. */
export type DirectoryKeys = ReadonlyMap<string, DirectoryKey>;

const maxKeys = 32;
const directory = z.object({ keys: z.array(z.unknown()).max(maxKeys) });
const ed25519 = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  use: z.literal('sig').optional(),
  nbf: z.number().optional(),
  exp: z.number().optional(),
});

const mediaTypes = [
  'application/http-message-signatures-directory+json',
  'application/jwk-set+json',
  'application/json',
];

/** Appendix B.1.4 of RFC 9421 prints the private half of this key. */
const publishedTestKey = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';

/** @throws Error that says what is wrong with it. A key that is not Ed25519 or not well formed is passed over. */
export function parseDirectory({ status, headers, body }: HttpsAnswer): DirectoryKeys {
  if (status !== 200) throw new Error(`It answered with status ${status}.`);
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (!mediaTypes.includes(mediaType))
    throw new Error('It answered with something that is not a key directory.');
  const parsed = directory.safeParse(parseJson(body));
  if (!parsed.success) throw new Error(`It is not a list of at most ${maxKeys} keys.`);
  const keys = new Map<string, DirectoryKey>();
  for (const entry of parsed.data.keys) {
    const jwk = ed25519.safeParse(entry);
    if (!jwk.success) continue;
    const { x, nbf, exp } = jwk.data;
    const keyid = thumbprint(x);
    if (keyid === publishedTestKey) continue;
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    keys.set(keyid, { key, notBefore: toMs(nbf) ?? 0, notAfter: toMs(exp) ?? Number.POSITIVE_INFINITY });
  }
  return keys;
}

/** RFC 7638 with the members of RFC 8037 appendix A.3. */
function thumbprint(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('It is not JSON.');
  }
}
