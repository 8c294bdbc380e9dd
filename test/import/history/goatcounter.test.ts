import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CombinedSeriesReply, SeriesReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import { goatcounterExport } from '../../support/import/goatcounter-export.ts';
import { goatcounterJson } from '../../support/import/goatcounter-json.ts';
import { type ImportRun, otherPerson, startImport } from '../../support/import/import-run.ts';
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

  test('has of filters together only what they have at most: null, and no zero', async () => {
    await run.history([await run.write('export.csv', views)]);
    const range = 'dateFrom=2025-03-01&dateTo=2025-03-04';
    const both = await get<CombinedSeriesReply>(`series?country=DE&browser=Firefox&${range}`);
    const atMost = (people: number) => ({
      ...{ human: null, ai: 0, total: null },
      bounds: { human: { from: 0, to: people }, ai: { from: 0, to: 0 }, total: { from: 0, to: people } },
    });
    expect(both.totals.visitors).toEqual(atMost(3));
    expect(both.days.map(({ visitors }) => visitors)).toEqual([atMost(2), atMost(1), people(0)]);
    expect(both.unmeasured).toEqual({
      ...{ days: 2, first: '2025-03-01', last: '2025-03-02' },
      isOfSection: false,
      message: expect.stringContaining('are not known of 2 days from 2025-03-01 to 2025-03-02'),
    });
    const file = await fetch(
      `${run.headcount.url}/v1/analytics/${run.project.projectId}/series?country=DE&browser=Firefox&${range}&format=csv`,
      { headers: { authorization: `Bearer ${run.project.adminKey}` } },
    );
    expect((await file.text()).split('\r\n').slice(1, 3)).toEqual([
      '"2025-03-01",,,,,,,2,0,2,5,0,5',
      '"2025-03-02",,,,,,,1,0,1,1,0,1',
    ]);
    const sources = await get<{ totals: object; sources: object[]; unmeasured: object }>(
      `sources?country=DE&browser=Firefox&${range}`,
    );
    expect(sources).toMatchObject({ totals: atMost(3), sources: [], unmeasured: { days: 2 } });
    // A glob has the views of its pages.
    const pages = await get<CombinedSeriesReply>('series?path=/docs*&dateFrom=2025-03-01&dateTo=2025-03-02');
    expect(pages).toMatchObject({ totals: { visitors: people(2), views: people(3) }, unmeasured: null });
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

  test('is read with the event as a number, as the program writes it', async () => {
    const numbers = views.replaceAll('"false"', '"0"').replaceAll('"true"', '"1"');
    const taken = await run.history([await run.write('export.csv', numbers)]);
    expect([taken.counted, taken.notCounted.event]).toEqual([{ visitors: 5, views: 8 }, 1]);
  });

  test('of version 1 has the user agent in place of the browser', async () => {
    const file = await run.write(
      'export.csv',
      [
        '1Path,Title,Event,Bot,Session,FirstVisit,Referrer,Referrer scheme,Browser,Screen size,Location,Date',
        `/,Home,false,0,17,true,,,"${otherPerson}","1920,1080,1",DE,2020-10-01T10:00:00Z`,
        `/docs,Docs,false,0,17,true,,,"${otherPerson}","1920,1080,1",DE,2020-10-01T10:01:00Z`,
      ].join('\n'),
    );
    expect((await run.history([file])).counted).toEqual({ visitors: 1, views: 2 });
    expect(await visitorsBy('browsers', 'browser')).toEqual({ Firefox: 1 });
    expect(await visitorsBy('systems', 'system')).toEqual({ Linux: 1 });
  });
});

