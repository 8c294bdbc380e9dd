import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClock } from '../support/clock.ts';
import { errorOf, type Headcount, pathsAfter, startHeadcount } from '../support/headcount.ts';

const clock = createClock('2026-03-01T12:00:00Z');
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot';

let headcount: Headcount;
let site: Headcount;

beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now });
  site = await startHeadcount({
    now: clock.now,
    project: {
      hosts: ['example.com', '*.example.org'],
      excludedPaths: ['/admin/**', '/*.pdf', '/intern/', '/küche/*/'],
      excludedAddresses: ['192.0.2.0/24', '2001:db8::/32'],
      keptParameters: ['page', 'lang'],
    },
  });
});
afterAll(() => Promise.all([headcount.stop(), site.stop()]));

describe('paths', () => {
  test.each([
    ['https://example.com', '/'],
    ['https://example.com/?a=b#c', '/'],
    ['https://example.com/docs/', '/docs'],
    ['https://example.com/docs///', '/docs'],
    ['https://example.com/a/./b/../c', '/a/c'],
    ['https://example.com/caf%c3%a9', '/caf%C3%A9'],
    ['https://example.com/café', '/caf%C3%A9'],
    ['https://example.com/%7Eanna/%41', '/~anna/A'],
    ['https://example.com/a%2fb', '/a%2Fb'],
    ['https://example.com/100%', '/100%25'],
    ['https://example.com/日本', '/%E6%97%A5%E6%9C%AC'],
    ['HTTPS://EXAMPLE.COM:443/Case', '/Case'],
    [`https://example.com/${'x'.repeat(3000)}`, `/${'x'.repeat(1023)}`],
    [`https://example.com/${'é'.repeat(300)}`, `/${'%C3%A9'.repeat(170)}%C3`],
  ])('%s is counted as %s', async (url, path) => {
    expect(await pathsAfter(headcount, () => headcount.hit({ u: url }))).toEqual([path]);
  });

  test('a site that routes by fragment has its routes as paths', async () => {
    const routed = (u: string) => pathsAfter(headcount, () => headcount.hit({ u, h: 1 }));
    expect(await routed('https://example.com/app/#/settings/?tab=1')).toEqual(['/app#/settings']);
    expect(await routed('https://example.com/app#/')).toEqual(['/app']);
    expect(await pathsAfter(headcount, () => headcount.hit({ u: 'https://example.com/app#/x' }))).toEqual([
      '/app',
    ]);
  });

  test('query parameters to keep stay, in the order of the settings', async () => {
    const url = 'https://example.com/list/?utm=x&lang=de&page=2&page=a%20b';
    expect(await pathsAfter(site, () => site.hit({ u: url }))).toEqual(['/list?page=2&page=a+b&lang=de']);
  });
});

