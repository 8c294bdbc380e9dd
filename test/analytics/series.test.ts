import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NowReply, SeriesReply, VisitorsReply } from '../../shared/reports/analytics.ts';
import { dayMs } from '../support/clock.ts';
import { errorOf } from '../support/headcount.ts';
import { agents, type CountedSite, count, startCountedSite } from '../support/sites/counted-site.ts';

let { clock, headcount, visit, read, get } = {} as CountedSite;
beforeAll(async () => {
  ({ clock, headcount, visit, read, get } = await startCountedSite());
});
afterAll(() => headcount.stop());

const both = { people: true, ai: true };

describe('series', () => {
  test('has every day from the first counted one to today', async () => {
    const { totals, days } = await read<SeriesReply>('series');
    expect(days).toEqual([
      { date: '2026-11-18', visitors: count(5, 4), views: count(11, 6), measured: both },
      { date: '2026-11-19', visitors: count(0, 0), views: count(0, 0), measured: { people: null, ai: null } },
      { date: '2026-11-20', visitors: count(3, 2), views: count(7, 4), measured: both },
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
      measured: { people: null, ai: null, ways: [] },
      coverage: [],
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
