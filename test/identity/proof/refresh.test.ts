import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProofs, feedsOf, type Proofs } from '../../../server/identity/proof/proof.ts';
import { readCopy } from '../../../server/identity/proof/range-copy.ts';
import { refreshRanges, scheduleRefresh } from '../../../server/identity/proof/range-refresh.ts';
import { createRangeBook, type RangeBook } from '../../../server/identity/proof/ranges.ts';
import { createHttpsGet } from '../../../server/net/https-get.ts';
import { atThisLoad } from '../../support/machine/load.ts';
import { loopback, startHttpsServer, type TestHttpsServer } from '../../support/proof/https-server.ts';
import { keepRecentRanges } from '../../support/proof/recent-ranges.ts';

const dayMs = 86_400_000;
const prefixes = (...ranges: string[]) =>
  JSON.stringify({
    creationTime: '2026-11-20T00:00:00',
    prefixes: ranges.map((range) => (range.includes(':') ? { ipv6Prefix: range } : { ipv4Prefix: range })),
  });

describe('the daily refresh', () => {
  let server: TestHttpsServer;
  let folder: string;
  let book: RangeBook;
  let time: number;
  let lines: string[];
  const answers = new Map<string, { status?: number; body?: string; headers?: Record<string, string> }>();

  beforeEach(async () => {
    answers.clear();
    lines = [];
    time = Date.parse('2026-11-21T08:00:00Z');
    folder = mkdtempSync(join(tmpdir(), 'headcount-ranges-'));
    book = createRangeBook(() => time);
    server = await startHttpsServer((request, response) => {
      const { status = 200, body = '', headers = {} } = answers.get(request.url ?? '') ?? { status: 404 };
      const unchanged = headers.etag !== undefined && request.headers['if-none-match'] === headers.etag;
      response.writeHead(unchanged ? 304 : status, headers).end(unchanged ? '' : body);
    });
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const feed = (id: string) => ({ id, url: `https://${server.host}/${id}.json`, tokens: [id] });
  const context = (...ids: string[]) => ({
    feeds: ids.map(feed),
    collection: `https://${server.host}/collection.json`,
    book,
    folder,
    get: createHttpsGet(loopback(server.ca)),
    now: () => time,
    log: { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) },
  });
  const refresh = (...ids: string[]) => refreshRanges(context(...ids), new AbortController().signal);
  /** What a process started now would know. */
  const keptRanges = (id: string) => readCopy(folder, id)?.ranges;

  it('takes what the operator publishes and keeps it for the next start', async () => {
    answers.set('/a.json', { body: prefixes('20.171.206.0/23') });
    expect(await refresh('a')).toBe(0);
    expect(book.lookup('a', '20.171.206.1')).toBe('inside');
    expect(keptRanges('a')).toEqual(['20.171.206.0/23']);
    expect(readdirSync(folder)).toEqual(['a.json']);
    expect(lines).toEqual([]);
  });

  it('asks once a day, and only whether something changed', async () => {
    answers.set('/a.json', { body: prefixes('20.171.206.0/23'), headers: { etag: '"1"' } });
    await refresh('a');
    time += 3_600_000;
    await refresh('a');
    expect(server.asked).toHaveLength(1);

    time += dayMs;
    answers.set('/a.json', { body: 'never sent', headers: { etag: '"1"' } });
    expect(await refresh('a')).toBe(0);
    expect(server.asked).toHaveLength(2);
    expect(readCopy(folder, 'a')).toMatchObject({
      asOf: new Date(time).toISOString(),
      etag: '"1"',
      ranges: ['20.171.206.0/23'],
    });
  });

  it('logs one short line when nothing can be looked up', async () => {
    const ids = Array.from({ length: 27 }, (_, i) => `operator-${i}`);
    const noDns = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo EAI_AGAIN x'), { code: 'EAI_AGAIN' }));
    expect(await refreshRanges({ ...context(...ids), get: noDns }, new AbortController().signal)).toBe(27);
    expect(lines).toEqual([
      'Could not refresh 27 of 27 IP lists (no DNS?); using cached copies. HEADCOUNT_OFFLINE=1 turns this off.',
      'Could not download the public collection of IP lists instead (no DNS?).',
    ]);
  });

  it.each([
    ['broken', { body: prefixes('20.171.206.0/23').slice(0, -5) }, 'not JSON'],
    ['with a bad range', { body: prefixes('20.171.206.0/23', '300.1.1.1/8') }, '300.1.1.1/8'],
    ['of everybody', { body: prefixes('0.0.0.0/0') }, 'too wide'],
    ['missing', { status: 404 }, 'status 404'],
    ['packed', { body: 'x', headers: { 'content-encoding': 'gzip' } }, 'packed'],
    ['endless', { body: ' '.repeat(2_000_001) }, 'more than 2000000 bytes'],
  ])('keeps the old list when the new one is %s, and says so', async (_, answer, words) => {
    answers.set('/a.json', { body: prefixes('74.7.175.128/25') });
    answers.set('/b.json', { body: prefixes('8.8.8.0/24') });
    await refresh('a', 'b');
    time += dayMs;
    answers.set('/a.json', answer);
    answers.set('/b.json', { body: prefixes('8.8.8.0/24', '9.9.9.0/24') });
    expect(await refresh('a', 'b')).toBe(1);
    expect(book.lookup('a', '74.7.175.129')).toBe('inside');
    expect(keptRanges('a')).toEqual(['74.7.175.128/25']);
    expect(book.lookup('b', '9.9.9.9')).toBe('inside');
    expect(lines[0]).toMatch(/^Could not refresh 1 of \d+ IP lists \(a: /);
    expect(lines[0]).toContain('; using cached copies. HEADCOUNT_OFFLINE=1 turns this off.');
    expect(lines[0]).toContain(words);
  });

  it('refuses a list that lost more than half of its addresses, and believes it after three days', async () => {
    answers.set('/a.json', { body: prefixes('20.171.206.0/23', '74.7.175.128/25') });
    await refresh('a');
    // One line instead of two, but most of the addresses: not shrunken.
    time += dayMs;
    answers.set('/a.json', { body: prefixes('20.171.206.0/23') });
    expect(await refresh('a')).toBe(0);

    time += dayMs;
    answers.set('/a.json', { body: prefixes('20.171.206.0/25', '20.171.206.128/26', '74.7.175.128/30') });
    expect(await refresh('a')).toBe(1);
    expect(book.lookup('a', '20.171.207.1')).toBe('inside');
    expect(lines[0]).toContain('less than half of the addresses');
    time += 2 * dayMs;
    expect(await refresh('a')).toBe(1);
    expect(keptRanges('a')).toEqual(['20.171.206.0/23']);
    time += dayMs;
    expect(await refresh('a')).toBe(0);
    expect(book.lookup('a', '20.171.207.1')).toBe('outside');
  });

  it.each([
    ['IPv4', '2600:1f28:365:80b0::/60'],
    ['IPv6', '20.171.206.0/23'],
  ])('refuses a list that lost its %s, which may be little beside the other', async (_, left) => {
    answers.set('/a.json', { body: prefixes('20.171.206.0/23', '2600:1f28:365:80b0::/60') });
    await refresh('a');
    time += dayMs;
    answers.set('/a.json', { body: prefixes(left) });
    expect(await refresh('a')).toBe(1);
    expect(book.lookup('a', '20.171.206.1')).toBe('inside');
    expect(book.lookup('a', '2600:1f28:365:80b0::1')).toBe('inside');
  });

  it('turns to the public collection for what an operator does not give out', async () => {
    const service = (id: string, more: object) => ({
      source_url: feed(id).url,
      last_changed_at: '2026-11-20T10:00:00Z',
      ip_list_authoritative: true,
      ipv4: ['20.171.206.0/23'],
      ipv6: [],
      ...more,
    });
    const services = {
      A: service('a', {}),
      B: service('b', { ip_list_authoritative: false }),
      C: service('c', { ipv4: [], last_changed_at: '2026-04-12T00:00:00Z' }),
    };
    answers.set('/collection.json', { body: JSON.stringify({ services }) });
    expect(await refresh('a', 'b', 'c')).toBe(3);
    expect(book.find('a')).toMatchObject({ asOf: '2026-11-20T10:00:00.000Z', source: context().collection });
    expect(book.lookup('a', '20.171.206.1')).toBe('inside');
    expect(book.lookup('b', '20.171.206.1')).toBe('unknown');
    expect(book.lookup('c', '20.171.206.1')).toBe('unknown');
  });

  it('follows redirects over https but to nothing less', async () => {
    answers.set('/a.json', { status: 302, headers: { location: '/moved.json' } });
    answers.set('/moved.json', { body: prefixes('20.171.206.0/23') });
    answers.set('/b.json', { status: 301, headers: { location: `http://${server.host}/moved.json` } });
    expect(await refresh('a', 'b')).toBe(1);
    expect(book.lookup('a', '20.171.206.1')).toBe('inside');
    expect(lines[0]).toContain('not an https address');
  });

  it('ends at once, with nothing left running, while a server keeps it waiting', async () => {
    const mute = await startHttpsServer(() => undefined);
    const refresher = scheduleRefresh(
      {
        ...context(),
        feeds: [{ id: 'a', url: `https://${mute.host}/a.json`, tokens: [] }],
        get: createHttpsGet(loopback(mute.ca)),
      },
      () => 0,
    );
    refresher.start();
    await expect.poll(() => mute.asked).toHaveLength(1);
    const before = performance.now();
    await refresher.stop();
    expect(performance.now() - before).toBeLessThan(atThisLoad(5_000));
    expect(lines).toEqual([]);
    await mute.close();
  });

  describe('as a part of the proofs', () => {
    let proofs: Proofs | undefined;
    afterEach(() => proofs?.stop());
    const start = () => {
      proofs = createProofs({ dataDir: folder, ...context(), feeds: ['a', 'b', 'openai-gptbot'].map(feed) });
      return proofs;
    };

    it('starts without a network with what is on disk, or else with what came with the package', async () => {
      answers.set('/a.json', { body: prefixes('20.171.206.0/23') });
      await refreshRanges({ ...context('a'), folder: join(folder, 'ranges') }, new AbortController().signal);
      await server.close();
      const { check } = start();
      expect(check({ ip: '20.171.206.1', feeds: ['a'] })).toEqual({ ranges: 'inside' });
      expect(check({ ip: '203.0.113.9', feeds: ['a'] })).toEqual({ ranges: 'outside' });
      expect(check({ ip: '74.7.175.129', feeds: ['openai-gptbot'] })).toEqual({ ranges: 'inside' });
      expect(check({ ip: '20.171.206.1', feeds: ['b'] })).toEqual({ ranges: 'unknown' });
      expect(check({ ip: '20.171.206.1' })).toEqual({});
    });

    it('starts in spite of a file on disk that was tampered with, and says so', async () => {
      answers.set('/a.json', { body: prefixes('20.171.206.0/23') });
      await refreshRanges({ ...context('a'), folder: join(folder, 'ranges') }, new AbortController().signal);
      const path = join(folder, 'ranges', 'a.json');
      for (const text of ['{', '{}', readFileSync(path, 'utf8').replace('20.171.206.0/23', '0.0.0.0/0')]) {
        lines = [];
        writeFileSync(path, text);
        expect(start().check({ ip: '203.0.113.9', feeds: ['a'] })).toEqual({ ranges: 'unknown' });
        expect(lines).toEqual([expect.stringContaining('"a"')]);
      }
    });

    it('is inside if one of several feeds has the address, and outside only if all are known not to', async () => {
      answers.set('/a.json', { body: prefixes('20.171.206.0/23') });
      await refreshRanges({ ...context('a'), folder: join(folder, 'ranges') }, new AbortController().signal);
      keepRecentRanges(folder, time);
      const { check } = start();
      expect(check({ ip: '20.171.206.1', feeds: ['b', 'a'] }).ranges).toBe('inside');
      expect(check({ ip: '203.0.113.9', feeds: ['a', 'b'] }).ranges).toBe('unknown');
      expect(check({ ip: '203.0.113.9', feeds: ['a', 'openai-gptbot'] }).ranges).toBe('outside');
    });

    it('accuses nobody whose client also runs on people’s own machines', () => {
      expect(feedsOf('Claude-User')).toEqual({ feeds: ['anthropic'], alsoElsewhere: true });
      expect(feedsOf('ClaudeBot')).toEqual({ feeds: ['anthropic'], alsoElsewhere: false });
      expect(feedsOf('Nobody')).toEqual({ feeds: [], alsoElsewhere: false });
      keepRecentRanges(folder, time);
      const { check } = start();
      const question = { ip: '203.0.113.9', feeds: ['openai-gptbot'] };
      expect(check({ ...question, alsoElsewhere: true })).toEqual({ ranges: 'unknown' });
      expect(check({ ...question, alsoElsewhere: false })).toEqual({ ranges: 'outside' });
      expect(check({ ...question, ip: '74.7.175.129', alsoElsewhere: true })).toEqual({ ranges: 'inside' });
    });
  });
});
