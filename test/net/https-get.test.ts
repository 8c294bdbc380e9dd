import { Resolver } from 'node:dns/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpsGet, isPublicAddress } from '../../server/net/https-get.ts';
import { atThisLoad } from '../support/machine/load.ts';
import { startDnsServer, type TestDnsServer } from '../support/proof/dns-server.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../support/proof/https-server.ts';

const limits = { timeoutMs: 10_000, maxBytes: 100 };

describe('a file from a host that strangers name', () => {
  let server: TestHttpsServer;
  let names: TestDnsServer | undefined;
  beforeEach(async () => {
    server = await startHttpsServer((_, response) => response.end('hello'), ['alice.test']);
  });
  afterEach(async () => {
    await server.close();
    await names?.close();
    names = undefined;
  });

  async function resolverFor(addresses: readonly string[]): Promise<Resolver> {
    names = await startDnsServer({
      'A alice.test': addresses.filter((address) => !address.includes(':')),
      'AAAA alice.test': addresses.filter((address) => address.includes(':')),
    });
    const resolver = new Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([names.address]);
    return resolver;
  }

  it('is fetched from the address that its name has', async () => {
    const get = createHttpsGet({ reach: 'any', ca: server.ca, resolver: await resolverFor(['127.0.0.1']) });
    expect(await get(`https://alice.test:${server.port}/`, limits)).toMatchObject({
      status: 200,
      body: 'hello',
    });
  });

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1']],
    [['169.254.169.254', 'fe80::1']],
    [['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']],
    [['fd00::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '::', '::7f00:1', '4000::1']],
    [['0.0.0.0', '224.0.0.1', '255.255.255.255']],
  ])('is not fetched when its name leads to %j', async (addresses) => {
    const get = createHttpsGet({ ca: server.ca, resolver: await resolverFor(addresses) });
    await expect(get('https://alice.test/', limits)).rejects.toThrow('alice.test has no public address');
    // The very answer that was judged would have been used: nobody is asked a second time.
    expect(names?.asked.sort()).toEqual(['A alice.test', 'AAAA alice.test']);
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
    ['https://metadata.google.internal/', 'not a public host name'],
    ['https://alice.example:8443/', 'not a public host name on the usual port'],
    ['nonsense', 'not an https address'],
  ])('is not even looked for at %s', async (address, words) => {
    const resolver = await resolverFor([]);
    await expect(createHttpsGet({ resolver })(address, limits)).rejects.toThrow(words);
    expect(names?.asked).toEqual([]);
  });

  it('is missed in words when its name does not exist', async () => {
    const resolver = await resolverFor([]);
    const answer = createHttpsGet({ resolver })('https://nobody.test/', limits);
    await expect(answer).rejects.toThrow('nobody.test could not be read: queryA ENOTFOUND');
  });

  it('is given up when it takes too long, also in drips', async () => {
    const drips = await startHttpsServer((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(timer));
    });
    const before = performance.now();
    const answer = createHttpsGet(loopback(drips.ca))(`https://${drips.host}/`, {
      timeoutMs: 200,
      maxBytes: 1e6,
    });
    await expect(answer).rejects.toThrow('took too long');
    expect(performance.now() - before).toBeLessThan(atThisLoad(10_000));
    await drips.close();
  });

  it.each(['8.8.8.8', '2606:4700::1', '::ffff:8.8.8.8'])('may be at %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
