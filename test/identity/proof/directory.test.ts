import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createKeyDirectories,
  type KeyDirectories,
} from '../../../server/identity/proof/signatures/key-directories.ts';
import { createSignatures, type Signatures } from '../../../server/identity/proof/signatures/signature.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import {
  directoryPath,
  serveKeys,
  serveText,
  startDirectoryServer,
  type TestDirectoryServer,
} from '../../support/proof/directory-server.ts';
import { loopback, startHttpsServer } from '../../support/proof/https-server.ts';
import {
  createSigner,
  type SigningOptions,
  signRequest,
  type TestSigner,
} from '../../support/proof/signer.ts';

const minuteMs = 60_000;
const alice = createSigner();
const bob = createSigner();

describe('a key directory', () => {
  let server: TestDirectoryServer;
  let directories: KeyDirectories;
  let signatures: Signatures;
  let time: number;

  beforeEach(async () => {
    time = Date.parse('2026-11-21T12:00:00Z');
    server = await startDirectoryServer();
    use();
  });
  afterEach(async () => {
    directories.stop();
    await server.close();
  });

  function use(more: object = {}): void {
    directories = createKeyDirectories({
      get: createHttpsGet(loopback(server.ca)),
      now: () => time,
      isKnown: () => false,
      ...more,
    });
    signatures = createSignatures(directories, () => time);
  }
  const request = (name: string, by: TestSigner, more: Partial<SigningOptions> = {}) =>
    signRequest(by, { agent: `"https://${name}:${server.port}"`, at: time, ...more });

  it('is fetched when its host is first seen, and makes the next answer better', async () => {
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    const host = `alice.test:${server.port}`;
    expect(signatures.check(request('alice.test', alice))).toEqual({
      state: 'unknown',
      host,
      why: `The key directory of ${host} is not known yet.`,
    });
    await expect
      .poll(() => signatures.check(request('alice.test', alice)))
      .toEqual({ state: 'valid', host, keyid: alice.keyid });
    expect(server.asked).toEqual([`${host} ${directoryPath}`]);
  });

  it('can be waited for', async () => {
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    const nonced = request('alice.test', alice, { nonce: 'once' });
    expect(await signatures.verify(nonced)).toMatchObject({ state: 'valid' });
    expect(await signatures.verify(nonced)).toMatchObject({ state: 'invalid' });
    expect(await signatures.verify({ url: 'https://site.example/', headers: {} })).toBeUndefined();
  });

  it('is asked once by many requests', async () => {
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    await Promise.all(Array.from({ length: 50 }, () => signatures.verify(request('alice.test', alice))));
    expect(server.asked).toHaveLength(1);
  });

  it('speaks for its own host only', async () => {
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    server.hosts['bob.test'] = serveKeys([bob.jwk]);
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
    server.hosts['alice.test'] = serveKeys([alice.jwk], { 'cache-control': 'public, max-age=86400' });
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    server.hosts['alice.test'] = serveKeys([alice.jwk, bob.jwk]);
    time += 4 * minuteMs;
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
    expect(server.asked).toHaveLength(1);
    time += minuteMs;
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'valid' });
    for (let i = 0; i < 20; i++) await signatures.verify(request('alice.test', createSigner()));
    expect(server.asked).toHaveLength(2);
  });

  it('takes a key back by no longer listing it', async () => {
    server.hosts['alice.test'] = serveKeys([alice.jwk, bob.jwk], { 'cache-control': 'max-age=600' });
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'valid' });
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    time += 11 * minuteMs;
    // The old keys serve while the new ones are on their way.
    expect(signatures.check(request('alice.test', bob))).toMatchObject({ state: 'valid' });
    await directories.settle(`alice.test:${server.port}`);
    expect(signatures.check(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
  });

  it('is not trusted when it has not been asked for long', async () => {
    server.hosts['alice.test'] = serveKeys([alice.jwk], { 'cache-control': 'max-age=600' });
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
    server.hosts['alice.test'] = serveKeys([alice.jwk], { 'cache-control': 'max-age=600' });
    await signatures.verify(request('alice.test', alice));
    server.hosts['alice.test'] = serveKeys([], {}, 503);
    time += 24 * 60 * minuteMs;
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(server.asked).toHaveLength(2);
  });

  it('is remembered for as long as it says, between five minutes and a day', async () => {
    const askedAfter = async (cacheControl: string, minutes: number) => {
      use();
      server.asked.length = 0;
      server.hosts['alice.test'] = serveKeys([alice.jwk], { 'cache-control': cacheControl });
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
      server.hosts['alice.test'] = serveKeys([key]);
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
    server.hosts['alice.test'] = serveKeys([...broken, alice.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(await signatures.verify(request('alice.test', bob))).toMatchObject({ state: 'unknown' });
  });

  it('may not list the key whose private half is printed in RFC 9421', async () => {
    const x = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';
    server.hosts['alice.test'] = serveKeys([{ kty: 'OKP', crv: 'Ed25519', x }]);
    const keyid = 'poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U';
    expect(await signatures.verify(request('alice.test', alice, { keyid }))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('lists no'),
    });
  });

  it.each<[string, () => ReturnType<typeof serveText>, string]>([
    ['is missing', () => serveKeys([alice.jwk], {}, 404), 'status 404'],
    [
      'redirects',
      () => serveKeys([alice.jwk], { location: `https://bob.test:${server.port}${directoryPath}` }, 302),
      'status 302',
    ],
    ['is a page', () => serveText('<html></html>', 'text/html'), 'not a key directory'],
    ['is not JSON', () => serveText('{"keys":'), 'not JSON'],
    ['is something else', () => serveText('{"jwks":[]}'), 'not a list'],
    ['lists too many keys', () => serveKeys(Array.from({ length: 33 }, () => alice.jwk)), 'at most 32 keys'],
    [
      'is too large',
      () => serveText(JSON.stringify({ keys: [alice.jwk], padding: 'x'.repeat(65_536) })),
      'more than 65536 bytes',
    ],
    ['is packed', () => serveKeys([alice.jwk], { 'content-encoding': 'br' }), 'packed'],
    [
      'breaks off',
      () => (_, response) =>
        response.writeHead(200, { 'content-length': '500' }).write('{', () => response.destroy()),
      'aborted',
    ],
  ])('gives no keys when it %s, and is left alone for five minutes', async (_, answer, words) => {
    server.hosts['alice.test'] = answer();
    server.hosts['bob.test'] = serveKeys([alice.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining(words),
    });
    time += 4 * minuteMs;
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'unknown' });
    expect(server.asked).toHaveLength(1);
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    time += minuteMs;
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'valid' });
  });

  it('gives no keys when its certificate is not to be trusted', async () => {
    const { ca: _, ...settings } = loopback(server.ca);
    use({ get: createHttpsGet(settings) });
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    expect(await signatures.verify(request('alice.test', alice))).toMatchObject({ state: 'unknown' });
    use();
    server.hosts['eve.test'] = serveKeys([alice.jwk]);
    expect(await signatures.verify(request('eve.test', alice))).toMatchObject({
      state: 'unknown',
      why: expect.stringContaining('altnames'),
    });
    expect(server.asked).toEqual([]);
  });

  it('is asked from few strangers at a time and few a minute, and always from well-known signers', async () => {
    const mute = await startHttpsServer(() => undefined);
    let looked: string[] = [];
    const resolve4 = async (name: string) => {
      looked.push(name);
      return ['127.0.0.1'];
    };
    const get = createHttpsGet({ ...loopback(mute.ca), resolver: { resolve4, resolve6: async () => [] } });
    use({ get, isKnown: (host: string) => host.startsWith('known.test') });
    const stranger = (i: number) =>
      signRequest(alice, { agent: `"https://s${i}.test:${mute.port}"`, at: time });
    for (let i = 0; i < 10; i++) signatures.check(stranger(i));
    signatures.check(signRequest(alice, { agent: `"https://known.test:${mute.port}"`, at: time }));
    await expect.poll(() => looked).toHaveLength(3);
    expect(looked).toEqual(['s0.test', 's1.test', 'known.test']);
    await mute.close();

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
    server.hosts['alice.test'] = serveKeys([alice.jwk]);
    server.hosts['bob.test'] = serveKeys([bob.jwk]);
    await signatures.verify(request('alice.test', alice));
    await signatures.verify(request('bob.test', bob));
    await signatures.verify(request('localhost', bob));
    expect(signatures.check(request('alice.test', alice))).toMatchObject({ state: 'valid' });
    expect(signatures.check(request('bob.test', bob))).toMatchObject({ state: 'unknown' });
  });
});
