import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Count, DayCount, SeriesReply } from '../../shared/reports/analytics.ts';
import { type FilledHeadcount, makeDataset, startFilledHeadcount } from '../support/dataset/dataset.ts';

let headcount: FilledHeadcount;
beforeAll(async () => {
  headcount = await startFilledHeadcount({ dataset: { hostile: true } });
  // Some 10 s of work; beside other work on the machine it takes several times that. The limit tells a hang.
});
afterAll(() => headcount.stop());

type Row = Record<string, string | number | null>;

/** All pages of a report. */
async function read(report: string, list: string, range: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let hasMore = true; hasMore; ) {
    const path = `/v1/analytics/${headcount.projectId}/${report}?limit=250&offset=${rows.length}&${range}`;
    const page = await headcount.get<Record<string, Row[]> & { hasMore: boolean }>(path);
    rows.push(...(page[list] ?? []));
    hasMore = page.hasMore;
  }
  return rows;
}

const counted = (counts: Map<string, DayCount>, of: (count: DayCount) => object) =>
  new Map([...counts].map(([name, count]) => [name, of(count)]));

const named = (rows: Row[], ...names: string[]) =>
  new Map(
    rows.map((row) => {
      const rest = Object.entries(row).filter(([name]) => !names.includes(name));
      return [names.map((name) => row[name] ?? '').join(' '), Object.fromEntries(rest)];
    }),
  );

const ranges = [
  { name: 'all of the dataset', query: '' },
  {
    name: 'a range of it',
    query: 'dateFrom=2026-10-09&dateTo=2026-11-03',
    from: '2026-10-09',
    to: '2026-11-03',
  },
];

describe.each(ranges)('what reports say of $name is what was sent', ({ query, from, to }) => {
  const expected = () => headcount.expect(from, to);

  test('in sum', async () => {
    const totalsOf = async (report: string) =>
      (await headcount.get<{ totals: Count }>(`/v1/analytics/${headcount.projectId}/${report}?${query}`))
        .totals;
    expect({ visitors: await totalsOf('visitors'), views: await totalsOf('views') }).toEqual(expected().site);
  });

  test('day by day', async () => {
    const path = `/v1/analytics/${headcount.projectId}/series?${query}`;
    const { totals, days } = await headcount.get<SeriesReply>(path);
    expect(totals).toEqual(expected().site);
    expect(new Map(days.map(({ date, visitors, views }) => [date, { visitors, views }]))).toEqual(
      expected().days,
    );
  });

  test('day by day of a path, in sum', async () => {
    for (const [name, count] of [...expected().paths].slice(0, 30)) {
      const path = `/v1/analytics/${headcount.projectId}/series?path=${encodeURIComponent(name)}&${query}`;
      expect((await headcount.get<SeriesReply>(path)).totals).toEqual(count);
    }
  });

  test.each(['visitors', 'views'] as const)('by path, in %s', async (measure) => {
    expect(named(await read(measure, measure, query), 'path')).toEqual(
      counted(expected().paths, (count) => count[measure]),
    );
  });

  test.each([
    ['sources', 'source'],
    ['countries', 'country'],
    ['languages', 'language'],
    ['screens', 'screen'],
    ['devices', 'device'],
    ['browsers', 'browser'],
    ['systems', 'system'],
  ] as const)('by %s', async (report, name) => {
    expect(named(await read(report, report, query), name)).toEqual(
      counted(expected()[report], ({ visitors }) => visitors),
    );
  });

  test.each([
    ['utm-campaigns', 'utmCampaigns', 'utmCampaign'],
    ['utm-sources', 'utmSources', 'utmSource'],
    ['utm-mediums', 'utmMediums', 'utmMedium'],
    ['refs', 'refs', 'ref'],
  ] as const)('by %s of addresses', async (report, field, name) => {
    expect(named(await read(report, field, query), name)).toEqual(
      counted(expected()[field], ({ visitors }) => visitors),
    );
  });

  test('by AI client, and what each of them read', async () => {
    const reading = ({ visitors, views }: DayCount) => ({ visitors: visitors.ai, views: views.ai });
    const { clients, clientPaths, paths: pagesOfAll } = expected();
    const rows = (await read('ai-clients', 'clients', query)).map(
      ({ operator, purpose, check, ...row }) => row,
    );
    expect(named(rows, 'client', 'proof')).toEqual(counted(clients, reading));
    for (const [client, paths] of clientPaths) {
      const report = `ai-clients/${encodeURIComponent(client)}/paths`;
      const pages = await read(report, 'paths', query);
      expect(pages.map(({ path, humanViews }) => [path, humanViews])).toEqual(
        pages.map(({ path }) => [path, pagesOfAll.get(String(path))?.views.human ?? 0]),
      );
      const own = pages.map(({ humanViews: _, ...page }) => page);
      expect(named(own, 'path')).toEqual(counted(paths, reading));
    }
  });

  test.each([
    ['sources', 'source', 'pathSources'],
    ['countries', 'country', 'pathCountries'],
  ] as const)('by %s of a page, and by page of each of them', async (report, name, pair) => {
    const pairs = [...expected()[pair]];
    for (const [path, names] of pairs.slice(0, 20)) {
      const limit = `path=${encodeURIComponent(path)}&${query}`;
      expect(named(await read(report, report, limit), name)).toEqual(
        counted(names, ({ visitors }) => visitors),
      );
    }
    for (const [text] of [...expected()[report]].slice(0, 10)) {
      const pages = pairs.flatMap(([path, names]) => {
        const count = names.get(text);
        return count ? [[path, count.views] as const] : [];
      });
      const limit = `${name}=${encodeURIComponent(text)}&${query}`;
      expect(named(await read('views', 'views', limit), 'path')).toEqual(new Map(pages));
    }
  });

  test('by reason of what was not counted', async () => {
    const rows = await read('dropped', 'dropped', query);
    const hits = rows.map((row) => [`${row.reason} ${row.family ?? ''}`.trim(), row.hits] as const);
    expect(new Map(hits)).toEqual(expected().dropped);
  });
});

