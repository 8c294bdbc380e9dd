import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SeriesReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import { ga4Export } from '../../support/import/ga4-export.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'], excludedPaths: ['/admin/**'] }, clock.now);
});
afterEach(() => run.stop());

const people = (count: number) => ({ human: count, ai: 0, total: count });
const get = <T>(path: string) =>
  run.project.get<T>(`/v1/analytics/${run.project.projectId}/${path}`) as Promise<T>;

/** Visitors by name. */
async function visitorsBy(report: string, field: string, name: string): Promise<Record<string, number>> {
  const rows =
    (await get<Record<string, ({ total: number } & Record<string, string>)[]>>(report))[field] ?? [];
  return Object.fromEntries(rows.map((row) => [row[name], row.total]));
}

const day = '20250301';
const explorations = {
  days: ga4Export(
    ['Date', 'Active users', 'Views', 'Engagement rate'],
    [
      [day, 10, 25, 0.51],
      ['20250302', 4, 6, 0.4],
    ],
  ),
  pages: ga4Export(
    ['Date', 'Hostname', 'Page path and screen class', 'Views', 'Active users'],
    [
      [day, 'example.com', '/', 20, 10],
      [day, 'example.com', '/docs/', 3, 4],
      [day, 'example.com', '/read-on', 0, 1],
      [day, 'example.com', '/admin/users', 1, 1],
      [day, 'translate.goog', '/', 1, 1],
      [day, 'example.com', '(not set)', 1, 1],
      ['20250302', 'example.com', '/', 6, 4],
    ],
  ),
  sources: ga4Export(
    ['Date', 'Session source', 'Active users', 'Sessions'],
    [
      [day, '(direct)', 6, 7],
      [day, 'google', 3, 3],
      [day, 'chatgpt.com', 1, 1],
      [day, '(not set)', 1, 1],
    ],
  ),
  campaigns: ga4Export(['Date', 'Session campaign', 'Total users', 'Sessions'], [[day, 'spring', 2, 2]]),
  countries: ga4Export(['Date', 'Country ID', 'Active users', 'Views'], [[day, 'DE', 8, 20]]),
  devices: ga4Export(
    ['Date', 'Device category', 'Active users', 'Views'],
    [
      [day, 'desktop', 7, 20],
      [day, 'mobile', 3, 5],
    ],
  ),
  browsers: ga4Export(['Date', 'Browser', 'Active users', 'Views'], [[day, 'Chrome', 10, 25]]),
  systems: ga4Export(['Date', 'Operating system', 'Active users', 'Views'], [[day, 'Macintosh', 10, 25]]),
};

const written = () =>
  Promise.all(Object.entries(explorations).map(([name, content]) => run.write(`${name}.csv`, content)));

describe('explorations of Google Analytics 4', () => {
  test('count visitors and views of people by day and by all that they tell', async () => {
    const taken = await run.history(await written());
    expect(taken).toMatchObject({
      tool: 'Google Analytics',
      days: { added: ['2025-03-01', '2025-03-02'] },
      counted: { visitors: 14, views: 31 },
      notCounted: { no_views: 1, excluded_path: 1, foreign_host: 1, no_path: 1 },
      moreVisitorsThanViews: 1,
    });
    // Whoever was active on a page without a view was no visitor of it.
    expect(await run.project.visitors()).toEqual({ '/': people(14), '/docs': people(3) });
    expect(await run.project.views()).toEqual({ '/': people(26), '/docs': people(3) });
    expect(await visitorsBy('sources', 'sources', 'source')).toEqual({
      ...{ '(direct)': 6, 'google.com': 3, ChatGPT: 1 },
    });
    expect(await visitorsBy('utm-campaigns', 'utmCampaigns', 'utmCampaign')).toEqual({ spring: 2 });
    expect(await visitorsBy('countries', 'countries', 'country')).toEqual({ DE: 8 });
    expect(await visitorsBy('devices', 'devices', 'device')).toEqual({ desktop: 7, mobile: 3 });
    expect(await visitorsBy('browsers', 'browsers', 'browser')).toEqual({ Chrome: 10 });
    expect(await visitorsBy('systems', 'systems', 'system')).toEqual({ 'Mac OS': 10 });
    expect((await get<SeriesReply>('series')).coverage).toEqual([
      { way: 'history', tool: 'Google Analytics', from: '2025-03-01', to: '2025-03-02' },
    ]);
    expect(await run.showHistory(['--remove', 'ga4', '--yes'])).toContain('2 days from Google Analytics');
    expect(await run.project.views()).toEqual({});
  });

  test('that do not tell how many visitors a day had take over no day, and say so', async () => {
    const file = await run.write('pages.csv', explorations.pages);
    expect((await run.history([file])).days).toMatchObject({
      added: [],
      unknown: ['2025-03-01', '2025-03-02'],
    });
  });

  test.each([
    [
      'another dimension, by which users would be split',
      ga4Export(['Date', 'Browser', 'City', 'Active users', 'Views'], [[day, 'Chrome', 'Berlin', 1, 1]]),
      /report\.csv:\d+ has the column "City", which no export of Google Analytics/,
    ],
    [
      'no day',
      ga4Export(['Page path', 'Active users', 'Views'], [['/', 1, 1]]),
      /is no export that is known/,
    ],
    [
      'a day that is none',
      ga4Export(['Date', 'Active users', 'Views'], [['20250230', 1, 1]]),
      /:9 .*"20250230"/,
    ],
    [
      'a number with a comma',
      ga4Export(['Date', 'Active users', 'Views'], [[day, 1, '"1,000"']]),
      /"1,000" in/,
    ],
    [
      'a line with other columns',
      ga4Export(['Date', 'Active users', 'Views'], [[day, 1]]),
      /report\.csv:9 has another number of columns/,
    ],
  ])('with %s are refused', async (_what, content, message) => {
    await expect(run.history([await run.write('report.csv', content)])).rejects.toThrow(message);
  });
});

describe('a file of Google Analytics that lacks lines', () => {
  const whole: Record<string, string> = {
    pages: ga4Export(
      ['Date', 'Page path', 'Active users', 'Views'],
      [
        [day, '/', 10, 20],
        [day, '/docs', 3, 4],
        ['20250302', '/', 4, 6],
      ],
    ),
    sources: ga4Export(
      ['Date', 'Session source', 'Active users', 'Sessions'],
      [
        [day, 'google', 60, 70],
        [day, '(direct)', 30, 30],
      ],
    ),
  };
  const cut = (content = '') => content.trimEnd().split('\n').slice(0, -1).join('\n');

  test.each(['days', 'pages', 'sources'])('%s: the command says so, and counts nothing', async (name) => {
    const all = { days: explorations.days, ...whole };
    const files = await Promise.all(
      Object.entries(all).map(([each, content]) =>
        run.write(`${each}.csv`, each === name ? `${cut(content)}\n` : content),
      ),
    );
    await expect(run.history(files)).rejects.toThrow(
      new RegExp(`${name}\\.csv:\\d+ says that all lines have .*lines are missing.* Nothing was counted`),
    );
    expect(await run.project.views()).toEqual({});
  });

  test('sessions are an estimate, so that their sum may be a little less', async () => {
    const sources = (whole.sources ?? '').replace(/,100,Grand/, ',102,Grand');
    const files = await Promise.all([
      run.write('days.csv', explorations.days),
      run.write('sources.csv', sources),
    ]);
    expect((await run.history(files)).counted).toEqual({ visitors: 14, views: 31 });
  });
});
