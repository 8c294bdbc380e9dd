import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClock } from '../../support/clock.ts';
import { ga4Export } from '../../support/import/ga4-export.ts';
import { goatcounterExport } from '../../support/import/goatcounter-export.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { plausibleFile } from '../../support/import/plausible-export.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeAll(async () => {
  run = await startImport({}, clock.now);
});
afterAll(() => run.stop());

const site = (...dates: string[]) =>
  plausibleFile(
    'visitors',
    dates.map((date) => [date, 4, 6, 2, 4, 90]),
  ).content;
const pages = (...dates: string[]) =>
  plausibleFile(
    'pages',
    dates.map((date) => [date, '', '/', 4, 4, 6, 0, 0, 0, 0]),
  ).content;
const ga4Pages = (column: string) =>
  ga4Export(['Date', column, 'Active users', 'Views'], [['20250302', '/', 4, 6]]);
const views = (...hours: number[]) =>
  goatcounterExport(
    hours.map((hour) => ({ path: '/', session: `s${hour}`, at: `2025-03-01T${hour}:00:00Z` })),
  );

const writeAll = (contents: readonly string[]) =>
  Promise.all(contents.map((content, i) => run.write(`${'ab'[i]}.csv`, content)));

describe('what two lines tell alike would count twice, so that nothing is counted', () => {
  test.each([
    [
      'the site on two lines of a day',
      [site('2025-03-01', '2025-03-02', '2025-03-01')],
      /a\.csv:2 and \S*a\.csv:4 both have visitors and views of the site of 2025-03-01/,
    ],
    [
      'the site in two files that overlap',
      [site('2025-03-01', '2025-03-02'), site('2025-03-02', '2025-03-03')],
      /a\.csv:3 and \S*b\.csv:2 both have .* of 2025-03-02/,
    ],
    [
      'pages in two files that overlap',
      [pages('2025-03-02'), pages('2025-03-01', '2025-03-02')],
      /a\.csv:2 and \S*b\.csv:3 both have views by page of 2025-03-02/,
    ],
    [
      'pages in two ways',
      [ga4Pages('Page path'), ga4Pages('Page path and screen class')],
      /a\.csv:9 and \S*b\.csv:9 both have views by page of 2025-03-02/,
    ],
    [
      'single views that two exports have',
      [views(10, 11, 12), views(10, 11)],
      /a\.csv:2 and \S*b\.csv:2 both have the same view of 2025-03-01/,
    ],
    [
      'single views of a file that begins within the day of another',
      [views(10, 11, 12), views(11, 12, 13)],
      /b\.csv:2 and \S*a\.csv:3 both have the same view of 2025-03-01/,
    ],
    [
      'single views of a file that ends within the day of another',
      [views(11, 12, 13), views(10, 11, 12)],
      /a\.csv:2 and \S*b\.csv:3 both have the same view of 2025-03-01/,
    ],
  ])('%s', async (_what, contents, message) => {
    await expect(run.history(await writeAll(contents))).rejects.toThrow(message);
    expect(await run.project.visitors()).toEqual({});
  });

  test('a file that is named twice', async () => {
    const [file = ''] = await writeAll([pages('2025-03-01')]);
    await expect(run.history([file, file])).rejects.toThrow(/both have views by page of 2025-03-01/);
  });
});

test.each([
  ['sums of other days', [site('2025-03-01'), site('2025-03-02')], { visitors: 8, views: 12 }],
  ['later views of a day', [views(10, 11), views(12, 13)], { visitors: 4, views: 4 }],
])('files with %s add up', async (_what, contents, counted) => {
  const taken = await run.history([...(await writeAll(contents)), '--dry-run']);
  expect(taken.counted).toEqual(counted);
});
