import { createHash, createPublicKey } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { HttpsAnswer, HttpsGet } from '../../../net/https-get.ts';
import type { Algorithm, SigningKey } from './algorithm.ts';
import { parseHttps, type Signer } from './signature-agent.ts';

export interface KeyDirectories {
  /**
   * The key of this signer with this id that is good at this time (milliseconds). Never waits: what is not known or
   * too old is fetched in the background, and the reason says so until then.
   */
  find(signer: Signer, keyid: string, at: number): SigningKey | { why: string };
  /** Waits for the fetches of keys of the signer with this name that are under way. */
  settle(name: string): Promise<void>;
  stop(): void;
}

export interface KeyDirectorySettings {
  get: HttpsGet;
  now: () => number;
  /** Hosts whose directories are fetched before those that strangers name. */
  isKnown: (host: string) => boolean;
  /** Strangers' directories fetched at a time. */
  concurrency?: number;
  maxPerMinute?: number;
  maxHosts?: number;
}

interface Entry {
  signer: Signer;
  keys: DirectoryKeys | undefined;
  freshUntil: number;
  /** When it was last asked for. */
  askedAt: number;
  /** Why asking for it failed the last time; undefined: it did not. */
  failure: string | undefined;
}

const limits = { timeoutMs: 5_000, maxBytes: 65_536 };
/** Also how long a failure is remembered: the draft allows five minutes. */
const askAgainAfterMs = 5 * 60_000;
/** How long old keys serve while new ones are on their way. */
const graceMs = 3_600_000;

/** The keys of signers, as draft-ietf-webbotauth-httpsig-protocol describes where they are; in memory only. */
export function createKeyDirectories(settings: KeyDirectorySettings): KeyDirectories {
  const { get, now, isKnown, concurrency = 2, maxPerMinute = 30, maxHosts = 200 } = settings;
  const entries = new Map<string, Entry>();
  const underWay = new Map<string, { name: string; done: Promise<void> }>();
  const stopped = new AbortController();
  const budget = createBudget(now, concurrency, maxPerMinute);
  const ask = (url: string, accept: string) =>
    get(url, { ...limits, headers: { accept }, signal: stopped.signal });

  async function refresh(signer: Signer, release: () => void): Promise<void> {
    const before = entries.get(keyOf(signer));
    const askedAt = now();
    try {
      const { keys, freshForMs } = await fetchKeys(signer, ask);
      remember({ signer, keys, freshUntil: now() + freshForMs, askedAt, failure: undefined });
    } catch (error) {
      // That a directory cannot be read says nothing about the keys it had.
      const failure = error instanceof Error ? error.message : String(error);
      remember({ signer, keys: before?.keys, freshUntil: before?.freshUntil ?? 0, askedAt, failure });
    } finally {
      underWay.delete(keyOf(signer));
      release();
    }
  }

  function remember(entry: Entry): void {
    entries.delete(keyOf(entry.signer));
    entries.set(keyOf(entry.signer), entry);
    for (const [key, { signer }] of entries) {
      if (entries.size <= maxHosts) break;
      if (!isKnown(signer.name)) entries.delete(key);
    }
  }

  function askFor(signer: Signer, entry: Entry | undefined): void {
    if (stopped.signal.aborted || underWay.has(keyOf(signer))) return;
    if (entry && now() - entry.askedAt < askAgainAfterMs) return;
    const release = isKnown(signer.name) ? () => undefined : budget.take();
    if (release) underWay.set(keyOf(signer), { name: signer.name, done: refresh(signer, release) });
  }

  return {
    find(signer, keyid, at) {
      const entry = entries.get(keyOf(signer));
      const isFresh = entry !== undefined && now() < entry.freshUntil;
      if (!isFresh || !entry.keys?.has(keyid)) askFor(signer, entry);
      return findKey(signer, entry, keyid, { at, now: now() });
    },
    async settle(name) {
      await Promise.all([...underWay.values()].filter((each) => each.name === name).map(({ done }) => done));
    },
    stop: () => stopped.abort(),
  };
}

/** The meaning of an address depends on the type that it was named with. */
const keyOf = ({ type, url }: Signer) => `${type} ${url}`;

