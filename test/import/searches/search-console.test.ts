import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SearchEnginesReply, SearchNamesReply } from '../../../shared/reports/search-engines.ts';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import {
  apiAnswer,
  consoleExport,
  consoleFile,
  consoleFilters,
  type ExportFile,
} from '../../support/import/search-exports.ts';
import { zip } from '../../support/import/zip.ts';

const clock = createClock('2026-11-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'], excludedPaths: ['/admin/**'] }, clock.now);
});
afterEach(() => run.stop());

const get = <T>(path: string) =>
  run.project.get<T>(`/v1/analytics/${run.project.projectId}/${path}`) as Promise<T>;
const days = async (query = '') =>
  (await get<SearchEnginesReply>(`search-engines?by=day${query}`)).searchEngines;
const names = (query: string) => get<SearchNamesReply>(`search-names?${query}`);
const archive = (files: readonly ExportFile[], name = 'export.zip') =>
  run.write(name, zip(files.map((file) => ({ ...file, isDeflated: true }))));
const outcomes = async (args: string[]) => {
  const { periods } = await run.searches(args);
  return periods.map(({ of, from, to, outcome }) => [of, from, to, outcome]);
};

describe("an export of Search Console's performance report", () => {
  test('is kept by day for the site, and as its range for names, which is reported', async () => {
    const taken = await run.searches([await archive(consoleExport)]);
    expect(taken.notTakenIn).toEqual({ foreign_host: 1, excluded_path: 1 });
    expect(taken.unread).toEqual([expect.stringContaining('Search appearance.csv')]);
    const told = { tool: 'search-console', citations: null, citedPages: null, people: 0, days: 1 };
    const on = (date: string) => ({ ...told, date, from: date, to: date });
    expect(await days()).toEqual([
      { ...on('2026-10-03'), clicks: 0, impressions: 0, position: null },
      { ...on('2026-10-02'), clicks: 4, impressions: 100, position: 8 },
      { ...on('2026-10-01'), clicks: 6, impressions: 300, position: 12.5 },
    ]);
    const range = { from: '2026-10-01', to: '2026-10-03' };
    expect(await get('search-engines')).toEqual({
      searchEngines: [
        { ...told, ...range, date: null, days: 3, clicks: 10, impressions: 400, position: 11.38 },
      ],
      hasMore: false,
    });
    const ofRange = { tool: 'search-console', ...range, citations: null };
    expect(await names('of=query')).toEqual({
      of: 'query',
      periods: [{ tool: 'search-console', ...range, isByDay: false }],
      names: [
        { ...ofRange, name: 'green tea, loose', clicks: 5, impressions: 200, position: 6.83 },
        { ...ofRange, name: ':email', clicks: 1, impressions: 10, position: 1 },
        { ...ofRange, name: 'tea "first flush"', clicks: 0, impressions: 40, position: 22.4 },
      ],
      hasMore: false,
    });
    // Addresses that are one page here are one.
    expect((await names('of=page')).names).toEqual([
      { ...ofRange, name: '/', clicks: 6, impressions: 250, position: 9.4 },
      { ...ofRange, name: '/tea', clicks: 4, impressions: 200, position: 5 },
    ]);
    expect((await names('of=country')).names.map(({ name, clicks }) => [name, clicks])).toEqual([
      ['Germany', 8],
      ['Côte d’Ivoire', 0],
    ]);
    expect((await names('of=device')).names.map(({ name }) => name)).toEqual(['desktop', 'mobile']);
    // Nothing of it is in what is counted here.
    expect(await run.project.views()).toEqual({});
  });

  test('given again changes nothing, and one with other numbers takes its place', async () => {
    const file = await archive(consoleExport);
    const first = await outcomes([file]);
    expect(first.map(([, , , outcome]) => outcome)).toEqual(first.map(() => 'added'));
    const before = [await days(), await names('of=query')];
    expect((await outcomes([file])).map(([, , , outcome]) => outcome)).toEqual(first.map(() => 'same'));
    expect([await days(), await names('of=query')]).toEqual(before);
    const later = await archive([consoleFile('Dates', [['2026-10-02', 5, 110, '4.5%', 8]])], 'later.zip');
    expect(await outcomes([later])).toEqual([['site', '2026-10-02', '2026-10-02', 'replaced']]);
    expect((await days()).map(({ clicks }) => clicks)).toEqual([0, 5, 6]);
    expect(await run.showSearches([later])).toMatch(
      /NEW +REPLACED +THERE\n.*the site +2026-10-02 +1 by day +0 +0 +1\n/,
    );
  });

  test('is read from a folder too, and refused where two files tell a day otherwise', async () => {
    const { content } = consoleFile('Dates', [['2026-10-02', 5, 110, '4.5%', 8]]);
    const other = await run.write('Chart.csv', content);
    const file = await archive(consoleExport);
    await expect(run.searches([file, other])).rejects.toThrow(
      /export\.zip\/Dates\.csv and .*Chart\.csv have different numbers for 2026-10-02\. Give the one that was exported last\. Nothing was counted\./,
    );
    expect(await days()).toEqual([]);
    // The same twice is once.
    const again = await run.write('Again.csv', content);
    expect(await outcomes([other, again])).toEqual([['site', '2026-10-02', '2026-10-02', 'added']]);
    const { content: queries } = consoleFile('Queries', [['tea', 1, 2, '50%', 3]]);
    await run.write('Queries.csv', queries);
    const { periods } = await run.searches([run.folder.concat('/Queries.csv'), other]);
    expect(periods.map(({ of, from }) => [of, from])).toEqual([
      ['site', '2026-10-02'],
      ['query', '2026-10-02'],
    ]);
  });

  test.each([
    ['Query', '+tea', /Filters\.csv:4 says "Query: \+tea": the export is filtered/],
    ['Search type', 'Image', /says "Search type: Image": the export is of another search type than Web/],
    ['Date', 'Compare: last 28 days to previous period', /compares two ranges of days/],
  ])('of a part of the site is refused: %s', async (filter, value, message) => {
    const files = [...consoleExport.slice(0, -1), consoleFilters([filter, value])];
    await expect(run.searches([await archive(files)])).rejects.toThrow(message);
    expect(await days()).toEqual([]);
  });

  const head = 'Date,Clicks,Impressions,CTR,Position\n';
  test.each<[string, string, RegExp, ...string[]]>([
    [
      'another language',
      'Datum,Klicks,Impressionen,CTR,Position\n',
      /columns Datum, Klicks, .* read in English/,
    ],
    ['a number', `${head}2026-10-01,"1,234",2,5%,3\n`, /:2 does not fit: "1,234" in the column "Clicks"/],
    ['a date', `${head}2026-02-30,1,2,50%,3\n`, /"2026-02-30" in the column "Date" is not a date/],
    ['a position', `${head}2026-10-01,1,2,50%,first\n`, /"first" in the column "Position" is not a position/],
    ['a cell too few', `${head}2026-10-01,1,2\n`, /another number of columns/],
    [
      'a page',
      'Top pages,Clicks,Impressions,CTR,Position\ntea,1,2,50%,3\n',
      /"tea" in the column "Top pages" is not the address/,
      '--days',
      '2026-10-01..2026-10-03',
    ],
    [
      'no days',
      'Top queries,Clicks,Impressions,CTR,Position\ntea,1,2,50%,3\n',
      /has no days, and there is no file with the days/,
    ],
    ['two dimensions', 'date,page,query,clicks,impressions,ctr,position\n', /has pages and queries in one/],
    ['other columns', 'Date,Impressions\n2026-10-01,2\n', /columns Date, Impressions, which no export/],
  ])(
    'that does not fit is refused in words, and nothing is kept: %s',
    async (_of, content, message, ...args) => {
      const file = await run.write('file.csv', content);
      await expect(run.searches([file, ...args])).rejects.toThrow(message);
      expect(await days()).toEqual([]);
    },
  );

  test('keeps 1,000 names of a day or range, and all others together', async () => {
    const lines = Array.from({ length: 1_205 }, (_, i) => [`tea ${i}`, i < 3 ? 9 : 1, 10, '10%', 2]);
    const content = consoleFile('Queries', lines).content;
    const args = [await run.write('Queries.csv', content), '--days', '2026-10-01..2026-10-28'];
    const [taken] = (await run.searches(args)).periods;
    expect(taken).toMatchObject({ names: 1000, others: 206 });
    expect(await run.showSearches(args)).toContain('206 names beyond the limit');
    const { url, adminKey, projectId } = run.headcount;
    const file = await fetch(`${url}/v1/analytics/${projectId}/search-names?format=csv`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    const csv = await file.text();
    expect(csv.trim().split('\n')).toHaveLength(1001);
    const [other] = (await names('of=query&limit=1')).names;
    expect(other).toMatchObject({ name: '(other)', clicks: 206, impressions: 2060, position: 2 });
  });
});

describe("rows of Search Console's API", () => {
  test('with days are kept by day, as CSV', async () => {
    const file = await run.write(
      'rows.csv',
      'date,query,clicks,impressions,ctr,position\n2026-10-01,tea,1,20,0.05,7.123456\n2026-10-02,tea,3,20,0.15,5\n2026-10-02,cup,0,4,0,9\n',
    );
    expect(await outcomes([file])).toEqual([
      ['query', '2026-10-01', '2026-10-01', 'added'],
      ['query', '2026-10-02', '2026-10-02', 'added'],
    ]);
    const reply = await names('dateFrom=2026-10-01&dateTo=2026-10-03&limit=1');
    expect(reply).toMatchObject({
      periods: [{ from: '2026-10-01', to: '2026-10-02', isByDay: true }],
      names: [{ name: 'tea', clicks: 4, impressions: 40, position: 6.06 }],
      hasMore: true,
    });
    expect((await names('dateFrom=2026-10-02')).names).toMatchObject([{ clicks: 3 }, { name: 'cup' }]);
    expect((await names('dateTo=2026-10-01')).names).toEqual([]);
    // What is told by day is better than what is told of a range.
    const range = await run.write(
      'Queries.csv',
      consoleFile('Queries', [['tea', 90, 100, '90%', 1]]).content,
    );
    await run.searches([range, '--days', '2026-09-01..2026-10-28']);
    expect((await names('dateFrom=2026-10-02')).periods).toMatchObject([{ isByDay: true }]);
    expect((await names('dateFrom=2026-10-03')).names).toMatchObject([
      { clicks: 90, from: '2026-09-01', to: '2026-10-28' },
    ]);
  });

  test('are read as the API answers them, where it is said what was asked for', async () => {
    const file = await run.write(
      'answer.json',
      apiAnswer([
        { keys: ['2026-10-01', 'https://example.com/tea'], clicks: 2, impressions: 8, position: 4.5 },
        { keys: ['2026-10-02', 'https://example.com/tea'], clicks: 1, impressions: 2, position: 1 },
      ]),
    );
    await expect(run.searches([file])).rejects.toThrow(
      /does not say what its keys are\. .* --dimensions date,page/,
    );
    await expect(run.searches([file, '--dimensions', 'date'])).rejects.toThrow(
      /row 1, has 2 keys, and --dimensions names 1/,
    );
    await expect(run.searches([file, '--dimensions', 'day'])).rejects.toThrow(/names of date, query, page/);
    await run.searches([file, '--dimensions', 'date,page']);
    expect((await names('of=page')).names).toMatchObject([
      { name: '/tea', clicks: 3, impressions: 10, position: 3.8 },
    ]);
    const none = await run.write('none.json', '{"error": {"code": 403}}');
    await expect(run.searches([none, '--dimensions', 'date'])).rejects.toThrow(/is not an answer of/);
    const empty = await run.write('empty.json', '{"responseAggregationType": "byProperty"}');
    expect((await run.searches([empty, '--dimensions', 'date'])).periods).toEqual([]);
    const wrong = await run.write('wrong.json', '{"rows": [{"clicks": "3"}]}');
    await expect(run.searches([wrong, '--dimensions', 'date'])).rejects.toThrow(
      /is not an answer of searchAnalytics\.query/,
    );
    const broken = await run.write('broken.json', '{"rows": [');
    await expect(run.searches([broken, '--dimensions', 'date'])).rejects.toThrow(/it is not JSON/);
  });
});
