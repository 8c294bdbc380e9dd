import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Count, NowReply, SeriesReply, VisitorsReply } from '../../shared/analytics.ts';
import { type Clock, createClock, dayMs } from '../support/clock.ts';
import { chromeUserAgent, errorOf, type Headcount, startHeadcount } from '../support/headcount.ts';
import { createLatch } from '../support/latch.ts';

const agents = {
  human: chromeUserAgent,
  GPTBot: 'Mozilla/5.0 (compatible; GPTBot/1.4; +https://openai.com/gptbot)',
  ClaudeBot: 'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
};

let clock: Clock;
let headcount: Headcount;

/** Visits of one day: how many visitors of which kind came to a path, each `views` times. */
async function visit(path: string, agent: keyof typeof agents, visitors: number, views = 1): Promise<void> {
  const hits = Array.from({ length: visitors * views }, (_, i) => ({
    url: `https://example.com${path}`,
    ip: `198.51.100.${i % visitors}`,
    userAgent: agents[agent],
    at: new Date(clock.now()).toISOString(),
  }));
  const response = await headcount.hits(hits);
  expect(await response.json()).toEqual({ accepted: hits.length, dropped: [] });
}

beforeAll(async () => {
  clock = createClock('2026-11-18T10:00:00Z');
  headcount = await startHeadcount({ now: clock.now, project: { keptParameters: ['q'] } });
  await visit('/docs', 'human', 5, 2);
  await visit('/docs', 'GPTBot', 2);
  await visit('/api', 'GPTBot', 4);
  await visit('/api', 'human', 1);
  clock.advance(2 * dayMs);
  await visit('/docs', 'human', 1);
  await visit('/docs/Caf%C3%A9', 'ClaudeBot', 1, 3);
  await visit('/docs/caf%c3%a9-2', 'GPTBot', 1);
  await visit('/100%25', 'human', 3);
  await visit('/a_b', 'human', 2);
  await visit('/?q="=1+1",x', 'human', 1);
});
afterAll(() => headcount.stop());

const pathOf = (report: string) => `/v1/analytics/${headcount.projectId}/${report}`;
const read = <T>(report: string) => headcount.get<T>(pathOf(report));
const get = (report: string) =>
  fetch(headcount.url + pathOf(report), { headers: { authorization: `Bearer ${headcount.adminKey}` } });
const count = (human: number, ai: number, total = human + ai): Count => ({ human, ai, total });

