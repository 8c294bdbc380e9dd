import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SearchEnginesReply, SearchNamesReply } from '../../../shared/reports/search-engines.ts';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { bingFile } from '../../support/import/search-exports.ts';

const clock = createClock('2026-11-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

const get = <T>(path: string) =>
  run.project.get<T>(`/v1/analytics/${run.project.projectId}/${path}`) as Promise<T>;
const engines = async (query = '') => (await get<SearchEnginesReply>(`search-engines${query}`)).searchEngines;
const names = async (query: string) => (await get<SearchNamesReply>(`search-names?${query}`)).names;
const write = (name: string, lines: Parameters<typeof bingFile>[0]) => run.write(name, bingFile(lines));

const october = ['--days', '2026-10-01..2026-10-28'];

describe('exports of Bing Webmaster Tools', () => {
  test('tell clicks and impressions by day, and of queries and pages for the days that are named', async () => {
    const files = [
      await write('example.com_SearchPerformanceOverview_All_11_9_2026.csv', [
        ['Date', 'Clicks', 'Impressions', 'Avg. CTR'],
        ['10/1/2026 12:00:00 AM', 3, 40, '7.5%'],
        // As Bing at times tells it.
        ['10/12/2026 12:00:00 AM', 3, 2, '150%'],
      ]),
      await write('example.com_KeywordReport_11_9_2026.csv', [
        ['Keyword', 'Impressions', 'Clicks', 'CTR', 'Avg. Position'],
        ['tea', 30, 2, '6.67%', 3.5],
        ['cup 4" × 8" (72") "tall", cheap', 2, 1, '50%', 4],
        ['say "a","b"', 1, 0, '0%', 9],
      ]),
      await write('example.com_PageTrafficReport_11_9_2026.csv', [
        ['Page', 'Impressions', 'Clicks', 'CTR', 'Avg. Position'],
        ['https://example.com/tea', 30, 2, '6.67%', 3.5],
      ]),
    ];
    await expect(run.searches(files)).rejects.toThrow(
      /KeywordReport_11_9_2026\.csv has no days\. Name those that were chosen in Bing Webmaster Tools, such as --days/,
    );
    expect(await engines()).toEqual([]);
    await run.searches([...files, ...october]);
    expect(await engines()).toEqual([
      {
        ...{
          date: null,
          tool: 'bing',
          from: '2026-10-01',
          to: '2026-10-12',
          days: 2,
          clicks: 6,
          impressions: 42,
        },
        ...{ position: null, citations: null, citedPages: null, people: 0 },
      },
    ]);
    const told = { tool: 'bing', from: '2026-10-01', to: '2026-10-28', citations: null };
    expect(await names('of=query')).toEqual([
      { ...told, name: 'tea', clicks: 2, impressions: 30, position: 3.5 },
      { ...told, name: 'cup 4" × 8" (72") "tall", cheap', clicks: 1, impressions: 2, position: 4 },
      { ...told, name: 'say "a","b"', clicks: 0, impressions: 1, position: 9 },
    ]);
    expect(await names('of=page&tool=bing')).toEqual([
      { ...told, name: '/tea', clicks: 2, impressions: 30, position: 3.5 },
    ]);
    expect(await names('of=page&tool=search-console')).toEqual([]);
  });

  test("tell how often answers of Microsoft's AI cited the site, by day, and by query and page", async () => {
    const files = [
      await write('example.com_AIPerformanceOverviewStats_11_9_2026.csv', [
        ['Date', 'Citations', 'Cited Pages'],
        ['10/1/2026 12:00:00 AM', 326, 11],
        ['10/2/2026 12:00:00 AM', 0, 0],
      ]),
      await write('example.com_AISearchQueriesReport_11_9_2026.csv', [
        ['Grounding Query', 'Intent', 'Topic', 'Citations', 'Citation Share'],
        ['how long to steep tea', 'Learn and Solve', 'Food & Drink', 200, '27.24%'],
      ]),
      await write('example.com_AIPageStatsReport_11_9_2026.csv', [
        ['Page', 'Citations'],
        ['https://example.com/tea', 300],
      ]),
    ];
    await run.searches([...files, ...october]);
    expect(await engines('?by=day')).toMatchObject([
      { date: '2026-10-02', citations: 0, citedPages: 0, clicks: null },
      {
        date: '2026-10-01',
        tool: 'bing-ai',
        clicks: null,
        impressions: null,
        position: null,
        citations: 326,
        citedPages: 11,
      },
    ]);
    expect(await engines()).toMatchObject([{ citations: 326, citedPages: null, days: 2 }]);
    expect(await names('of=query')).toMatchObject([
      { tool: 'bing-ai', name: 'how long to steep tea', citations: 200, clicks: null },
    ]);
    expect(await names('of=page')).toMatchObject([{ name: '/tea', citations: 300 }]);
  });

  test.each([
    [
      '1/10/2026 0:00:00',
      /"1\/10\/2026 0:00:00" in the column "Date" is not a date such as 7\/31\/2026\. Set the language/,
    ],
    ['31/10/2026 12:00:00 AM', /is not a date such as 7\/31\/2026/],
  ])('with days of another language are refused, as they may mean another day: %s', async (date, message) => {
    const file = await write('overview.csv', [
      ['Date', 'Citations', 'Cited Pages'],
      [date, 1, 1],
    ]);
    await expect(run.searches([file])).rejects.toThrow(message);
    expect(await engines()).toEqual([]);
  });

  test('of which a line is broken are refused', async () => {
    const file = await run.write('keywords.csv', '"Date","Citations"\r\n"10/1/2026 12:00:00 AM",1\r\n');
    await expect(run.searches([file])).rejects.toThrow(/keywords\.csv:2 has a cell without quotes/);
    const short = await run.write('short.csv', '"Date","Citations"\r\n"10/1/2026 12:00:00 AM"\r\n');
    await expect(run.searches([short])).rejects.toThrow(/short\.csv:2 has another number of columns/);
  });
});
