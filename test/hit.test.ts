import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BatchReply } from '../shared/hit.ts';
import { createClock, hourMs } from './support/clock.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from './support/headcount.ts';

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
      excludedPaths: ['/admin/**', '/*.pdf'],
      excludedAddresses: ['192.0.2.0/24', '2001:db8::/32'],
      keptParameters: ['page', 'lang'],
    },
  });
});
afterAll(() => Promise.all([headcount.stop(), site.stop()]));

/** What the one view of a fresh path left behind. */
async function pathsAfter(server: Headcount, send: () => Promise<Response>): Promise<string[]> {
  const before = await server.views();
  const response = await send();
  expect(response.status).toBe(202);
  const after = await server.views();
  return Object.keys(after).filter((path) => after[path]?.total !== before[path]?.total);
}

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

  test('is tallied by reason', async () => {
    await site.context.ingest.drain();
    const { dropped } = await site.get<{ dropped: { reason: string; hits: number }[] }>(
      `/v1/analytics/${site.projectId}/dropped`,
    );
    expect(Object.fromEntries(dropped.map(({ reason, hits }) => [reason, hits]))).toMatchObject({
      foreign_host: 3,
      excluded_path: 3,
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

describe('GET /v1/pixel.gif', () => {
  const pixel = (query: string, headers = {}) =>
    fetch(`${headcount.url}/v1/pixel.gif?${query}`, {
      headers: { 'user-agent': chromeUserAgent, ...headers },
    });

  test('counts the page that the image stands on', async () => {
    const send = () => pixel(`p=${headcount.projectId}`, { referer: 'https://example.com/pixel/page?x' });
    expect(await pathsAfter(headcount, send)).toEqual(['/pixel/page']);
  });

  test('counts the page that it is told', async () => {
    const send = () => pixel(`p=${headcount.projectId}&u=${encodeURIComponent('https://example.com/told')}`);
    expect(await pathsAfter(headcount, send)).toEqual(['/told']);
  });

  test('is an image that nobody keeps', async () => {
    const response = await pixel(`p=${headcount.projectId}&u=https://example.com/`);
    expect(response.headers.get('content-type')).toBe('image/gif');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 6)
        .toString(),
    ).toBe('GIF89a');
  });

  test('says what is missing', async () => {
    expect((await errorOf(await pixel(`p=${headcount.projectId}`))).error).toMatch(/referrerpolicy/);
    expect((await errorOf(await pixel('u=https://example.com/'))).error).toBe(
      'The query is not valid: p is missing.',
    );
    expect((await errorOf(await pixel('p=a&p=b&u=https://example.com/'))).error).toBe(
      'The query is not valid: p must be given only once.',
    );
  });
});

describe('POST /v1/hits', () => {
  const view = { url: 'https://example.com/batch', ip: '198.51.100.1', userAgent: chromeUserAgent };
  const replyOf = async (response: Response) => {
    expect(response.status).toBe(202);
    return (await response.json()) as BatchReply;
  };

  test('counts what it is told, and says what it did not count', async () => {
    const reply = await replyOf(
      await headcount.hits([
        view,
        { ...view, ip: '198.51.100.2' },
        { ...view, userAgent: googlebot },
        { ...view, ip: 'unknown' },
        { ...view, url: '/relative' },
        'no hit at all',
        { ...view, at: 'yesterday' },
        { ...view, userAgent: gptBot },
      ]),
    );
    expect(reply.accepted).toBe(3);
    expect(reply.dropped.map(({ index, reason }) => [index, reason])).toEqual([
      [2, 'bot'],
      [3, 'invalid'],
      [4, 'invalid'],
      [5, 'invalid'],
      [6, 'invalid'],
    ]);
    expect((await headcount.visitors())['/batch']).toEqual({ human: 2, ai: 1, total: 3 });
  });

  test('takes times up to 24 hours back and a little ahead', async () => {
    const at = (ms: number) => ({ ...view, at: new Date(clock.now() + ms).toISOString() });
    const reply = await replyOf(
      await headcount.hits([at(-24 * hourMs), at(-24 * hourMs - 1), at(60_000), at(hourMs), at(-hourMs)]),
    );
    expect(reply).toEqual({
      accepted: 3,
      dropped: [
        { index: 1, reason: 'too_old' },
        { index: 3, reason: 'invalid', error: expect.stringContaining('future') },
      ],
    });
  });

  test('an empty batch is accepted', async () => {
    expect(await replyOf(await headcount.hits([]))).toEqual({ accepted: 0, dropped: [] });
  });

  test.each([
    ['more than 1,000 hits', { hits: new Array(1001).fill(view) }, 400],
    ['no hits', {}, 400],
    ['hits that are no list', { hits: 'x' }, 400],
    ['no object', [], 400],
  ])('%s is refused as a whole', async (_, body, status) => {
    const response = await fetch(`${headcount.url}/v1/hits`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${headcount.ingestKey}` },
    });
    expect(response.status).toBe(status);
  });

  test('needs a key, JSON, and a bounded body', async () => {
    const post = (headers: Record<string, string>, body: string) =>
      fetch(`${headcount.url}/v1/hits`, { method: 'POST', body, headers });
    const key = { authorization: `Bearer ${headcount.ingestKey}` };
    const json = { 'content-type': 'application/json' };
    expect((await post(json, '{"hits":[]}')).status).toBe(401);
    expect((await post({ ...key, 'content-type': 'text/plain' }, '{"hits":[]}')).status).toBe(415);
    expect(
      (await post({ ...key, 'content-type': 'application/json; charset=latin1' }, '{"hits":[]}')).status,
    ).toBe(415);
    expect((await post({ ...key, ...json }, '{"hits":[')).status).toBe(400);
    expect((await post({ ...key, ...json }, `{"hits":["${'x'.repeat(5_000_000)}"]}`)).status).toBe(413);
  });

  test("goes to the key's project, and to no other", async () => {
    const other = await headcount.addProject();
    const post = (key: string, project?: string) =>
      fetch(`${headcount.url}/v1/hits`, {
        method: 'POST',
        body: JSON.stringify({ project, hits: [view] }),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      });
    expect((await post(headcount.ingestKey, headcount.projectId)).status).toBe(202);
    expect((await post(headcount.adminKey)).status).toBe(202);
    expect((await post(headcount.ingestKey, other.projectId)).status).toBe(403);
    expect((await post(headcount.ingestKey, 'nosuchproject')).status).toBe(403);
    expect((await post(headcount.rootKey, other.projectId)).status).toBe(202);
    expect((await post(headcount.rootKey, 'nosuchproject')).status).toBe(404);
    const unnamed = await post(headcount.rootKey);
    expect(unnamed.status).toBe(400);
    expect((await errorOf(unnamed)).details).toEqual([{ message: 'is missing', path: 'project' }]);
  });
});

describe('GET /hc.js', () => {
  const get = (encoding: string, headers = {}) =>
    fetch(`${headcount.url}/hc.js`, { headers: { 'accept-encoding': encoding, ...headers } });

  test.each(['br', 'gzip', 'identity'])('is the same script, sent as %s', async (encoding) => {
    const response = await get(encoding);
    expect(response.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.text()).toBe(await (await get('identity')).text());
  });

  test('is asked for again with its ETag, and not sent twice', async () => {
    const first = await get('br');
    expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
    const again = await get('br', {
      'if-none-match': first.headers.get('etag') ?? '',
      'cache-control': 'max-age=0',
    });
    expect(again.status).toBe(304);
    const other = await get('gzip', {
      'if-none-match': first.headers.get('etag') ?? '',
      'cache-control': 'max-age=0',
    });
    expect(other.status).toBe(200);
  });
});