describe('series', () => {
  test('has every day from the first counted one to today', async () => {
    const { totals, days } = await read<SeriesReply>('series');
    expect(days).toEqual([
      { date: '2026-11-18', visitors: count(5, 4), views: count(11, 6) },
      { date: '2026-11-19', visitors: count(0, 0), views: count(0, 0) },
      { date: '2026-11-20', visitors: count(3, 2), views: count(7, 4) },
    ]);
    expect(totals).toEqual({ visitors: count(8, 6), views: count(18, 10) });
  });

  test('is of one path, one AI client, or both', async () => {
    const of = async (query: string) => {
      const { totals, days } = await read<SeriesReply>(`series?${query}`);
      expect(days.map(({ date }) => date)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
      return totals;
    };
    expect(await of('path=/docs')).toEqual({ visitors: count(6, 2), views: count(11, 2) });
    expect(await of('path=/docs/Caf%25C3%25A9')).toEqual({ visitors: count(0, 1), views: count(0, 3) });
    expect(await of('client=GPTBot')).toEqual({ visitors: count(0, 5), views: count(0, 7) });
    expect(await of('client=GPTBot&path=/api')).toEqual({ visitors: count(0, 4), views: count(0, 4) });
    for (const none of ['path=/none', 'client=none', 'client=none&path=/api', 'client=ClaudeBot&path=/api']) {
      expect(await of(none)).toEqual({ visitors: count(0, 0), views: count(0, 0) });
    }
  });

  test('has the days that were asked for, counted or not', async () => {
    const dates = async (query: string) =>
      (await read<SeriesReply>(`series?${query}`)).days.map(({ date }) => date);
    expect(await dates('dateFrom=2026-11-19&dateTo=2026-11-21')).toEqual(['2026-11-19', '2026-11-20']);
    expect(await dates('dateTo=2026-11-19')).toEqual(['2026-11-18']);
    expect(await dates('dateTo=2020-01-01')).toEqual([]);
    expect(await dates('dateFrom=2030-01-01')).toEqual([]);
    expect(await dates('dateFrom=2026-11-19&dateTo=2026-11-19')).toEqual([]);
    const leap = await dates('dateFrom=2024-02-28&dateTo=2024-03-02');
    expect(leap).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
  });

  test('of a project without a view is empty', async () => {
    const { projectId, get: read } = await headcount.addProject();
    expect(await read(`/v1/analytics/${projectId}/series`)).toEqual({
      totals: { visitors: count(0, 0), views: count(0, 0) },
      days: [],
    });
  });

  test('says what the other reports say, day by day and in sum', async () => {
    const { totals, days } = await read<SeriesReply>('series');
    for (const measure of ['visitors', 'views'] as const) {
      expect((await read<VisitorsReply>(measure)).totals).toEqual(totals[measure]);
      for (const day of days) {
        const next = new Date(Date.parse(day.date) + dayMs).toISOString().slice(0, 10);
        const report = await read<VisitorsReply>(`${measure}?dateFrom=${day.date}&dateTo=${next}`);
        expect(report.totals).toEqual(day[measure]);
      }
    }
  });

  test('stays the same when its days are sealed', async () => {
    const { get: readOther, projectId, hit } = await headcount.addProject();
    await hit({ u: 'https://example.com/a' });
    const path = `/v1/analytics/${projectId}/series?path=/a&dateTo=2026-11-21`;
    const before = await readOther(path);
    await headcount.context.store.seal(projectId, 30_000);
    expect(await readOther(path)).toEqual(before);
    expect(before).toMatchObject({ totals: { visitors: count(1, 0) } });
  });

  test.each([
    ['dateFrom=0001-01-01&dateTo=9999-12-31', 'dateFrom'],
    ['dateFrom=2026-11-20&dateTo=2026-11-19', 'dateFrom'],
    ['path=/a&path=/b', 'path'],
    ['format=xml', 'format'],
  ])('is not made of %s', async (query, path) => {
    const response = await get(`series?${query}`);
    expect([response.status, (await errorOf(response)).details?.[0]?.path]).toEqual([400, path]);
  });
});

describe('rows', () => {
  const pathsOf = async (query: string) =>
    (await read<VisitorsReply>(`visitors?${query}`)).visitors.map(({ path }) => path);

  test('are searched for as text, whatever the case, percent escapes read', async () => {
    expect(await pathsOf('search=DOCS')).toEqual(['/docs', '/docs/Caf%C3%A9', '/docs/caf%C3%A9-2']);
    expect(await pathsOf(`search=${encodeURIComponent('CAFÉ')}`)).toEqual([
      '/docs/Caf%C3%A9',
      '/docs/caf%C3%A9-2',
    ]);
    expect(await pathsOf('search=caf%25c3')).toEqual(['/docs/Caf%C3%A9', '/docs/caf%C3%A9-2']);
    expect(await pathsOf('search=%25')).toEqual([
      '/100%25',
      '/?q=%22%3D1+1%22%2Cx',
      '/docs/Caf%C3%A9',
      '/docs/caf%C3%A9-2',
    ]);
    expect(await pathsOf('search=_')).toEqual(['/a_b']);
    expect(await pathsOf('search=none')).toEqual([]);
    expect(await pathsOf('search=')).toHaveLength(7);
  });

  test('that were searched for are paged, and the totals are those of the site', async () => {
    const first = await read<VisitorsReply>('visitors?search=docs&limit=2');
    expect(first).toMatchObject({ hasMore: true, totals: count(8, 6) });
    const second = await read<VisitorsReply>('visitors?search=docs&limit=2&offset=2');
    expect(second).toMatchObject({ hasMore: false, visitors: [{ path: '/docs/caf%C3%A9-2' }] });
  });

  test('of AI clients and what they read are searched as well', async () => {
    expect(await read('ai-clients?search=gpt')).toMatchObject({
      clients: [{ client: 'GPTBot', visitors: 5 }],
    });
    expect(await read('ai-clients/GPTBot/paths?search=API')).toEqual({
      paths: [{ path: '/api', visitors: 4, views: 4 }],
      hasMore: false,
    });
  });

  test('come by people, by AI, or by what AI reads most against people', async () => {
    const rows = async (sort: string) =>
      (await read<VisitorsReply>(`visitors?sort=${sort}`)).visitors.map(({ path, human, ai }) => [
        path,
        human,
        ai,
      ]);
    const cafe = ['/docs/Caf%C3%A9', 0, 1];
    const cafe2 = ['/docs/caf%C3%A9-2', 0, 1];
    const quote = ['/?q=%22%3D1+1%22%2Cx', 1, 0];
    expect(await rows('total')).toEqual([
      ['/docs', 6, 2],
      ['/api', 1, 4],
      ['/100%25', 3, 0],
      ['/a_b', 2, 0],
      quote,
      cafe,
      cafe2,
    ]);
    expect(await rows('human')).toEqual([
      ['/docs', 6, 2],
      ['/100%25', 3, 0],
      ['/a_b', 2, 0],
      ['/api', 1, 4],
      quote,
      cafe,
      cafe2,
    ]);
    expect(await rows('ai')).toEqual([
      ['/api', 1, 4],
      ['/docs', 6, 2],
      cafe,
      cafe2,
      ['/100%25', 3, 0],
      ['/a_b', 2, 0],
      quote,
    ]);
    expect(await rows('aiShare')).toEqual([
      ['/api', 1, 4],
      cafe,
      cafe2,
      quote,
      ['/docs', 6, 2],
      ['/a_b', 2, 0],
      ['/100%25', 3, 0],
    ]);
  });

  test.each(['sort=path', 'sort=ai&sort=human', 'format=xml', `search=${'x'.repeat(1025)}`])(
    'are not read by %s',
    async (query) => {
      const response = await get(`visitors?${query}`);
      expect([response.status, (await errorOf(response)).details]).toEqual([400, [expect.anything()]]);
    },
  );
});

describe('a file', () => {
  test('has all rows, whatever the page, in the order asked for', async () => {
    const response = await get('visitors?format=csv&limit=1&offset=1&sort=ai&search=docs');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="headcount-${headcount.projectId}-visitors.csv"`,
      'cache-control': 'no-store',
    });
    expect(await response.text()).toBe(
      '"path","human","ai","total"\r\n"/docs",6,2,8\r\n"/docs/Caf%C3%A9",0,1,1\r\n"/docs/caf%C3%A9-2",0,1,1\r\n',
    );
  });

  test.each([
    [
      'series',
      '"date","humanVisitors","aiVisitors","visitors","humanViews","aiViews","views"',
      '"2026-11-18",5,4,9,11,6,17',
    ],
    [
      'ai-clients',
      '"client","operator","purpose","proof","visitors","views"',
      '"GPTBot","OpenAI","training","claimed",5,7',
    ],
    ['ai-clients/GPTBot/paths', '"path","visitors","views"', '"/api",4,4'],
    ['views', '"path","human","ai","total"', '"/docs",11,2,13'],
    ['devices', '"device","human","ai","total"', '"desktop",8,0,8'],
    ['dropped', '"reason","family","hits"', undefined],
  ])('is there of %s', async (report, head, row) => {
    const lines = (await (await get(`${report}?format=csv`)).text()).split('\r\n');
    expect([lines[0], lines.at(-1)]).toEqual([head, '']);
    if (row === undefined) expect(lines).toHaveLength(2);
    else expect(lines[1]).toBe(row);
  });

  test('that would have too many rows says so by its name', async () => {
    const bounded = await startHeadcount({
      wrapStore: (store) => ({
        ...store,
        readCounts: (query) => store.readCounts({ ...query, limit: Math.min(query.limit, 1) }),
      }),
    });
    for (const path of ['a', 'b']) await bounded.hit({ u: `https://example.com/${path}` });
    const { url, projectId, adminKey } = bounded;
    const response = await fetch(`${url}/v1/analytics/${projectId}/visitors?format=csv`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(response.headers.get('content-disposition')).toContain('-first-50000-rows.csv');
    expect((await response.text()).split('\r\n')).toEqual(['"path","human","ai","total"', '"/a",1,0,1', '']);
    await bounded.stop();
  });

  test('for which nobody waits any more is no defect', async () => {
    const asked = createLatch();
    const answered = createLatch();
    const slow = await startHeadcount({
      wrapStore: (store) => ({
        ...store,
        readCounts: async (query) => {
          asked.open();
          await answered.opened;
          return store.readCounts(query);
        },
      }),
    });
    const client = new AbortController();
    const headers = { authorization: `Bearer ${slow.adminKey}` };
    const path = `/v1/analytics/${slow.projectId}/views?format=csv`;
    const reading = fetch(slow.url + path, { headers, signal: client.signal }).catch(() => undefined);
    await asked.opened;
    client.abort();
    await reading;
    await new Promise((resolve) => setTimeout(resolve, 200));
    answered.open();
    await slow.stop();
    expect(slow.log.filter((line) => line.includes(' error '))).toEqual([]);
  });

  test('is harmless in a spreadsheet, whatever names it holds', async () => {
    const hostile = [
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\t=1',
      ' =1',
      'a"b',
      'a,b;c',
      'a\r\nb',
      '＝1',
      '\u200b=1',
      'plain',
    ];
    const { projectId, hit } = await headcount.addProject();
    for (const source of hostile) {
      await hit({ u: `https://example.com/?utm_source=${encodeURIComponent(source)}` });
    }
    const path = `/v1/analytics/${projectId}/sources?format=csv`;
    const response = await fetch(headcount.url + path, {
      headers: { authorization: `Bearer ${headcount.rootKey}` },
    });
    const names = (await response.text())
      .split(/\r\n(?=")/)
      .slice(1)
      .map((line) => /^"((?:[^"]|"")*)",1,0,1(?:\r\n)?$/.exec(line)?.[1]);
    expect(names).not.toContain(undefined);
    expect(names.length).toBeGreaterThan(6);
    for (const name of names) expect(name).toMatch(/^(?:'|[a-z])/);
    expect(names).toContain("'=1+1");
    expect(names).toContain('a""b');
    expect(names).toContain('a,b;c');
    expect(names).toContain('plain');
  });
});

describe('now', () => {
  const now = async (project = headcount.projectId) =>
    (
      (await (
        await fetch(`${headcount.url}/v1/analytics/${project}/now`, {
          headers: { authorization: `Bearer ${headcount.rootKey}` },
        })
      ).json()) as NowReply
    ).visitors;

  test('counts visitors of the last five minutes once, by kind and project', async () => {
    clock.advance(3_600_000);
    const other = await headcount.addProject();
    expect(await now()).toEqual(count(0, 0));
    await visit('/docs', 'human', 2, 3);
    await visit('/api', 'GPTBot', 1, 2);
    expect(await now()).toEqual(count(2, 1));
    expect(await now(other.projectId)).toEqual(count(0, 0));
    clock.advance(200_000);
    await headcount.hit({ u: 'https://example.com/' }, { 'x-forwarded-for': '198.51.100.0' });
    await headcount.hit({ u: 'https://example.com/' }, { 'x-forwarded-for': '203.0.113.9' });
    expect(await now()).toEqual(count(3, 1));
    clock.advance(99_000);
    expect(await now()).toEqual(count(3, 1));
    clock.advance(1000);
    expect(await now()).toEqual(count(2, 0));
    clock.advance(300_000);
    expect(await now()).toEqual(count(0, 0));
  });

  test('leaves out what was dropped and what is reported late', async () => {
    clock.advance(3_600_000);
    await headcount.hit({ u: 'https://example.com/' }, { 'user-agent': 'curl/8.0' });
    const at = new Date(clock.now() - 300_000).toISOString();
    await headcount.hits([{ url: 'https://example.com/', ip: '192.0.2.1', userAgent: agents.human, at }]);
    expect(await now()).toEqual(count(0, 0));
  });

  test('counts a visitor who is both as one', async () => {
    clock.advance(3_600_000);
    const hit = { url: 'https://example.com/', ip: '192.0.2.1', userAgent: agents.human };
    await headcount.hits([hit, { ...hit, headers: { accept: 'text/markdown, text/html' } }]);
    expect(await now()).toEqual(count(1, 1, 1));
  });

  test('is exact for many visitors', async () => {
    clock.advance(3_600_000);
    const users = 20_000;
    for (let start = 0; start < users; start += 1000) {
      const hits = Array.from({ length: 1000 }, (_, i) => ({
        url: 'https://example.com/',
        ip: `10.${(start + i) >> 16}.${((start + i) >> 8) & 255}.${(start + i) & 255}`,
        userAgent: agents.human,
      }));
      await headcount.hits(hits);
      await headcount.hits(hits.slice(0, 100));
    }
    expect(await now()).toEqual(count(users, 0));
  });
});
