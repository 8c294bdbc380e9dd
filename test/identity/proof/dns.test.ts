import { Resolver } from 'node:dns/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createProofs } from '../../../server/identity/proof/proof.ts';
import { createReverseDns, isUnder } from '../../../server/identity/proof/reverse-dns.ts';
import type { DnsResolver } from '../../../server/net/dns-resolver.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import {
  type Records,
  reverseName,
  startDnsServer,
  type TestDnsServer,
} from '../../support/proof/dns-server.ts';
import { keepRecentRanges } from '../../support/proof/recent-ranges.ts';

const newFolder = temporaryFolders();
const suffix = ['.googlebot.com'];
const ip = '66.249.66.1';
const ptr = `PTR ${reverseName(ip)}`;
const ip6 = '2001:4860:4801:10::1';
const ptr6 = 'PTR 1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.1.0.8.4.0.6.8.4.1.0.0.2.ip6.arpa';

describe('forward-confirmed reverse DNS', () => {
  let server: TestDnsServer | undefined;
  let time = 0;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function resolverFor(records: Records): Promise<Resolver> {
    server = await startDnsServer(records);
    const isSilent = Object.values(records).includes('silent');
    const resolver = new Resolver({ timeout: isSilent ? 200 : 10_000, tries: 1 });
    resolver.setServers([server.address]);
    return resolver;
  }
  const reverseDns = (resolver: DnsResolver, more = {}) =>
    createReverseDns({ resolver, now: () => time, timeoutMs: 10_000, ...more });

  it.each<[string, string, string, Records, string[]]>([
    [
      'a name that leads back',
      'confirmed',
      ip,
      { [ptr]: ['crawl-1.googlebot.com'], 'A crawl-1.googlebot.com': ['66.249.66.2', ip] },
      suffix,
    ],
    [
      'a name in capitals',
      'confirmed',
      ip,
      { [ptr]: ['Crawl-1.GoogleBot.com'], 'A crawl-1.googlebot.com': [ip] },
      suffix,
    ],
    [
      'one of two names',
      'confirmed',
      ip,
      { [ptr]: ['x.example', 'a.googlebot.com'], 'A a.googlebot.com': [ip] },
      suffix,
    ],
    [
      'one of two suffixes',
      'confirmed',
      ip,
      { [ptr]: ['a.google.com'], 'A a.google.com': [ip] },
      ['.googlebot.com', 'google.com'],
    ],
    [
      'an IPv6 address, written otherwise',
      'confirmed',
      '2001:4860:4801:0010:0:0:0:1',
      { [ptr6]: ['a.googlebot.com'], 'AAAA a.googlebot.com': [ip6] },
      suffix,
    ],
    ['no name', 'refused', ip, {}, suffix],
    [
      'a name that leads elsewhere',
      'refused',
      ip,
      { [ptr]: ['a.googlebot.com'], 'A a.googlebot.com': ['66.249.66.2'] },
      suffix,
    ],
    ['a name that leads nowhere', 'refused', ip, { [ptr]: ['a.googlebot.com'] }, suffix],
    [
      'a name that only ends alike',
      'refused',
      ip,
      { [ptr]: ['a.evilgooglebot.com'], 'A a.evilgooglebot.com': [ip] },
      suffix,
    ],
    [
      'a name with the suffix in the middle',
      'refused',
      ip,
      { [ptr]: ['a.googlebot.com.evil.example'], 'A a.googlebot.com.evil.example': [ip] },
      suffix,
    ],
    [
      'a good name after too many others',
      'refused',
      ip,
      {
        [ptr]: ['a.example', 'b.example', 'c.example', 'd.example', 'a.googlebot.com'],
        'A a.googlebot.com': [ip],
      },
      suffix,
    ],
    ['a broken name server', 'unknown', ip, { [ptr]: 'broken' }, suffix],
    ['a silent name server', 'unknown', ip, { [ptr]: 'silent' }, suffix],
    [
      'a silence on the way back',
      'unknown',
      ip,
      { [ptr]: ['a.googlebot.com'], 'A a.googlebot.com': 'silent' },
      suffix,
    ],
  ])('given %s says %s', async (_, expected, address, records, suffixes) => {
    const dns = reverseDns(await resolverFor(records));
    expect(dns.peek(address, suffixes)).toBe('unknown');
    expect(await dns.settle(address, suffixes)).toBe(expected);
    expect(dns.peek(address, suffixes)).toBe(expected);
  });

  it('asks once for many requests and for all operators, and again when the answer is old', async () => {
    const dns = reverseDns(await resolverFor({ [ptr]: ['a.googlebot.com'], 'A a.googlebot.com': [ip] }));
    for (let i = 0; i < 100; i++) dns.peek(ip, suffix);
    await dns.settle(ip, suffix);
    expect(dns.peek(ip, ['.search.msn.com'])).toBe('refused');
    expect(server?.asked).toHaveLength(2);
    time += 25 * 3_600_000;
    expect(dns.peek(ip, suffix)).toBe('confirmed');
    await dns.settle(ip, suffix);
    expect(server?.asked).toHaveLength(4);
  });

  it('asks nothing for what is no address or without a suffix', async () => {
    const dns = reverseDns(await resolverFor({}));
    expect(await dns.settle('not an address', suffix)).toBe('unknown');
    expect(await dns.settle(ip, [])).toBe('unknown');
    expect(server?.asked).toEqual([]);
  });

  it('keeps to its number of look-ups at a time and of answers in memory', async () => {
    let running = 0;
    let most = 0;
    let asked = 0;
    const resolver: DnsResolver = {
      async resolvePtr() {
        asked++;
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
        return [];
      },
      resolve4: async () => [],
      resolve6: async () => [],
    };
    const dns = reverseDns(resolver, { concurrency: 3, maxEntries: 10 });
    const ips = Array.from({ length: 50 }, (_, i) => `20.0.0.${i}`);
    await Promise.all(ips.map((each) => dns.settle(each, suffix)));
    expect(most).toBe(3);
    expect(asked).toBe(50);
    expect(ips.filter((each) => dns.peek(each, suffix) === 'refused')).toEqual(ips.slice(40));
  });

  it('gives up on a resolver that never answers', async () => {
    const never = () => new Promise<string[]>(() => undefined);
    const dns = reverseDns(
      { resolvePtr: never, resolve4: never, resolve6: never },
      { timeoutMs: 20, concurrency: 1 },
    );
    const answers = [dns.settle(ip, suffix), dns.settle('66.249.66.2', suffix)];
    expect(await Promise.all(answers)).toEqual(['unknown', 'unknown']);
  });

  it('asks nothing more once it is stopped', async () => {
    const dns = reverseDns(await resolverFor({ [ptr]: 'silent' }));
    const waiting = dns.settle(ip, suffix);
    dns.stop();
    expect(await waiting).toBe('unknown');
    time += 3_600_000;
    expect(await dns.settle('66.249.66.2', suffix)).toBe('unknown');
    expect(server?.asked.filter((question) => question !== ptr)).toEqual([]);
  });

  it('improves the next answer of the proofs and is not asked for what the ranges prove', async () => {
    const resolver = await resolverFor({ [ptr]: ['a.googlebot.com'], 'A a.googlebot.com': [ip] });
    const log = { info: () => undefined, warn: () => undefined };
    const dataDir = await newFolder();
    const now = Date.parse('2026-11-21T00:00:00Z');
    keepRecentRanges(dataDir, now);
    const proofs = createProofs({ dataDir, now: () => now, log, resolver });
    const inside = { ip: '74.7.175.129', feeds: ['openai-gptbot'], suffixes: ['.openai.com'] };
    expect(proofs.check(inside)).toEqual({ ranges: 'inside' });
    expect(proofs.check({ ip, suffixes: suffix })).toEqual({ dns: 'unknown' });
    await expect.poll(() => proofs.check({ ip, suffixes: suffix })).toEqual({ dns: 'confirmed' });
    expect(await proofs.prove({ ip, suffixes: suffix, feeds: ['openai-gptbot'] })).toEqual({
      dns: 'confirmed',
      ranges: 'outside',
    });
    expect(server?.asked).toEqual([ptr, 'A a.googlebot.com']);
    await proofs.stop();
  });
});

describe('a suffix', () => {
  it.each([
    ['googlebot.com', '.googlebot.com', true],
    ['a.b.googlebot.com', 'GoogleBot.com', true],
    ['agooglebot.com', '.googlebot.com', false],
    ['com', '.googlebot.com', false],
  ])('%s is under %s: %s', (name, end, expected) => {
    expect(isUnder(name, end)).toBe(expected);
  });
});
