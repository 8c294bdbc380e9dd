import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClock, dayMs } from '../../support/clock.ts';
import { combined, type ImportRun, startImport } from '../../support/import/import-run.ts';
import { plausibleFile } from '../../support/import/plausible-export.ts';
import { zip } from '../../support/import/zip.ts';

const clock = createClock('2025-12-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

const people = (count: number) => ({ human: count, ai: 0, total: count });
const dates = Array.from({ length: 72 }, (_, i) =>
  new Date(Date.parse('2025-07-15') + i * dayMs).toISOString().slice(0, 10),
);

/** 72 days, which hold whole blocks of 4, 16 and 64: a visitor and a view more on each than on the one before. */
const year = () =>
  run.write(
    'year.zip',
    zip([
      plausibleFile(
        'visitors',
        dates.map((date, i) => [date, i + 1, i + 2, 0, i + 1, 0]),
      ),
      plausibleFile(
        'pages',
        dates.map((date, i) => [date, 'example.com', `/${i % 3}`, i + 1, i + 1, i + 2, 0, 0, 0, 0]),
      ),
    ]),
  );

const sumFrom = (from: number, to: number) =>
  dates.slice(from, to).reduce((sum, _, i) => sum + from + i + 1, 0);

test('days that were taken over count in every range, from whichever blocks it is read', async () => {
  await run.history([await year()]);
  for (const [from, to] of [
    [0, 72],
    [0, 1],
    [3, 70],
    [4, 68],
  ] as const) {
    const range = { dateFrom: dates[from] as string, dateTo: dates[to] ?? '2025-09-25' };
    const { totals } = await run.project.ask('GET /v1/analytics/{projectId}/visitors', {
      path: { projectId: run.project.projectId },
      query: range,
    });
    expect(totals).toEqual(people(sumFrom(from, to)));
  }
});

test('what was taken over is taken out again, whole blocks included, and nothing else', async () => {
  const log = await run.write(
    'access.log',
    combined({ at: '2025-10-01T10:00:00Z', path: '/own' }) +
      combined({ at: '2025-05-20T10:00:00Z', path: '/own' }),
  );
  await run.import([log]);
  const before = await run.project.views();
  await run.history([await year()]);
  expect(Object.keys(await run.project.views())).toHaveLength(4);
  const would = await run.showHistory(['--remove', 'plausible']);
  expect(would).toContain('72 days from Plausible (2025-07-15 to 2025-09-24) would be deleted.');
  expect(Object.keys(await run.project.views())).toHaveLength(4);
  const removed = await run.showHistory(['--remove', 'plausible', '--yes']);
  expect(removed).toBe('72 days from Plausible (2025-07-15 to 2025-09-24) were deleted.\n');
  expect(await run.project.views()).toEqual(before);
  expect(await run.project.views({ dateFrom: '2025-07-15', dateTo: '2025-09-25' })).toEqual({});
  const { measured } = await run.project.ask('GET /v1/analytics/{projectId}/series', {
    path: { projectId: run.project.projectId },
  });
  expect(measured.ways).toEqual(['log']);
  expect(await run.showHistory(['--remove', 'plausible', '--yes'])).toContain('No day was imported from');
  const again = await run.history([await year()]);
  expect(again.days.added).toHaveLength(72);
});

test('logs count nothing on days that were taken over, also with --merge', async () => {
  await run.history([await year()]);
  const log = await run.write('access.log', combined({ at: `${dates[5]}T10:00:00Z`, path: '/own' }));
  await expect(run.import([log])).rejects.toThrow(
    /2025-07-20 already holds counts that were taken over from/,
  );
  const { counted, notCounted } = await run.import([log, '--merge']);
  expect([counted, notCounted]).toEqual([{ people: 0, ai: 0 }, { taken: 1 }]);
});
