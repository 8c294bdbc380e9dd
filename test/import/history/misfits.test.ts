import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { plausibleColumns, plausibleFile } from '../../support/import/plausible-export.ts';
import { zip } from '../../support/import/zip.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeAll(async () => {
  run = await startImport({}, clock.now);
});
afterAll(() => run.stop());

const good = '2025-03-01,4,6,2,4,90';
const visitors = (...lines: string[]) => `${plausibleColumns.visitors}\n${lines.join('\n')}\n`;

describe('what does not fit is named with file and line, and nothing is counted', () => {
  test.each([
    [
      'a negative number',
      visitors(good, '2025-03-02,-4,6,2,4,90'),
      /v\.csv:3 does not fit: "-4" in the column "visitors"/,
    ],
    [
      'half a number',
      visitors(good, '2025-03-02,4,6.5,2,4,90'),
      /v\.csv:3 does not fit: "6\.5" in the column "pageviews"/,
    ],
    [
      'what is no date',
      visitors('yesterday,4,6,2,4,90'),
      /:2 does not fit: "yesterday" in the column "date" is not a date/,
    ],
    ['a day that is none', visitors('2025-02-30,4,6,2,4,90'), /:2 does not fit: "2025-02-30"/],
    ['a line with other columns', visitors(good, '2025-03-02,4,6'), /v\.csv:3 has another number of columns/],
    ['a quote without an end', visitors(good, '"2025-03-02,4,6,2,4,90'), /v\.csv:\d+ is not CSV/],
    [
      'a column that nobody knows, and that parts the lines of a day',
      `${plausibleColumns.visitors},mood\n${good},happy\n`,
      /v\.csv:1 has the column "mood"/,
    ],
    [
      'a column given twice',
      `${plausibleColumns.visitors},date\n${good},1\n`,
      /v\.csv:1 names the column "date" twice/,
    ],
    ['another table', 'name,colour\nrose,red\n', /v\.csv is no export that is known/],
    ['an empty file', '', /v\.csv is no export that is known/],
    ['what is no text', Buffer.from([0, 1, 2, 255, 254]), /v\.csv is no export that is known/],
    [
      'a line that never ends',
      visitors(good, `2025-03-02,${'9'.repeat(2_000_000)}`),
      /is longer than a line of an export/,
    ],
    ["a terminal's commands", visitors('\x1b[31mred,4,6,2,4,90'), /"\\x1b\[31mred"/],
  ])('%s', async (_what, content, message) => {
    await expect(run.history([await run.write('v.csv', content)])).rejects.toThrow(message);
    expect(await run.project.visitors()).toEqual({});
  });

  test('an archive that unpacks to more than it says', async () => {
    const { name, content } = plausibleFile('visitors', [['2025-03-01', 4, 6, 2, 4, 90]]);
    const bomb = zip([
      { name, content: content + '\n'.repeat(1_000_000), isDeflated: true, claimedBytes: 200 },
    ]);
    await expect(run.history([await run.write('bomb.zip', bomb)])).rejects.toThrow(
      /bomb\.zip.* cannot be read/,
    );
  });

  test.each([
    ['half an archive', zip([plausibleFile('visitors', [])]).subarray(0, 60)],
    ['an archive without a table', zip([{ name: 'readme.txt', content: 'hello' }])],
  ])('%s', async (_what, content) => {
    await expect(run.history([await run.write('half.zip', content)])).rejects.toThrow(
      /half\.zip cannot be read/,
    );
  });

  test('commands that ask for what is not there', async () => {
    await expect(run.history([`${run.folder}/none.zip`])).rejects.toThrow(/There is no file .*none\.zip/);
    await expect(run.history([])).rejects.toThrow('Give the files that the other tool exported.');
    await expect(run.history(['x', '--from', 'fathom'])).rejects.toThrow(/--from must be one of plausible/);
    await expect(run.history(['x', '--yes'])).rejects.toThrow('--yes goes with --remove.');
    await expect(run.history(['x', '--remove', 'plausible'])).rejects.toThrow(/--remove takes no files/);
  });
});

test('a column that nobody knows is named and skipped', async () => {
  const file = await run.write('v.csv', `${plausibleColumns.visitors},mood\n${good},1\n`);
  const taken = await run.history([file, '--dry-run']);
  expect(taken).toMatchObject({
    counted: { visitors: 4, views: 6 },
    skippedColumns: [{ file, columns: ['mood'] }],
  });
  expect(await run.showHistory([file, '--dry-run'])).toContain(`skipped:\n  ${file}: mood\n`);
});

test('a line without page views counts nobody, and is told', async () => {
  const file = await run.write('v.csv', visitors('2025-03-05,2,0,0,2,1', '2025-03-06,2,3,0,2,1'));
  const { days, notCounted } = await run.history([file, '--dry-run']);
  expect([days.added, notCounted]).toEqual([['2025-03-06'], { no_views: 1 }]);
});

test('of more visitors than views as many count as there are views, and the lines are told', async () => {
  const lines = visitors('2025-03-07,7,6,2,4,90', '2025-03-08,9,8,2,4,90', '2025-03-09,2,8,2,4,90');
  const file = await run.write('v.csv', lines);
  const { counted, moreVisitorsThanViews } = await run.history([file, '--dry-run']);
  expect([counted, moreVisitorsThanViews]).toEqual([{ visitors: 16, views: 22 }, 2]);
  expect(await run.showHistory([file, '--dry-run'])).toMatch(/^2 lines have more visitors than views\./m);
});

test('of a day 10,000 new pages get a name of their own, and the others count together', async () => {
  const day = '2025-04-01';
  const pages = Array.from({ length: 10_003 }, (_, i) => [day, '', `/p${i}`, 1, 1, 1, 0, 0, 0, 0]);
  const files = [
    plausibleFile('visitors', [[day, 10_003, 10_003, 0, 10_003, 0]]),
    plausibleFile('pages', pages),
  ];
  await run.history([await run.write('many.zip', zip(files))]);
  const { views } = await run.project.ask('GET /v1/analytics/{projectId}/views', {
    path: { projectId: run.project.projectId },
    query: { dateFrom: day, dateTo: '2025-04-02', limit: 1 },
  });
  expect(views).toEqual([{ path: '(other)', human: 3, ai: 0, total: 3 }]);
});
