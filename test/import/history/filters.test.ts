import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { plausibleExport, plausibleFile } from '../../support/import/plausible-export.ts';
import { zip } from '../../support/import/zip.ts';

let run: ImportRun;

beforeAll(async () => {
  run = await startImport({}, createClock('2026-05-12T12:00:00Z').now);
  await run.history([await run.write('export.zip', zip(plausibleExport))]);
});
afterAll(() => run.stop());

interface Counted {
  human: number | null;
  bounds?: { human: { from: number; to: number } };
}

/** People of the two days, by two reports. */
async function people(filter: string): Promise<[Counted, Counted]> {
  const days = 'dateFrom=2025-03-01&dateTo=2025-03-03';
  const read = <T>(report: string) =>
    run.project.get<T>(`/v1/analytics/${run.project.projectId}/${report}?${days}&${filter}`);
  const [{ totals }, series] = await Promise.all([
    read<{ totals: Counted }>('visitors'),
    read<{ totals: { visitors: Counted } }>('series'),
  ]);
  return [totals, series.totals.visitors];
}

/** The export has neither pages by country, nor campaigns and regions. */
test.each([
  'path=/none&country=DE',
  'country=DE&path=/',
  'utmCampaign=x',
  'region=BY',
  'source=Google&path=/',
])('what another tool did not count is bounded on its days, and no zero: %s', async (filter) => {
  for (const { human, bounds } of await people(filter)) {
    expect(human).toBeNull();
    expect(bounds?.human.to).toBeGreaterThan(0);
  }
});

test('what it counted completely is exact, as with several values', async () => {
  for (const filter of ['country=DE', 'country=DE|AT'])
    for (const { human, bounds } of await people(filter)) expect([human, bounds]).toEqual([8, undefined]);
  expect(await people('')).toMatchObject([{ human: 14 }, { human: 14 }]);
});

test('what it may have left out on one of the days is at least what it has', async () => {
  for (const { human, bounds } of await people('device=mobile'))
    expect([human, bounds?.human]).toEqual([3, { from: 3, to: 7 }]);
});

test.each([
  [[1, 2], '3 days from 2025-03-03 to 2025-03-05'],
  [[4, 5], '3 days from 2025-03-01 to 2025-03-03'],
  [[2, 4], '3 days from 2025-03-01 to 2025-03-05'],
  [[1, 2, 3, 4], '2025-03-05'],
])('of five days, of which %j have pages, the others are named', async (withPages, days) => {
  const other = await startImport({}, createClock('2026-05-12T12:00:00Z').now);
  onTestFinished(() => other.stop());
  const dateOf = (day: number) => `2025-03-0${day}`;
  const files = [
    plausibleFile(
      'visitors',
      [1, 2, 3, 4, 5].map((day) => [dateOf(day), 10, 25, 3, 12, 600]),
    ),
    plausibleFile(
      'pages',
      withPages.map((day) => [dateOf(day), 'example.com', '/', 10, 10, 25, 0, 0, 0, 0]),
    ),
  ];
  await other.history([await other.write('export.zip', zip(files))]);
  const { projectId, get } = other.project;
  const reply = await get(`/v1/analytics/${projectId}/visitors?dateFrom=2025-03-01&dateTo=2025-03-06`);
  expect(reply).toMatchObject({
    visitors: [{ path: '/', human: 10 * withPages.length }],
    lacksDetails: `Of ${days} only totals are kept: rows leave them out.`,
  });
});