describe("GoatCounter's JSON", () => {
  const files = {
    // More than the lines by which fields are known: only events have the field.
    paths: [
      { id: 1, path: '/', title: 'Home' },
      { id: 2, path: '/docs/', title: 'Docs' },
      { id: 3, path: '/admin/users', title: 'Users' },
      ...Array.from({ length: 30 }, (_, i) => ({ id: 100 + i, path: `/old/${i}`, title: '' })),
      { id: 9, path: 'signup', title: '', event: true },
    ],
    refs: [
      { id: 1, ref: '', ref_scheme: 'o' },
      { id: 2, ref: 'news.ycombinator.com/item', ref_scheme: 'h' },
      { id: 3, ref: 'Google', ref_scheme: 'g' },
      { id: 4, ref: 'newsletter', ref_scheme: 'c' },
    ],
    browsers: [
      { id: 1, name: 'Firefox', version: '83' },
      { id: 2, name: 'Chrome', version: '46' },
      { id: 3, name: '', version: '' },
    ],
    systems: [
      { id: 1, name: 'Linux', version: 'Ubuntu' },
      { id: 2, name: 'macOS', version: '10.15' },
    ],
    locations: [{ country: 'DE', region: 'BW', country_name: 'Germany', region_name: '' }],
    languages: [{ iso_639_3: 'deu', name: 'German' }],
    browser_stats: [
      { day: '2026-03-01', path_id: 1, browser_id: 1, count: 5 },
      { day: '2026-03-01', path_id: 2, browser_id: 2, count: 2 },
      { day: '2026-03-01', path_id: 9, browser_id: 2, count: 7 },
    ],
    system_stats: [{ day: '2026-03-01', path_id: 1, system_id: 2, count: 5 }],
    location_stats: [{ day: '2026-03-01', path_id: 1, location: 'DE-BW', count: 5 }],
    size_stats: [{ day: '2026-03-01', path_id: 1, width: 1920, count: 5 }],
    language_stats: [{ day: '2026-03-01', path_id: 1, language: 'deu', count: 5 }],
    hit_stats: [
      { hour: '2026-03-01T10:00:00Z', path_id: 1, ref_id: 2, count: 3 },
      { hour: '2026-03-01T11:00:00Z', path_id: 1, ref_id: 1, count: 2 },
      { hour: '2026-03-01T11:00:00Z', path_id: 2, ref_id: 4, count: 2 },
      { hour: '2026-03-01T11:00:00Z', path_id: 3, ref_id: 1, count: 1 },
      { hour: '2026-03-01T11:00:00Z', path_id: 9, ref_id: 1, count: 7 },
      { hour: '2026-03-01T23:00:00Z', path_id: 1, ref_id: 3, count: 1 },
    ],
  };

  beforeEach(() => clock.set('2026-06-20T12:00:00Z'));
  afterEach(() => clock.set('2025-06-20T12:00:00Z'));

  test('has visitors of each page by hour, which are summed up by day of the project', async () => {
    const taken = await run.history([await run.write('export.zip', goatcounterJson(files))]);
    expect(taken).toMatchObject({
      tool: 'GoatCounter',
      days: { added: ['2026-03-01', '2026-03-02'], unknown: [] },
      counted: { visitors: 8, views: 8 },
      notCounted: { event: 2, excluded_path: 1 },
      skippedColumns: [],
    });
    expect(taken.unread.map((name) => name.split('/').at(-1))).toEqual([
      ...['info.json', 'languages.jsonl', 'locations.jsonl', 'size_stats.jsonl'],
    ]);
    const { days } = await get<SeriesReply>('series?dateFrom=2026-03-01&dateTo=2026-03-03');
    expect(days.map((day) => [day.visitors, day.views])).toEqual([
      [people(7), people(7)],
      [people(1), people(1)],
    ]);
    expect(await run.project.visitors()).toEqual({ '/': people(6), '/docs': people(2) });
    expect(await visitorsBy('sources', 'source')).toEqual({
      ...{ '(direct)': 2, 'google.com': 1, 'news.ycombinator.com': 3, newsletter: 2 },
    });
    expect(await visitorsBy('browsers', 'browser')).toEqual({ Chrome: 2, Firefox: 5 });
    expect(await visitorsBy('systems', 'system')).toEqual({ 'Mac OS': 5 });
    expect(await visitorsBy('countries', 'country')).toEqual({ DE: 5 });
    expect(await visitorsBy('languages', 'language')).toEqual({ de: 5 });
  });

  test('that is not whole is refused', async () => {
    const { paths: _, ...rest } = files;
    await expect(run.history([await run.write('export.zip', goatcounterJson(rest))])).rejects.toThrow(
      /_stats\.jsonl:\d+ does not fit: "\d+" in the column "path_id" is not in paths\.jsonl/,
    );
    const broken = goatcounterJson({ ...files, hit_stats: [{ ...files.hit_stats[0], count: -1 }] });
    await expect(run.history([await run.write('export.zip', broken)])).rejects.toThrow(
      /hit_stats\.jsonl:1 does not fit/,
    );
    expect(await run.project.visitors()).toEqual({});
  });
});
