import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createHttpsGet,
  type HttpsGetSettings,
  isPublicAddress,
} from '../server/identity/proof/https-get.ts';
import { createKeyDirectories, type KeyDirectories } from '../server/identity/proof/key-directories.ts';
import { createProofs, type Proofs } from '../server/identity/proof/proof.ts';
import { createSignatures, type Signatures } from '../server/identity/proof/signature.ts';
import { startHttpsServer, type TestHttpsServer } from './support/https-server.ts';
import { createSigner, type SigningOptions, signRequest, type TestSigner } from './support/signer.ts';

const path = '/.well-known/http-message-signatures-directory';
const mediaType = 'application/http-message-signatures-directory+json';
const minuteMs = 60_000;
const silentLog = { info: () => undefined, warn: () => undefined };

const alice = createSigner();
const bob = createSigner();

let server: TestHttpsServer;
let time: number;
/** What a host answers when its directory is asked for. */
let hosts: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

const serve =
  (keys: readonly unknown[], headers: Record<string, string> = {}, status = 200) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': mediaType, ...headers }).end(JSON.stringify({ keys }));
  };
const serveText =
  (text: string, type = mediaType) =>
  (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type }).end(text);
  };

beforeEach(async () => {
  time = Date.parse('2026-11-21T12:00:00Z');
  hosts = {};
  server = await startHttpsServer(
    (request, response) => {
      const answer = hosts[request.headers.host?.replace(/:\d+$/, '') ?? ''];
      if (answer && request.url === path) answer(request, response);
      else response.writeHead(404).end();
    },
    ['alice.test', 'bob.test'],
  );
});
afterEach(() => server.close());

/** For tests only: all names lead to this machine, which may be reached. */
const loopback = (): HttpsGetSettings => ({
  reach: 'any',
  ca: server.ca,
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
});

