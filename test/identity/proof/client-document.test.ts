import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signatureHeaders } from 'web-bot-auth';
import { signerFromJWK } from 'web-bot-auth/crypto';
import { createKeyDirectories } from '../../../server/identity/proof/signatures/key-directories.ts';
import {
  createSignatures,
  type SignatureVerdict,
} from '../../../server/identity/proof/signatures/signature.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../../support/proof/https-server.ts';

const start = Date.parse('2026-11-24T12:00:00Z');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const jwk = publicKey.export({ format: 'jwk' });
const privateJwk = privateKey.export({ format: 'jwk' });

/** By host without port, and path. */
type Served = Record<string, { body: unknown; type?: string; status?: number; headers?: object }>;

let served: Served;
let server: TestHttpsServer;
let time: number;
let judge: (address: string, type?: string) => Promise<SignatureVerdict | undefined>;

beforeEach(async () => {
  time = start;
  served = {};
  server = await startHttpsServer(answer, ['alice.test', 'bob.test']);
  const directories = createKeyDirectories({
    get: createHttpsGet(loopback(server.ca)),
    now: () => time,
    isKnown: () => false,
  });
  const signatures = createSignatures(directories, () => time);
  judge = async (address, type = 'cimd') => {
    const headers = { 'signature-agent': `sig1="${address}";type=${type}` };
    const request = new Request('https://site.example/docs', { headers });
    const fields = await signatureHeaders(request, await signerFromJWK(privateJwk), {
      key: 'sig1',
      created: new Date(time),
      expires: new Date(time + 300_000),
    });
    return signatures.verify({
      url: request.url,
      at: time,
      headers: { ...headers, 'signature-input': fields['Signature-Input'], signature: fields.Signature },
    });
  };
});
afterEach(() => server.close());