function findKey(
  { name }: Signer,
  entry: Entry | undefined,
  keyid: string,
  { at, now }: { at: number; now: number },
): SigningKey | { why: string } {
  if (!entry?.keys) return { why: `The key directory of ${name} is not known${because(entry?.failure)}.` };
  if (entry.failure === undefined && now >= entry.freshUntil + graceMs) {
    return { why: `The key directory of ${name} is being fetched anew.` };
  }
  const found = entry.keys.get(keyid);
  if (!found) return { why: `The key directory of ${name} lists no key with this id.` };
  if (at < found.notBefore || at >= found.notAfter) {
    return { why: `The key of ${name} is not good at this time.` };
  }
  return found.alg === undefined ? { key: found.key } : { key: found.key, alg: found.alg };
}

const because = (failure: string | undefined) =>
  failure === undefined ? ' yet' : `: ${failure.replace(/\.$/, '')}`;

/** Keeps strangers from making this server ask many hosts at once or all the time. */
function createBudget(now: () => number, concurrency: number, maxPerMinute: number) {
  let running = 0;
  let started: number[] = [];
  return {
    /** @returns what gives the place back, or undefined if there is none */
    take(): (() => void) | undefined {
      started = started.filter((at) => now() - at < 60_000);
      if (running >= concurrency || started.length >= maxPerMinute) return undefined;
      running++;
      started.push(now());
      return () => {
        running--;
      };
    },
  };
}

interface FetchedKeys {
  keys: DirectoryKeys;
  /** How long they may be used without asking again. */
  freshForMs: number;
}

/** @throws Error that says in a sentence why there is no answer. */
type Ask = (url: string, accept: string) => Promise<HttpsAnswer>;

/** Fetches the keys of a signer, from where it says they are. @throws Error that says why there are none */
function fetchKeys({ type, url }: Signer, ask: Ask): Promise<FetchedKeys> {
  return type === 'cimd' ? fetchThroughDocument(url, ask) : fetchList(url, ask);
}

async function fetchList(url: string, ask: Ask): Promise<FetchedKeys> {
  const answer = await ask(url, keyMediaTypes.join(', '));
  return { keys: parseDirectory(answer), freshForMs: freshness(answer.headers) };
}

async function fetchThroughDocument(url: string, ask: Ask): Promise<FetchedKeys> {
  const answer = await ask(url, 'application/json');
  const found = parseClientDocument(answer, url);
  const freshForMs = freshness(answer.headers);
  if ('keys' in found) return { keys: found.keys, freshForMs };
  const list = await fetchList(found.keysUrl, ask);
  return { keys: list.keys, freshForMs: Math.min(list.freshForMs, freshForMs) };
}

/** The fields that are used of an OAuth client ID metadata document, which draft-meunier-webbotauth-registry calls a card. */
const document = z.object({
  client_id: z.string(),
  jwks: z.unknown().optional(),
  jwks_uri: z.string().optional(),
});

/** The keys themselves, or the address of a list of them. */
type KeysOfClient = { keys: DirectoryKeys } | { keysUrl: string };

/**
 * @param url that was asked: the document has to say that it is this client's
 * @throws Error that says what is wrong with it
 */
function parseClientDocument({ status, headers, body }: HttpsAnswer, url: string): KeysOfClient {
  if (status !== 200) throw new Error(`It answered with status ${status}.`);
  if (!/^application\/(?:json|[^/]+\+json)$/.test(mediaTypeOf(headers)))
    throw new Error('It answered with something that is not a document of a client.');
  const parsed = document.safeParse(parseJson(body));
  if (!parsed.success) throw new Error('It is not a document of a client.');
  const { client_id: id, jwks, jwks_uri: address } = parsed.data;
  if (id !== url) throw new Error('Its document is that of another client.');
  if ((jwks === undefined) === (address === undefined))
    throw new Error('Its document must hold keys or name where they are, and not both.');
  if (address === undefined) return { keys: parseKeys(jwks) };
  const keysUrl = parseHttps(address);
  if (!keysUrl) throw new Error('Its document names no https address of keys.');
  return { keysUrl: keysUrl.href };
}

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

/** In order of preference. */
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
