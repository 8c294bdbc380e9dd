import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClock } from '../support/clock.ts';
import { errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';

const clock = createClock('2026-03-01T12:00:00Z');
let headcount: Headcount;

const gptBot =
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; GPTBot/1.4; +https://openai.com/gptbot';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

/** One view: who (a number for each), what, when. */
const view = (who: number, path: string, at: string, userAgent = firefox) => ({
  url: `https://example.com${path}`,
  ip: `192.0.2.${who}`,
  userAgent,
  at,
});

interface Page {
  totals: { human: number; ai: number; total: number };
  visitors: { path: string; human: number; ai: number; total: number }[];
  hasMore: boolean;
}

const page = (query = ''): Promise<Page> =>
  headcount.get(`/v1/analytics/${headcount.projectId}/visitors?${query}`);

function ask(path: string, key = headcount.adminKey, method = 'GET'): Promise<Response> {
  return fetch(headcount.url + path, {
    method,
    headers: key === '' ? {} : { authorization: `Bearer ${key}` },
  });
}

const askVisitors = (query: string, key?: string) =>
  ask(`/v1/analytics/${headcount.projectId}/visitors?${query}`, key);

beforeAll(async () => {
  headcount = await startHeadcount({ now: clock.now, project: { timeZone: 'Europe/Berlin' } });
  // 23:30 UTC is the next day in Berlin.
  await headcount.hits([
    view(1, '/', '2026-02-28T23:30:00Z'),
    view(1, '/docs', '2026-03-01T09:00:00Z'),
    view(1, '/docs', '2026-03-01T09:05:00Z'),
    view(2, '/docs', '2026-03-01T10:00:00+01:00'),
    view(3, '/b', '2026-02-28T22:30:00Z'),
    view(4, '/a', '2026-02-28T22:40:00Z'),
    view(5, '/docs', '2026-03-01T11:00:00Z', gptBot),
  ]);
  clock.set('2026-03-02T09:00:00Z');
  await headcount.hits([view(1, '/docs', '2026-03-02T08:00:00Z')]);
});
afterAll(() => headcount.stop());

describe('what is counted', () => {
  test('visitors of a range are the sum of its days, for the site and for each path', async () => {
    expect(await page()).toEqual({
      totals: { human: 5, ai: 1, total: 6 },
      visitors: [
        { path: '/docs', human: 3, ai: 1, total: 4 },
        { path: '/', human: 1, ai: 0, total: 1 },
        { path: '/a', human: 1, ai: 0, total: 1 },
        { path: '/b', human: 1, ai: 0, total: 1 },
      ],
      hasMore: false,
    });
  });

  test('views count every view', async () => {
    expect(await headcount.get(`/v1/analytics/${headcount.projectId}/views`)).toEqual({
      totals: { human: 7, ai: 1, total: 8 },
      views: [
        { path: '/docs', human: 4, ai: 1, total: 5 },
        { path: '/', human: 1, ai: 0, total: 1 },
        { path: '/a', human: 1, ai: 0, total: 1 },
        { path: '/b', human: 1, ai: 0, total: 1 },
      ],
      hasMore: false,
    });
  });

  test('the answer says that uniques are daily', async () => {
    const response = await askVisitors('');
    expect(response.headers.get('x-headcount-uniques')).toBe('daily');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test.each(['sources', 'devices', 'browsers', 'systems', 'countries'])(
    '%s have the same shape',
    async (name) => {
      const report = await headcount.get<Record<string, unknown[]>>(
        `/v1/analytics/${headcount.projectId}/${name}`,
      );
      expect(report).toMatchObject({ totals: { human: 5, ai: 1, total: 6 }, hasMore: false });
      expect(report[name]).toBeInstanceOf(Array);
    },
  );
});

describe('paging', () => {
  test('pages follow each other without overlap, and hasMore is exact', async () => {
    const first = await page('limit=2');
    const second = await page('limit=2&offset=2');
    expect(first.visitors.map(({ path }) => path)).toEqual(['/docs', '/']);
    expect(first.hasMore).toBe(true);
    expect(second.visitors.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(second.hasMore).toBe(false);
  });

  test('totals cover the range, whatever the page', async () => {
    expect((await page('limit=1&offset=3')).totals).toEqual({ human: 5, ai: 1, total: 6 });
  });

  test.each(['4', '1000000', '99999999999999999999'])(
    'an offset past the end (%s) is an empty page',
    async (offset) => {
      expect(await page(`offset=${offset}`)).toMatchObject({ visitors: [], hasMore: false });
    },
  );
});

describe('dates', () => {
  const total = async (query: string) => (await page(query)).totals.total;

  test.each([
    ['dateFrom is inclusive', 'dateFrom=2026-03-01', 4],
    ['dateTo is exclusive', 'dateTo=2026-03-01', 2],
    ['a single day', 'dateFrom=2026-03-01&dateTo=2026-03-02', 3],
    ['an empty range', 'dateFrom=2026-03-01&dateTo=2026-03-01', 0],
    ['a range before anything', 'dateTo=2020-01-01', 0],
    ['a range after everything', 'dateFrom=2030-01-01', 0],
    ['a moment in UTC falls on a day in Berlin', 'dateFrom=2026-02-28T23:00:00Z&dateTo=2026-03-02', 3],
    ['a moment just before', 'dateFrom=2026-02-28T22:59:59.999Z&dateTo=2026-03-02', 5],
    ['an offset', 'dateFrom=2026-03-01T00:30:00%2B02:00&dateTo=2026-03-02', 5],
    ['a local time', 'dateFrom=2026-03-01T00:00&dateTo=2026-03-02T23:59', 3],
  ])('%s: %s', async (_, query, expected) => {
    expect(await total(query)).toBe(expected);
  });

  test.each([
    'dateFrom=',
    'dateFrom=2026-02-30',
    'dateFrom=2026-13-01',
    'dateFrom=2026-2-1',
    'dateFrom=20260201',
    'dateFrom=yesterday',
    'dateFrom=2026-02-01T25:00:00Z',
    'dateFrom=2026-02-29T10:00:00Z',
    'dateFrom=1767225600',
    'dateTo=2026-03-01T10:00:00+01:00',
    'dateFrom=2026-03-02&dateTo=2026-03-01',
    'dateFrom=2026-03-01&dateFrom=2026-03-02',
  ])('%s is refused with a sentence and a field', async (query) => {
    const response = await askVisitors(query);
    expect(response.status).toBe(400);
    const body = await errorOf(response);
    expect(body.error).toMatch(/^The query is not valid: date(From|To) .*\.$/);
    expect(body.details).toEqual([
      { message: expect.any(String), path: expect.stringMatching(/^date(From|To)$/) },
    ]);
  });

  test('a plus sign that became a space is explained', async () => {
    const { error } = await errorOf(await askVisitors('dateTo=2026-03-01T10:00:00+01:00'));
    expect(error).toContain('%2B');
  });
});

describe('the query', () => {
  test.each([
    'limit=0',
    'limit=251',
    'limit=-1',
    'limit=1.5',
    'limit=1e2',
    'limit=',
    'limit=ten',
    'limit=+5',
    'offset=-1',
    'offset=',
    'offset=0x10',
    'limit=5&limit=6',
    'unknown=1',
    'unknown=1&unknown=2',
  ])('%s is refused and names the field', async (query) => {
    const response = await askVisitors(query);
    expect(response.status).toBe(400);
    const { error, details } = await errorOf(response);
    expect(error).toMatch(/\.$/);
    expect(details?.[0]?.path).toBe(query.split('=')[0]);
  });

  test('a parameter given twice is refused in words', async () => {
    expect((await errorOf(await askVisitors('limit=5&limit=6'))).error).toBe(
      'The query is not valid: limit must be given only once.',
    );
  });

  test.each(['limit=1', 'limit=250', 'offset=0', '_=1', '_=1&_=2'])('%s is accepted', async (query) => {
    expect((await askVisitors(query)).status).toBe(200);
  });
});

describe('keys', () => {
  test.each([
    ['no key', ''],
    ['something else', 'secret'],
    ['a key of the right form with a wrong checksum', 'hc_admin_0000000000000000000000000000000000'],
    [
      'a mistyped key',
      () => `${headcount.adminKey.slice(0, -1)}${headcount.adminKey.endsWith('a') ? 'b' : 'a'}`,
    ],
  ])('%s is unauthorized', async (_, key) => {
    const response = await askVisitors('', typeof key === 'string' ? key : key());
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect((await errorOf(response)).error).toMatch(/key/);
  });

  test('another scheme than Bearer is unauthorized', async () => {
    const response = await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/visitors`, {
      headers: { authorization: `Basic ${headcount.adminKey}` },
    });
    expect(response.status).toBe(401);
  });

  test('an ingest key may not read', async () => {
    expect((await askVisitors('', headcount.ingestKey)).status).toBe(403);
  });

  test('a key does not reveal which other projects exist', async () => {
    const other = await headcount.addProject();
    const existing = await ask(`/v1/analytics/${other.projectId}/visitors`);
    const missing = await ask('/v1/analytics/nosuchproject/visitors');
    expect([existing.status, missing.status]).toEqual([403, 403]);
    // The answers name what was asked for, and nothing else in them differs.
    const sentence = (await existing.text()).replace(other.projectId, 'nosuchproject');
    expect(sentence).toEqual(await missing.text());
  });

  test('a key for all projects reads each, and is told of one that does not exist', async () => {
    expect((await askVisitors('', headcount.rootKey)).status).toBe(200);
    expect((await ask('/v1/analytics/nosuchproject/visitors', headcount.rootKey)).status).toBe(404);
  });
});

describe('routes', () => {
  test.each(['/v1', '/v1/analytics/x', '/v2/nothing', '/v1/analytics/x/visitors/more'])(
    '%s is nothing',
    async (path) => {
      const response = await ask(path, headcount.rootKey);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: expect.stringMatching(/\.$/) });
    },
  );

  test.each([
    ['POST', '/v1/analytics/x/visitors', 'GET, HEAD'],
    ['DELETE', '/v1/analytics/x/views', 'GET, HEAD'],
    ['GET', '/v1/hits', 'POST'],
    ['GET', '/v1/hit', 'POST, OPTIONS'],
    ['POST', '/v1/pixel.gif', 'GET, HEAD'],
    ['PUT', '/hc.js', 'GET, HEAD'],
  ])('%s %s says what is allowed', async (method, path, allow) => {
    const response = await ask(path, headcount.rootKey, method);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });

  test('HEAD answers like GET without a body', async () => {
    const response = await ask(`/v1/analytics/${headcount.projectId}/visitors`, headcount.adminKey, 'HEAD');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  test('a broken escape in the address is a 400', async () => {
    expect((await ask('/v1/analytics/%zz/visitors')).status).toBe(400);
  });
});