function answer(request: IncomingMessage, response: ServerResponse): void {
  const found = served[`${request.headers.host?.split(':')[0]}${request.url}`];
  const { body, type = 'application/json', status = 200, headers = {} } = found ?? { body: '', status: 404 };
  response
    .writeHead(status, { 'content-type': type, ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}

const at = (host: string, path: string) => `https://${host}:${server.port}${path}`;
/** The document of the client at alice.test/bot, as the drafts show one. */
const card = (more: object) => ({
  client_id: at('alice.test', '/bot'),
  client_name: 'Example Bot',
  web_bot_auth: { trigger: 'fetcher', purpose: 'search' },
  ...more,
});

describe('a client that names its metadata document (type=cimd)', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'application/oauth-client+json'])(
    'signs for its address with the keys in it, as the package web-bot-auth signs (%s)',
    async (type) => {
      served['alice.test/bot'] = { body: card({ jwks: { keys: [jwk] } }), type };
      const verdict = await judge(at('alice.test', '/bot'));
      expect(verdict).toMatchObject({ state: 'valid', host: `alice.test:${server.port}/bot` });
      expect(server.asked).toEqual([`alice.test:${server.port} /bot`]);
    },
  );

  it.each([
    'application/http-message-signatures-directory+json',
    'application/jwk-set+json',
    'application/json',
  ])('may keep its keys elsewhere (jwks_uri, %s), and still signs for its own address', async (type) => {
    served['alice.test/bot'] = { body: card({ jwks_uri: at('bob.test', '/keys?of=alice') }) };
    served['bob.test/keys?of=alice'] = { body: { keys: [jwk] }, type };
    const verdict = await judge(at('alice.test', '/bot'));
    expect(verdict).toMatchObject({ state: 'valid', host: `alice.test:${server.port}/bot` });
    expect(server.asked).toEqual([
      `alice.test:${server.port} /bot`,
      `bob.test:${server.port} /keys?of=alice`,
    ]);
  });

  it('is one signer whatever query it puts behind its address, and so is a list of keys', async () => {
    served['alice.test/bot?a=1'] = {
      body: { ...card({ jwks: { keys: [jwk] } }), client_id: at('alice.test', '/bot?a=1') },
    };
    served['alice.test/keys?a=1'] = { body: { keys: [jwk] } };
    const host = (path: string) => ({ state: 'valid', host: `alice.test:${server.port}${path}` });
    expect(await judge(at('alice.test', '/bot?a=1'))).toMatchObject(host('/bot'));
    expect(await judge(at('alice.test', '/keys?a=1'), 'jwks_uri')).toMatchObject(host('/keys'));
  });

  it('is not taken for a list of keys at the same address, nor the other way round', async () => {
    served['alice.test/bot'] = { body: card({ jwks: { keys: [jwk] } }) };
    served['alice.test/keys'] = { body: { keys: [jwk] } };
    expect(await judge(at('alice.test', '/bot'), 'jwks_uri')).toMatchObject({ state: 'unknown' });
    expect(await judge(at('alice.test', '/bot'))).toMatchObject({ state: 'valid' });
    expect(await judge(at('alice.test', '/keys'))).toMatchObject({ state: 'unknown' });
    expect(await judge(at('alice.test', '/keys'), 'jwks_uri')).toMatchObject({ state: 'valid' });
  });

  it('is asked again as soon as its document or its keys may have changed', async () => {
    const maxAge = (seconds: number) => ({ 'cache-control': `max-age=${seconds}` });
    const body = card({ jwks_uri: at('bob.test', '/keys') });
    served['alice.test/bot'] = { body, headers: maxAge(86_400) };
    served['bob.test/keys'] = { body: { keys: [jwk] }, headers: maxAge(600) };
    await judge(at('alice.test', '/bot'));
    time += 9 * 60_000;
    await judge(at('alice.test', '/bot'));
    expect(server.asked).toHaveLength(2);
    // A key that is taken back is refused from then on, after the answer that still knew the old ones.
    served['bob.test/keys'] = { body: { keys: [] } };
    time += 2 * 60_000;
    await judge(at('alice.test', '/bot'));
    await expect.poll(async () => (await judge(at('alice.test', '/bot')))?.state).toBe('unknown');
    expect(server.asked).toHaveLength(4);
  });

  const keys = { keys: [jwk] };
  it.each<[what: string, document: () => Served[string], why: string]>([
    ['is missing', () => ({ body: '', status: 404 }), 'status 404'],
    [
      'redirects',
      () => ({ body: '', status: 302, headers: { location: at('bob.test', '/bot') } }),
      'status 302',
    ],
    ['is a page', () => ({ body: '<html></html>', type: 'text/html' }), 'not a document of a client'],
    ['is a list of keys', () => ({ body: keys }), 'not a document of a client'],
    ['is not JSON', () => ({ body: '{' }), 'not JSON'],
    [
      'is that of another client',
      () => ({ body: { ...card({ jwks: keys }), client_id: at('bob.test', '/bot') } }),
      'that of another client',
    ],
    ['has no keys', () => ({ body: card({}) }), 'must hold keys or name where they are'],
    [
      'has keys twice',
      () => ({ body: card({ jwks: keys, jwks_uri: at('bob.test', '/keys') }) }),
      'must hold keys or name where they are',
    ],
    ['has keys that are none', () => ({ body: card({ jwks: 'keys' }) }), 'not a list of at most 32 keys'],
    [
      'leads away from https',
      () => ({ body: card({ jwks_uri: `http://bob.test:${server.port}/keys` }) }),
      'no https address',
    ],
    [
      'leads to keys that are missing',
      () => ({ body: card({ jwks_uri: at('bob.test', '/none') }) }),
      'status 404',
    ],
    [
      'is too large',
      () => ({ body: card({ jwks: keys, padding: 'x'.repeat(65_536) }) }),
      'more than 65536 bytes',
    ],
  ])('proves nothing where it %s, and is left alone for five minutes', async (_what, document, why) => {
    served['alice.test/bot'] = document();
    served['bob.test/bot'] = { body: card({ jwks: keys }) };
    const unknown = { state: 'unknown', why: expect.stringContaining(why) };
    expect(await judge(at('alice.test', '/bot'))).toMatchObject(unknown);
    const asked = server.asked.length;
    expect(await judge(at('alice.test', '/bot'))).toMatchObject(unknown);
    expect(server.asked).toHaveLength(asked);
  });

  it.each(['/', '/a/../bot', '/%2e%2e/bot', '/bot#part'])(
    'names nobody by the path %s, and nothing is fetched',
    async (path) => {
      expect(await judge(at('alice.test', path))).toMatchObject({
        state: 'unknown',
        why: expect.stringContaining('does not say where the keys'),
      });
      expect(server.asked).toEqual([]);
    },
  );
});

describe('on the public internet', () => {
  it.each([
    ['its document', 'https://alice.test:8443/bot', 'alice.test:8443 is not a public host name'],
    ['its document', 'https://127.0.0.1/bot', '127.0.0.1 is not a public host name'],
    ['its document', 'https://intern.test/bot', 'intern.test has no public address'],
    ['its keys', 'https://169.254.169.254/keys', '169.254.169.254 is not a public host name'],
    ['its keys', 'https://intern.test/keys', 'intern.test has no public address'],
  ])('%s are not asked for at %s', async (what, address, why) => {
    const url = what === 'its keys' ? 'https://public.test/bot' : address;
    const outside = createHttpsGet({
      resolver: { resolve4: async () => ['10.0.0.1'], resolve6: async () => ['fd00::1'] },
    });
    // Only the client's own document can be had, so that what it leads to is asked for by the real thing.
    const body = JSON.stringify({ client_id: url, jwks_uri: address });
    const get: typeof outside = (asked, options) =>
      what === 'its keys' && asked === url
        ? Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body })
        : outside(asked, options);
    const directories = createKeyDirectories({ get, now: () => start, isKnown: () => false });
    const signer = { name: 'it', type: 'cimd', url } as const;
    directories.find(signer, 'key', start);
    await directories.settle('it');
    expect(directories.find(signer, 'key', start)).toEqual({ why: expect.stringContaining(why) });
  });
});