describe('a key directory', () => {
  let directories: KeyDirectories;
  let signatures: Signatures;

  beforeEach(() => use());
  afterEach(() => directories.stop());

  function use(more: object = {}): void {
    directories = createKeyDirectories({
      get: createHttpsGet(loopback()),
      now: () => time,
      isKnown: () => false,
      ...more,
    });
    signatures = createSignatures(directories, () => time);
  }
  const request = (name: string, by: TestSigner, more: Partial<SigningOptions> = {}) =>
    signRequest(by, { agent: `"https://${name}:${server.port}"`, at: time, ...more });

  it('is fetched when its host is first seen, and makes the next answer better', async () => {
    hosts['alice.test'] = serve([alice.jwk]);
    const host = `alice.test:${server.port}`;
    expect(signatures.check(request('alice.test', alice))).toEqual({
      state: 'unknown',
      host,
      why: `The key directory of ${host} is not known yet.`,
    });
    await expect
      .poll(() => signatures.check(request('alice.test', alice)))
      .toEqual({ state: 'valid', host, keyid: alice.keyid });
    expect(server.asked).toEqual([`${host} ${path}`]);
  });

  it('can be waited for', async () => {
    hosts['alice.test'] = serve([alice.jwk]);
    const nonced = request('alice.test', alice, { nonce: 'once' });
    expect(await signatures.verify(nonced)).toMatchObject({ state: 'valid' });
    expect(await signatures.verify(nonced)).toMatchObject({ state: 'invalid' });
    expect(await signatures.verify({ url: 'https://site.example/', headers: {} })).toBeUndefined();
  });

  it('is asked once by many requests', async () => {
    hosts['alice.test'] = serve([alice.jwk]);
    await Promise.all(Array.from({ length: 50 }, () => signatures.verify(request('alice.test', alice))));
    expect(server.asked).toHaveLength(1);
  });

  it('speaks for its own host only', async () => {
    hosts['alice.test'] = serve([alice.jwk]);
    hosts['bob.test'] = serve([bob.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(await signatures.verify(request('bob.test', alice))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('lists no'),
    });
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
    expect(await signatures.verify(request('bob.test', bob, { keyid: alice.keyid }))).toMatchObject({
      state: 'unknown',
    });
    expect(await signatures.verify(request('alice.test', bob, { keyid: alice.keyid }))).toMatchObject({
      state: 'invalid',
    });
  });

  it('is asked again for a key it did not list, at most every five minutes', async () => {
    hosts['alice.test'] = serve([alice.jwk], { 'cache-control': 'public, max-age=86400' });
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    hosts['alice.test'] = serve([alice.jwk, bob.jwk]);
    time += 4 * minuteMs;
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
    expect(server.asked).toHaveLength(1);
    time += minuteMs;
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'valid' });
    for (let i = 0; i < 20; i++) await signatures.verify(request('alice.test', createSigner()));
    expect(server.asked).toHaveLength(2);
  });

  it('takes a key back by no longer listing it', async () => {
    hosts['alice.test'] = serve([alice.jwk, bob.jwk], { 'cache-control': 'max-age=600' });
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'valid' });
    hosts['alice.test'] = serve([alice.jwk]);
    time += 11 * minuteMs;
    // The old keys serve while the new ones are on their way.
    expect(signatures.check(request('alice.test', bob))).toMatchObject({ state: 'valid' });
    await directories.settle(`alice.test:${server.port}`);
    expect(signatures.check(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
  });

  it('is not trusted when it has not been asked for long', async () => {
    hosts['alice.test'] = serve([alice.jwk], { 'cache-control': 'max-age=600' });
    await signatures.verify(request('alice.test', alice));
    time += 80 * minuteMs;
    expect(signatures.check(request('alice.test', alice))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('anew'),
    });
    await directories.settle(`alice.test:${server.port}`);
    expect(signatures.check(request('alice.test', alice))).toMatchObject({ state: 'valid' });
  });

  it('keeps its keys through an outage, which proves nothing about them', async () => {
    hosts['alice.test'] = serve([alice.jwk], { 'cache-control': 'max-age=600' });
    await signatures.verify(request('alice.test', alice));
    hosts['alice.test'] = serve([], {}, 503);
    time += 24 * 60 * minuteMs;
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(server.asked).toHaveLength(2);
  });

  it('is remembered for as long as it says, between five minutes and a day', async () => {
    const askedAfter = async (cacheControl: string, minutes: number) => {
      use();
      server.asked.length = 0;
      hosts['alice.test'] = serve([alice.jwk], { 'cache-control': cacheControl });
      await signatures.verify(request('alice.test', alice));
      time += minutes * minuteMs;
      signatures.check(request('alice.test', alice));
      await directories.settle(`alice.test:${server.port}`);
      return server.asked.length;
    };
    expect(await askedAfter('no-cache, max-age=0', 4)).toBe(1);
    expect(await askedAfter('max-age=1', 6)).toBe(2);
    expect(await askedAfter('s-maxage=1, max-age=7200', 119)).toBe(1);
    expect(await askedAfter('max-age=99999999', 24 * 60 - 1)).toBe(1);
    expect(await askedAfter('max-age=99999999', 24 * 60 + 1)).toBe(2);
    expect(await askedAfter('', 59)).toBe(1);
    expect(await askedAfter('', 61)).toBe(2);
  });

  it('says from when to when its keys are good', async () => {
    const seconds = time / 1000;
    const nbf = (jwk: object, value: number) => ({ ...jwk, nbf: value });
    const exp = (jwk: object, value: number) => ({ ...jwk, exp: value });
    for (const [key, state] of [
      [nbf(alice.jwk, seconds - 1), 'valid'],
      [nbf(alice.jwk, seconds + 1), 'unknown'],
      [exp(alice.jwk, seconds + 1), 'valid'],
      [exp(alice.jwk, seconds), 'unknown'],
      [exp(alice.jwk, time + 1000), 'valid'],
      [exp(alice.jwk, time - 1000), 'unknown'],
    ] as const) {
      use();
      hosts['alice.test'] = serve([key]);
      expect([key, (await signatures.verify(request('alice.test', alice)))?.state]).toEqual([key, state]);
    }
  });

  it('is read around keys that are of no use', async () => {
    const rsa = { kty: 'RSA', n: 'AQAB', e: 'AQAB' };
    const broken = [
      null,
      'key',
      {},
      rsa,
      { ...alice.jwk, x: 'short' },
      { ...alice.jwk, crv: 'X25519' },
      { ...bob.jwk, use: 'enc' },
    ];
    hosts['alice.test'] = serve([...broken, alice.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
  });

  it('may not list the key whose private half is printed in RFC 9421', async () => {
    const x = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';
    hosts['alice.test'] = serve([{ kty: 'OKP', crv: 'Ed25519', x }]);
    const keyid = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';
    expect(await signatures.verify(request('alice.test', alice, { keyid }))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('lists no'),
    });
  });

  it.each<[string, () => (request: IncomingMessage, response: ServerResponse) => void, string]>([
    ['is missing', () => serve([alice.jwk], {}, 404), 'status 404'],
    [
      'redirects',
      () => serve([alice.jwk], { location: `https://bob.test:${server.port}${path}` }, 302),
      'status 302',
    ],
    ['is a page', () => serveText('<html></html>', 'text/html'), 'not a key directory'],
    ['is not JSON', () => serveText('{"keys":'), 'not JSON'],
    ['is something else', () => serveText('{"jwks":[]}'), 'not a list'],
    ['lists too many keys', () => serve(Array.from({ length: 65 }, () => alice.jwk)), 'at most 64 keys'],
    [
      'is too large',
      () => serveText(JSON.stringify({ keys: [alice.jwk], padding: 'x'.repeat(65_536) })),
      'more than 65536 bytes',
    ],
    ['is packed', () => serve([alice.jwk], { 'content-encoding': 'br' }), 'packed'],
    [
      'breaks off',
      () => (_, response) =>
        response.writeHead(200, { 'content-length': '500' }).write('{', () => response.destroy()),
      'aborted',
    ],
  ])('gives no keys when it %s, and is left alone for five minutes', async (_, answer, words) => {
    hosts['alice.test'] = answer();
    hosts['bob.test'] = serve([alice.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining(words),
    });
    time += 4 * minuteMs;
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'unknown' });
    expect(server.asked).toHaveLength(1);
    hosts['alice.test'] = serve([alice.jwk]);
    time += minuteMs;
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
  });

  it('gives no keys when its certificate is not to be trusted', async () => {
    const { ca: _, ...settings } = loopback();
    use({ get: createHttpsGet(settings) });
    hosts['alice.test'] = serve([alice.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'unknown' });
    use();
    hosts['eve.test'] = serve([alice.jwk]);
    expect(await signatures.verify(request('eve.test', alice))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('altnames'),
    });
    expect(server.asked).toEqual([]);
  });

  it('is asked from few strangers at a time and few a minute, and always from well-known signers', async () => {
    const waiting: ServerResponse[] = [];
    const slow = await startHttpsServer((_, response) => waiting.push(response), []);
    let looked: string[] = [];
    const get = createHttpsGet({
      ...loopback(),
      ca: slow.ca,
      resolve: async (name) => {
        looked.push(name);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    use({ get, isKnown: (host: string) => host.startsWith('known.test') });
    const stranger = (i: number) =>
      signRequest(alice, { agent: `"https://s${i}.test:${slow.port}"`, at: time });
    for (let i = 0; i < 10; i++) signatures.check(stranger(i));
    signatures.check(signRequest(alice, { agent: `"https://known.test:${slow.port}"`, at: time }));
    await expect.poll(() => looked).toHaveLength(3);
    expect(looked).toEqual(['s0.test', 's1.test', 'known.test']);
    await slow.close();

    looked = [];
    use({ get });
    for (let i = 0; i < 40; i++) await signatures.verify(stranger(i));
    expect(looked).toHaveLength(30);
    time += minuteMs;
    await signatures.verify(stranger(40));
    expect(looked).toHaveLength(31);
  });

  it('is forgotten when there are too many, those of well-known signers last', async () => {
    use({ maxHosts: 2, isKnown: (host: string) => host.startsWith('alice.test') });
    hosts['alice.test'] = serve([alice.jwk]);
    hosts['bob.test'] = serve([bob.jwk]);
    await signatures.verify(request('alice.test', alice));
    await signatures.verify(request('bob.test', bob));
    await signatures.verify(request('localhost', bob));
    expect(signatures.check(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(signatures.check(request('bob.test', bob))).toMatchObject({ state: 'unknown' });
  });
});

describe('what strangers name', () => {
  it('is never fetched from this machine or network, whatever the name leads to', async () => {
    const addresses = [
      '127.0.0.1',
      '::1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      'fd00::1',
      'fe80::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '::',
    ];
    for (const address of addresses) {
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
      let lookUps = 0;
      const get = createHttpsGet({
        ca: server.ca,
        resolve: async () => {
          lookUps++;
          return [{ address, family: address.includes(':') ? 6 : 4 }];
        },
      });
      await expect(get('https://rebound.example/', { timeoutMs: 1_000, maxBytes: 100 })).rejects.toThrow(
        'no public address',
      );
      // One look-up, whose very answer is judged: there is no second one that could say something else.
      expect(lookUps).toBe(1);
    }
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['http://alice.example/', 'not an https address'],
    ['https://localhost/', 'not a public host name'],
    ['https://127.0.0.1/', 'not a public host name'],
    ['https://2130706433/', 'not a public host name'],
    ['https://0x7f.1/', 'not a public host name'],
    ['https://[::1]/', 'not a public host name'],
    ['https://8.8.8.8/', 'not a public host name'],
    ['https://intranet/', 'not a public host name'],
    ['https://alice.example:8443/', 'not a public host name on the usual port'],
    ['nonsense', 'not an https address'],
  ])('is not fetched from %s', async (address, words) => {
    let lookUps = 0;
    const resolve = async () => {
      lookUps++;
      return [];
    };
    await expect(createHttpsGet({ resolve })(address, { timeoutMs: 1_000, maxBytes: 100 })).rejects.toThrow(
      words,
    );
    expect(lookUps).toBe(0);
  });

  it('is not fetched from loopback by the proofs as the server uses them', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'headcount-directory-'));
    const proofs = createProofs({ dataDir, now: () => time, log: silentLog });
    hosts.localhost = serve([alice.jwk]);
    for (const agent of [`https://${server.host}`, 'https://localhost', `https://127.0.0.1:${server.port}`]) {
      const request = signRequest(alice, { agent: `"${agent}"`, at: time });
      const { signature } = await proofs.prove({ ip: '203.0.113.9', request });
      expect(signature).toMatchObject({
        state: 'unknown',
        why: expect.stringContaining('not a public host name'),
      });
    }
    expect(server.connections()).toBe(0);
    await proofs.stop();
  });

  it('is given up when it takes too long, also in drips', async () => {
    const drips = await startHttpsServer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const get = createHttpsGet({ reach: 'any', ca: drips.ca });
    const before = performance.now();
    await expect(get(`https://${drips.host}/`, { timeoutMs: 200, maxBytes: 1_000_000 })).rejects.toThrow(
      'took too long',
    );
    expect(performance.now() - before).toBeLessThan(2_000);
    await drips.close();
  });

  it.each(['8.8.8.8', '2606:4700::1', '::ffff:8.8.8.8'])('may be at %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('the proofs', () => {
  let proofs: Proofs;
  afterEach(() => proofs.stop());
  const dataDir = mkdtempSync(join(tmpdir(), 'headcount-proofs-'));

  it('answer for ranges, host names and signatures together', async () => {
    hosts['alice.test'] = serve([alice.jwk]);
    let lookUps = 0;
    const resolver = {
      resolvePtr: async () => {
        lookUps++;
        return ['a.alice.test'];
      },
      resolve4: async () => ['74.7.175.1'],
      resolve6: async () => [],
    };
    proofs = createProofs({
      dataDir,
      now: () => time,
      log: silentLog,
      get: createHttpsGet(loopback()),
      resolver,
    });
    const signed = (nonce: string) =>
      signRequest(alice, { agent: `"https://alice.test:${server.port}"`, at: time, nonce });
    const question = { ip: '74.7.175.1', feeds: ['openai-gptbot'], suffixes: ['.alice.test'] };
    const host = `alice.test:${server.port}`;

    expect(proofs.check({ ...question, request: signed('first') })).toMatchObject({
      ranges: 'outside',
      dns: 'unknown',
      signature: { state: 'unknown', host },
    });
    expect(await proofs.prove({ ...question, request: signed('first') })).toMatchObject({
      ranges: 'outside',
      dns: 'confirmed',
      signature: { state: 'valid', host },
    });
    expect(lookUps).toBe(1);

    const again = proofs.check({ ...question, request: signed('second') });
    expect(again).toMatchObject({ signature: { state: 'valid', host } });
    expect(again.dns).toBeUndefined();
    expect(proofs.check({ ...question, request: signed('second') })).toMatchObject({
      signature: { state: 'invalid' },
    });
    proofs.release(again);
    expect(proofs.check({ ...question, request: signed('second') })).toMatchObject({
      signature: { state: 'valid' },
    });
  });

  it('keep no process alive, and stop also when they never started', async () => {
    const module = new URL('../server/identity/proof/proof.ts', import.meta.url).href;
    const code = `const { createProofs } = await import(${JSON.stringify(module)});
      const log = { info() {}, warn() {} };
      createProofs({ dataDir: ${JSON.stringify(dataDir)}, now: Date.now, log }).start();
      process.stdout.write('started');`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      timeout: 10_000,
    });
    expect(output.toString()).toBe('started');
    proofs = createProofs({ dataDir, now: () => time, log: silentLog });
    await proofs.stop();
  });
});