describe('what is not counted is answered 202 with the reason', () => {
  const dropped = async (response: Promise<Response>) => {
    const { status, headers } = await response;
    expect(status).toBe(202);
    return headers.get('x-headcount-dropped');
  };

  test.each([
    ['a page on another host', 'https://evil.example/', 'foreign_host'],
    ['the bare domain of a wildcard', 'https://example.org/', 'foreign_host'],
    ['a host that only ends alike', 'https://notexample.org/', 'foreign_host'],
    ['an excluded path', 'https://example.com/admin/users', 'excluded_path'],
    ['the folder of an excluded path', 'https://example.com/admin', 'excluded_path'],
    ['an excluded path that was given with a slash', 'https://example.com/intern', 'excluded_path'],
    ['an excluded path that was not encoded', 'https://example.com/k%C3%BCche/1', 'excluded_path'],
    ['an excluded file', 'https://example.com/a.pdf', 'excluded_path'],
  ])('%s', async (_, u, reason) => {
    expect(await dropped(site.hit({ u }))).toBe(reason);
  });

  test.each(['https://example.com/x', 'https://docs.example.org/', 'https://a.b.example.org/'])(
    'but %s is counted',
    async (u) => {
      expect(await dropped(site.hit({ u }))).toBeNull();
    },
  );

  test('an unknown project', async () => {
    expect(await dropped(headcount.hit({ p: 'nosuchproject', u: 'https://example.com/' }))).toBe(
      'unknown_project',
    );
  });

  test('a bot', async () => {
    expect(await dropped(headcount.hit({ u: 'https://example.com/' }, { 'user-agent': googlebot }))).toBe(
      'bot',
    );
  });

  test.each(['192.0.2.77', '2001:db8:1::5', '::ffff:192.0.2.9'])(
    'an excluded address (%s)',
    async (address) => {
      expect(await dropped(site.hit({ u: 'https://example.com/' }, { 'x-forwarded-for': address }))).toBe(
        'excluded_address',
      );
    },
  );

  test('is counted by reason', async () => {
    await site.context.ingest.drain();
    const { dropped } = await site.get<{ dropped: { reason: string; hits: number }[] }>(
      `/v1/analytics/${site.projectId}/dropped`,
    );
    expect(Object.fromEntries(dropped.map(({ reason, hits }) => [reason, hits]))).toMatchObject({
      foreign_host: 3,
      excluded_path: 5,
      excluded_address: 3,
    });
  });
});

test('an AI client is counted as AI', async () => {
  const project = await headcount.addProject();
  await project.hit({ u: 'https://example.com/ai' }, { 'user-agent': gptBot });
  expect(await project.visitors()).toEqual({ '/ai': { human: 0, ai: 1, total: 1 } });
});

describe('sources', () => {
  test.each([
    ['no referrer', {}, '(direct)'],
    ['a referrer', { r: 'https://www.News.example/story?id=1' }, 'news.example'],
    [
      'a campaign',
      { u: 'https://example.com/s?utm_source=Newsletter', r: 'https://news.example/' },
      'newsletter',
    ],
    ['an AI assistant by referrer', { r: 'https://chatgpt.com/' }, 'ChatGPT'],
    ['an AI assistant by campaign', { u: 'https://example.com/s?utm_source=chatgpt.com' }, 'ChatGPT'],
    ['an assistant of another maker', { r: 'https://www.perplexity.ai/search' }, 'Perplexity'],
    ['an Android app', { r: 'android-app://com.example.reader' }, 'com.example.reader'],
    ['a referrer that is no address', { r: 'javascript:alert(1)' }, '(direct)'],
    ['a step inside the site', { r: 'https://example.com/before' }, undefined],
  ])('%s', async (_, body, source) => {
    const project = await headcount.addProject();
    await project.hit({ u: 'https://example.com/s', ...body });
    const { sources } = await project.get<{ sources: { source: string; human: number }[] }>(
      `/v1/analytics/${project.projectId}/sources`,
    );
    expect(sources).toEqual(source === undefined ? [] : [{ source, human: 1, ai: 0, total: 1 }]);
  });
});

