import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VisitorsReply } from '../../shared/reports/analytics.ts';
import { errorOf, startHeadcount } from '../support/headcount.ts';
import { createLatch } from '../support/latch.ts';
import { type CountedSite, count, startCountedSite } from '../support/sites/counted-site.ts';

let { headcount, read, get } = {} as CountedSite;
beforeAll(async () => {
  ({ headcount, read, get } = await startCountedSite());
});
afterAll(() => headcount.stop());

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
      paths: [{ path: '/api', visitors: 4, views: 4, humanViews: 1 }],
      hasMore: false,
      measured: { people: true, ai: true, ways: ['report'] },
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
      'content-disposition': expect.stringMatching(/^attachment; filename="test_visitors_[\d-]{10}\.csv"$/),
      'cache-control': 'no-store',
    });
    expect(await response.text()).toBe(
      '"path","human","ai","total"\r\n"/docs",6,2,8\r\n"/docs/Caf%C3%A9",0,1,1\r\n"/docs/caf%C3%A9-2",0,1,1\r\n',
    );
  });

  test.each([
    ['Zoë’s Tea — Shop', 'zoe-s-tea-shop'],
    ['docs.example.com', 'docs.example.com'],
    ['../../etc "x"\\', 'etc-x'],
  ])('is called by the site %j, the report and its days', async (name, site) => {
    const { projectId, adminKey } = await headcount.addProject({ name });
    const nameOf = async (query: string) => {
      const response = await fetch(`${headcount.url}/v1/analytics/${projectId}/${query}&format=csv`, {
        headers: { authorization: `Bearer ${adminKey}` },
      });
      return /filename="(.+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    };
    const days = 'dateFrom=2026-10-01&dateTo=2026-11-01';
    expect(await nameOf(`visitors?${days}`)).toBe(`${site}_visitors_2026-10-01_2026-10-31.csv`);
    expect(await nameOf(`series?${days}`)).toBe(`${site}_series_2026-10-01_2026-10-31.csv`);
    expect(await nameOf('gaps?dateTo=2026-11-01')).toBe(`${site}_gaps_2026-10-31.csv`);
    expect(await nameOf('dropped?limit=1')).toMatch(/_dropped_[\d-]{10}\.csv$/);
  });

  test.each([
    [
      'series',
      '"date","humanVisitors","aiVisitors","visitors","humanViews","aiViews","views"',
      '"2026-11-18",5,4,9,11,6,17',
    ],
    [
      'ai-clients',
      '"client","operator","purpose","proof","visitors","views","check"',
      '"GPTBot","OpenAI","training","claimed",5,7,"list_not_loaded"',
    ],
    ['ai-clients/GPTBot/paths', '"path","visitors","views","humanViews"', '"/api",4,4,1'],
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
