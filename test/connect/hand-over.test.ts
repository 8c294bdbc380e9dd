import { describe, expect, test } from 'vitest';
import type { Options } from '../../connect/types/options.d.ts';
import { clients } from '../../server/identity/catalogue.ts';
import { connectExpress, connectFetch } from '../support/packages/connect.ts';
import { key, pathsOf, receiver, reporter } from '../support/packages/connect-reporter.ts';

describe('what is passed on', () => {
  const send = async (path: string, headers: Record<string, string>, options: Partial<Options> = {}) => {
    const { url, batches } = await receiver();
    const { report, flush } = reporter(url, options);
    report(path, headers);
    await flush();
    return batches[0]?.hits[0];
  };

  test('is what shows who asks, and what a signature covers, and no secret', async () => {
    const telling = {
      accept: 'text/markdown',
      'accept-language': 'de',
      'sec-fetch-mode': 'cors',
      'sec-ch-ua-platform': '"Linux"',
      'x-browser-agent': 'ChatGPT/1',
      'cf-brapi-request-id': '1',
      signature: 'sig1=:AAAA:',
      'signature-input': 'sig1=("@authority" "x-mine" "cookie" "authorization");keyid="k"',
      'signature-agent': '"https://chatgpt.com"',
      'x-mine': 'signed',
      'x-forwarded-for': '192.0.2.1',
    };
    const others = {
      cookie: 'session=1',
      authorization: 'Bearer 1',
      'x-other': '1',
    };
    expect(
      await send('/docs?x=1', {
        ...telling,
        ...others,
        'user-agent': 'Reader/1',
        referer: 'https://a.example/',
      }),
    ).toEqual({
      url: 'https://example.com/docs?x=1',
      method: 'GET',
      ip: '198.51.100.1',
      userAgent: 'Reader/1',
      referrer: 'https://a.example/',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      status: 200,
      type: 'text/html',
      headers: telling,
    });
  });

  test('is every header by which the catalogue knows a client', async () => {
    const names = clients.flatMap(({ header }) => header?.split(': ')[0] ?? []);
    expect(names.length).toBeGreaterThan(0);
    const headers = Object.fromEntries(names.map((name) => [name, 'x']));
    expect(await send('/', headers)).toMatchObject({ headers });
  });

  test("is the platform's word for the address where it is named", async () => {
    const options = { addressHeader: 'CF-Connecting-IP' };
    expect(await send('/', { 'cf-connecting-ip': '192.0.2.7' }, options)).toMatchObject({ ip: '192.0.2.7' });
    expect(await send('/', {}, options)).toMatchObject({ ip: '198.51.100.1' });
  });

  test('is what a program did not get and which files for machines it asked for, and not of browsers', async () => {
    const { url, batches } = await receiver();
    const { report, flush } = connectFetch({ server: url, key });
    const sent = (path: string, status: number, headers = {}, method = 'GET') =>
      report(
        new Request(`https://example.com${path}`, { method, headers }),
        new Response(status === 304 ? null : 'x', {
          status,
          headers: { 'content-type': 'text/plain', 'content-length': '1' },
        }),
        { address: '198.51.100.1' },
      );
    sent('/gone', 404);
    sent('/old', 301);
    sent('/robots.txt', 200);
    sent('/.well-known/mcp.json', 404);
    sent('/logo.png', 404);
    sent('/gone', 404, { 'sec-fetch-mode': 'navigate' });
    sent('/gone', 404, {}, 'POST');
    await flush();
    const hits = batches.flatMap((batch) => batch.hits);
    expect(hits.map(({ status, bytes }) => [status, bytes])).toEqual([
      [404, undefined],
      [301, undefined],
      [200, 1],
      [404, undefined],
    ]);
    expect(pathsOf(batches)).toEqual(['/gone', '/old', '/robots.txt', '/.well-known/mcp.json']);
  });

  test('without an answer to look at is what looks like a page', async () => {
    const { url, batches } = await receiver();
    const { report, flush } = connectFetch({ server: url, key, addressHeader: 'x-real-ip' });
    const ask = (path: string, accept = '*/*') =>
      report(new Request(`https://example.com${path}`, { headers: { accept, 'x-real-ip': '192.0.2.1' } }));
    for (const path of ['/', '/docs', '/docs.md', '/logo.png', '/_next/app.js', '/favicon.ico', '/health'])
      ask(path);
    ask('/health', 'text/html');
    await flush();
    expect(pathsOf(batches)).toEqual(['/', '/docs', '/docs.md', '/health']);
  });
});

describe('options that cannot be used', () => {
  const good = { server: 'https://count.example.com', key };
  test.each([
    ['no server', { key }, 'server must be like https://count.example.com'],
    ['a server without scheme', { ...good, server: 'count.example.com' }, 'server must be like https'],
    ['no key', { server: good.server }, 'key must be like hc_ingest_…'],
    ['a key of something else', { ...good, key: 'sk_secret' }, 'key must be like hc_ingest_…'],
    ['a word for a switch', { ...good, countPeople: 'no' }, 'countPeople must be like true'],
    ['a list of proxies', { ...good, trustedProxies: ['loopback'] }, 'trustedProxies must be like loopback'],
    ['no proxy at all', { ...good, trustedProxies: '; rm' }, 'trustedProxies must be like loopback'],
    [
      'a header with a space',
      { ...good, addressHeader: 'x real' },
      'addressHeader must be like cf-connecting-ip',
    ],
    ['a filter that is none', { ...good, filter: '/docs' }, 'filter must be like () => true'],
    ['an unknown one', { ...good, trustProxy: true }, 'There is no option trustProxy.'],
  ])('%s: an error at once, without the key', (_, options, sentence) => {
    for (const connect of [connectFetch, connectExpress]) {
      const attempt = () => connect(options as unknown as Options);
      expect(attempt).toThrow(sentence);
      expect(attempt).not.toThrow(/sk_secret|hc_ingest_example/);
    }
  });
});