describe('the dataset', () => {
  test('is the same for the same seed, and another for another', () => {
    const views = (seed: number) => makeDataset({ seed, days: 8 }).map((day) => day.views);
    expect(views(7)).toEqual(views(7));
    expect(views(8)).not.toEqual(views(7));
  });

  test('has weeks, a trend and a launch', () => {
    const { days } = headcount.expect();
    const people = [...days].map(([date, { visitors }]) => ({ date, human: visitors.human }));
    const sum = (part: typeof people) => part.reduce((total, { human }) => total + human, 0);
    const isWeekend = (date: string) => new Date(date).getUTCDay() % 6 === 0;
    const firstMonth = people.slice(0, 28);
    expect(sum(people.slice(-14))).toBeGreaterThan(1.4 * sum(people.slice(0, 14)));
    expect(sum(firstMonth.filter(({ date }) => isWeekend(date))) / 8).toBeLessThan(
      (0.8 * sum(firstMonth.filter(({ date }) => !isWeekend(date)))) / 20,
    );
    const peak = people.reduce((most, day) => (day.human > most.human ? day : most));
    expect(new Date(peak.date).getUTCDay()).toBe(2);
    expect(peak.human).toBeGreaterThan(3 * (sum(people) / people.length));
  });

  test('has people who let an agent read on, and pages that AI reads more than people do', () => {
    const { site, clients, paths } = headcount.expect();
    expect(site.visitors.total).toBeLessThan(site.visitors.human + site.visitors.ai);
    expect(clients.size).toBeGreaterThanOrEqual(12);
    const favourites = [...paths].filter(([, { visitors }]) => visitors.ai > 2 * visitors.human);
    expect(favourites.map(([path]) => path)).toContain('/docs/api/pots');
  });
});
