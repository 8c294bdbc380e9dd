import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SeriesReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import { goatcounterExport } from '../../support/import/goatcounter-export.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { plausibleFile } from '../../support/import/plausible-export.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ excludedPaths: ['/admin/**'], timeZone: 'Europe/Berlin' }, clock.now);
});
afterEach(() => run.stop());

const people = (count: number) => ({ human: count, ai: 0, total: count });
const get = <T>(path: string) =>
  run.project.get<T>(`/v1/analytics/${run.project.projectId}/${path}`) as Promise<T>;
/** Visitors by name. */
async function visitorsBy(report: string, name: string): Promise<Record<string, number>> {
  const rows =
    (await get<Record<string, ({ total: number } & Record<string, string>)[]>>(report))[report] ?? [];
  return Object.fromEntries(rows.map((row) => [row[name], row.total]));
}

const views = goatcounterExport([
  { path: '/', session: 'a', at: '2025-03-01T10:00:00Z', referrer: ['news.ycombinator.com/item?id=1', 'h'] },
  { path: '/docs/', session: 'a', at: '2025-03-01T10:01:00Z' },
  { path: '/docs?page=2', session: 'a', at: '2025-03-01T10:02:00Z' },
  { path: '/docs', session: 'b', at: '2025-03-01T11:00:00Z', browser: 'Chrome 133', system: 'Windows 10' },
  { path: '/', session: 'b', at: '2025-03-01T11:00:30Z', browser: 'Chrome 133', system: 'Windows 10' },
  { path: '/', session: 'c', at: '2025-03-01T12:00:00Z', referrer: ['newsletter', 'c'], location: 'US-TX' },
  { path: '/', session: 'd', at: '2025-03-01T22:59:59Z', referrer: ['Hacker News', 'g'], location: '' },
  { path: '/', session: 'd', at: '2025-03-01T23:00:00Z', system: 'macOS 10.15' },
  { path: 'signup', session: 'a', at: '2025-03-01T10:03:00Z', event: true },
  { path: '/', session: 'e', at: '2025-03-01T10:04:00Z', bot: 5 },
  { path: '/admin/users', session: 'f', at: '2025-03-01T10:05:00Z' },
  { path: 'no path', session: 'g', at: '2025-03-01T10:06:00Z' },
]);

describe('an export of GoatCounter', () => {
  test("sums up views and sessions by day of the project's time zone, and by all that it tells", async () => {
    const taken = await run.history([await run.write('export.csv.gz', gzipSync(views))]);
    expect(taken).toMatchObject({
      tool: 'GoatCounter',
      lines: 12,
      days: { added: ['2025-03-01', '2025-03-02'] },
      counted: { visitors: 5, views: 8 },
      notCounted: { event: 1, bot: 1, excluded_path: 1, no_path: 1 },
    });
    const { days } = await get<SeriesReply>('series?dateFrom=2025-03-01&dateTo=2025-03-03');
    expect(days.map((day) => [day.visitors, day.views])).toEqual([
      [people(4), people(7)],
      [people(1), people(1)],
    ]);
    expect(await run.project.visitors()).toEqual({ '/': people(5), '/docs': people(2) });
    expect(await run.project.views()).toEqual({ '/': people(5), '/docs': people(3) });
    expect(await visitorsBy('sources', 'source')).toEqual({
      '(direct)': 2,
      'hacker news': 1,
      'news.ycombinator.com': 1,
      newsletter: 1,
    });
    expect(await visitorsBy('countries', 'country')).toEqual({ DE: 3, US: 1 });
    expect(await visitorsBy('browsers', 'browser')).toEqual({ Firefox: 4, Chrome: 1 });
    expect(await visitorsBy('systems', 'system')).toEqual({ Linux: 3, 'Mac OS': 1, Windows: 1 });
    expect((await get<SeriesReply>('series')).coverage).toEqual([
      { way: 'history', tool: 'GoatCounter', from: '2025-03-01', to: '2025-03-02' },
    ]);
  });

  test('counts the same in whichever order its lines are, but for where who came first came from', async () => {
    const [head, ...lines] = views.trimEnd().split('\n');
    const mixed = [head, ...lines.toReversed()].join('\n');
    expect((await run.history([await run.write('mixed.csv', mixed)])).counted).toEqual({
      visitors: 5,
      views: 8,
    });
    expect(await run.project.visitors()).toEqual({ '/': people(5), '/docs': people(2) });
  });

  test('leaves out days that another tool told of, and the other way round', async () => {
    const plausible = plausibleFile('visitors', [['2025-03-01', 4, 6, 2, 4, 90]]);
    const [own, other] = [
      await run.write('goatcounter.csv', views),
      await run.write(plausible.name, plausible.content),
    ];
    await run.history([other]);
    expect((await run.history([own])).days).toMatchObject({
      added: ['2025-03-02'],
      other_tool: ['2025-03-01'],
    });
    expect(await run.showHistory(['--remove', 'goatcounter', '--yes'])).toBe(
      '1 day from GoatCounter (2025-03-02) was deleted.\n',
    );
    expect((await get<SeriesReply>('series')).totals.views).toEqual(people(6));
    await run.showHistory(['--remove', 'plausible', '--yes']);
    await run.history([own]);
    expect((await run.history([other])).days.other_tool).toEqual(['2025-03-01']);
    await expect(run.history([own, other])).rejects.toThrow(/has no columns of an export of/);
  });

  test.each([
    [
      'a time that is none',
      '2025-03-01 at noon',
      'a',
      /export\.csv:2 does not fit: .*"Date" is not a time such as/,
    ],
    ['a day that is none', '2025-02-30T10:00:00Z', 'a', /:2 does not fit: "2025-02-30T10:00:00Z"/],
    ['no session', '2025-03-01T10:00:00Z', '', /in the column "Session" is empty/],
  ])('with %s is refused', async (_what, at, session, message) => {
    const file = await run.write('export.csv', goatcounterExport([{ path: '/', session, at }]));
    await expect(run.history([file])).rejects.toThrow(message);
  });

  test('of version 1 is not known', async () => {
    const file = await run.write('export.csv', views.replace('2Path', '1Path'));
    await expect(run.history([file])).rejects.toThrow(/no export that is known/);
  });
});