describe('the client address', () => {
  const visitorsOf = async (env: Record<string, string>, forwarded: (string | undefined)[]) => {
    const server = await startHeadcount({ now: clock.now, env });
    for (const value of forwarded) {
      await server.hit(
        { u: 'https://example.com/' },
        value === undefined ? {} : { 'x-forwarded-for': value },
      );
    }
    const counts = await server.visitors();
    await server.stop();
    return counts['/']?.human;
  };

  test('comes from the forwarded header of a trusted proxy', async () => {
    expect(await visitorsOf({}, ['198.51.100.1', '198.51.100.2', '198.51.100.1'])).toBe(2);
  });

  test('is the last one that no trusted proxy added', async () => {
    const chain = (first: string) => `${first}, 198.51.100.1, 10.0.0.1`;
    const env = { HEADCOUNT_TRUSTED_PROXIES: 'loopback,10.0.0.0/8' };
    expect(await visitorsOf(env, [chain('203.0.113.1'), chain('203.0.113.2'), chain('forged')])).toBe(1);
  });

  test('is the peer itself where nobody is trusted', async () => {
    expect(
      await visitorsOf({ HEADCOUNT_TRUSTED_PROXIES: 'none' }, ['198.51.100.1', '198.51.100.2', undefined]),
    ).toBe(1);
  });

  test('is the peer itself where the header is garbage', async () => {
    expect(await visitorsOf({}, ['garbage', '999.1.1.1', ', ,', '<script>', undefined])).toBe(1);
  });

  test('counts IPv6 by the first 64 bits, and one address in several spellings once', async () => {
    expect(await visitorsOf({}, ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::', '[2001:db8:1:2::9]:443'])).toBe(1);
    expect(await visitorsOf({}, ['2001:db8:1:2::1', '2001:db8:1:3::1'])).toBe(2);
    expect(await visitorsOf({}, ['198.51.100.7', '::ffff:198.51.100.7', '198.51.100.7:4711'])).toBe(1);
  });
});

describe('POST /v1/hit', () => {
  const post = (body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
    fetch(`${headcount.url}/v1/hit`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain', ...headers },
    });

  test.each([
    ['nothing', '', 'The body must be JSON.'],
    ['broken JSON', '{"p":', 'The body must be JSON.'],
    ['a list', '[]', 'The hit is not valid: must be object, received array.'],
    ['no project', '{"u":"https://example.com/"}', 'The hit is not valid: p is missing.'],
    ['no page', '{"p":"x"}', 'The hit is not valid: u is missing.'],
    ['a number for a page', '{"p":"x","u":7}', 'The hit is not valid: u must be string, received number.'],
  ])('%s is refused in words', async (_, body, error) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toBe(error);
  });

  test.each([
    '/docs',
    'example.com/docs',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'about:blank',
    'https://',
    'http://[::1',
  ])('the address %s is refused', async (u) => {
    const response = await headcount.hit({ u });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toBe(
      'The address of the page must be an absolute http or https URL.',
    );
  });

  test('bytes that are no text are refused', async () => {
    expect((await post(new Uint8Array([0xff, 0xfe, 0x00, 0x7b]))).status).toBe(400);
  });

  test('a body that is too large is refused before it is read', async () => {
    const response = await post(
      JSON.stringify({ p: 'x', u: 'https://example.com/', r: 'x'.repeat(100_000) }),
    );
    expect(response.status).toBe(413);
    expect((await errorOf(response)).error).toBe('The body must have at most 32768 bytes.');
  });

  test('a body that grows without end is cut off', async () => {
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(0x20)),
    });
    const outcome = await fetch(`${headcount.url}/v1/hit`, {
      method: 'POST',
      body: endless,
      duplex: 'half',
    } as RequestInit)
      .then(({ status }) => status)
      // The server may have closed the connection while the client was still writing.
      .catch(() => 413);
    expect(outcome).toBe(413);
  });

  test('other letters are ignored, now and later', async () => {
    expect((await headcount.hit({ u: 'https://example.com/more', z: 1, extra: { deep: true } })).status).toBe(
      202,
    );
  });

  test('may be read from any origin, without a preflight or with one', async () => {
    const response = await headcount.hit(
      { u: 'https://example.com/cors' },
      { origin: 'https://example.com' },
    );
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await fetch(`${headcount.url}/v1/hit`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('POST');
  });

  test('a client that leaves in the middle of its body leaves nothing behind', async () => {
    const before = await headcount.views();
    const { port } = new URL(headcount.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /v1/hit HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n{"p":"');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    await headcount.hit({ u: 'https://example.com/after-abort' });
    expect(Object.keys(await headcount.views()).length).toBe(Object.keys(before).length + 1);
    expect(headcount.log).toEqual([]);
  });
});
