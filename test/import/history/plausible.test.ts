import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CombinedSeriesReply, SeriesReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { type PlausibleFile, plausibleExport, plausibleFile } from '../../support/import/plausible-export.ts';
import { zip } from '../../support/import/zip.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'], excludedPaths: ['/admin/**'] }, clock.now);
});
afterEach(() => run.stop());

const people = (count: number) => ({ human: count, ai: 0, total: count });
const export2025 = () => run.write('export.zip', zip(plausibleExport));
const get = <T>(path: string) =>
  run.project.get<T>(`/v1/analytics/${run.project.projectId}/${path}`) as Promise<T>;

/** Visitors and views by name, of the dimension that the report is by. */
async function byName(
  report: string,
  field: string,
  name: string,
): Promise<Record<string, [number, number]>> {
  const rows = (await get<Record<string, Record<string, string>[]>>(report))[field] ?? [];
  const entries = rows.map(async ({ [name]: text = '' }) => {
    const { totals } = await get<SeriesReply>(`series?${name}=${encodeURIComponent(text)}`);
    const sums: [number, number] = [totals.visitors.total, totals.views.total];
    return [text, sums] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe('an export of Plausible', () => {
  test('has no number of values together, which is not zero', async () => {
    await run.history([await export2025()]);
    const { days, unmeasured } = await get<CombinedSeriesReply>(
      'series?country=DE&device=mobile&path=/docs&dateFrom=2025-03-01&dateTo=2025-03-02',
    );
    expect(days[0]?.visitors).toMatchObject({ human: null, bounds: { human: { from: 0, to: 3 } } });
    expect(unmeasured).toMatchObject({ days: 1 });
    // The export has no devices of this day.
    const { totals } = await get<CombinedSeriesReply>(
      'series?country=US&device=mobile&dateFrom=2025-03-02&dateTo=2025-03-03',
    );
    expect(totals.visitors).toMatchObject({ human: null, bounds: { human: { from: 0, to: 4 } } });
  });

  test('counts visitors and views of people by day and by all that it tells', async () => {
    const { counted, days, notCounted, lines } = await run.history([await export2025()]);
    expect(counted).toEqual({ visitors: 14, views: 31 });
    expect(days.added).toEqual(['2025-03-01', '2025-03-02']);
    expect(notCounted).toEqual({ foreign_host: 1, excluded_path: 1 });
    expect(lines).toBe(25);
    expect(await run.project.visitors()).toEqual({
      '/': people(13),
      '/docs': people(5),
      '/users/:email': people(1),
    });
    expect(await run.project.views()).toEqual({
      '/': people(18),
      '/docs': people(9),
      '/users/:email': people(1),
    });
    expect(await byName('sources', 'sources', 'source')).toEqual({
      '(direct)': [9, 10],
      'google.com': [4, 4],
      newsletter: [1, 1],
      'news.ycombinator.com': [1, 1],
    });
    expect(await byName('utm-campaigns', 'utmCampaigns', 'utmCampaign')).toEqual({ spring: [1, 1] });
    expect(await byName('utm-mediums', 'utmMediums', 'utmMedium')).toEqual({ email: [1, 1] });
    expect(await byName('countries', 'countries', 'country')).toEqual({ DE: [8, 21], US: [6, 10] });
    expect(await byName('devices', 'devices', 'device')).toEqual({ desktop: [7, 19], mobile: [3, 6] });
    expect(await byName('browsers', 'browsers', 'browser')).toEqual({ Chrome: [8, 20], Edge: [2, 5] });
    expect(await byName('systems', 'systems', 'system')).toEqual({ 'Mac OS': [6, 15], Linux: [4, 10] });
  });

  test('is told as what it is: who counted which days, and that AI was not measured', async () => {
    await run.history([await export2025()]);
    expect(await get('series?dateFrom=2025-03-01&dateTo=2025-03-04')).toMatchObject({
      totals: { visitors: people(14), views: people(31) },
      days: [{ visitors: people(10) }, { visitors: people(4) }, { visitors: people(0) }],
      measured: { people: true, ai: false, ways: ['history'] },
      coverage: [{ way: 'history', tool: 'Plausible', from: '2025-03-01', to: '2025-03-02' }],
    });
    expect(await get('data-sources')).toMatchObject({
      dataSources: [{ way: 'history', kind: 'people', hits: 31 }],
    });
    // Neither tells when a visitor came, nor on which page a day's visit began.
    expect(await get('hours?dateFrom=2025-03-01&dateTo=2025-03-03')).toMatchObject({ days: [] });
    expect(await get('entry-pages')).toMatchObject({ pages: [], unmeasured: { days: 2 } });
  });

  test('changes nothing when it is given again', async () => {
    await run.history([await export2025()]);
    const before = await get('series');
    const again = await run.history([await export2025()]);
    expect(again).toMatchObject({
      counted: { visitors: 0, views: 0 },
      days: { added: [], there: ['2025-03-01', '2025-03-02'] },
    });
    expect(await get('series')).toEqual(before);
    expect(await run.showHistory([await export2025()])).toContain(
      'There are no new days: nothing was changed.',
    );
  });

  test('leaves out, and names, days that Headcount counted on and that are not closed', async () => {
    const counted = '2025-06-17';
    await run.import([
      await run.write(
        'access.log',
        `198.51.100.1 - - [17/Jun/2025:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"\n`,
      ),
    ]);
    const lines = ['2025-06-16', counted, '2025-06-18', '2025-06-19', '2025-06-20', '2026-01-01'];
    const file = plausibleFile(
      'visitors',
      lines.map((date) => [date, 2, 3, 0, 2, 10]),
    );
    const { days } = await run.history([await run.write(file.name, file.content)]);
    expect(days).toMatchObject({
      added: ['2025-06-16', '2025-06-18'],
      counted: [counted],
      open: ['2025-06-19', '2025-06-20', '2026-01-01'],
    });
    expect(await get(`series?dateFrom=${counted}&dateTo=2025-06-18`)).toMatchObject({
      totals: { views: people(1) },
    });
  });

  test('leaves out days on which Headcount noted nothing but hits that do not count, also in a dry run', async () => {
    const line = '"GET / HTTP/1.1" 200 1 "-" "Mozilla/5.0 (compatible; bingbot/2.0)"';
    await run.import([
      await run.write('access.log', `198.51.100.1 - - [01/Mar/2025:10:00:00 +0000] ${line}\n`),
    ]);
    const dry = await run.history([await export2025(), '--dry-run']);
    expect(dry.days).toMatchObject({ added: ['2025-03-02'], counted: ['2025-03-01'] });
    expect((await run.history([await export2025()])).days.added).toEqual(['2025-03-02']);
  });

  test('leaves out days that the project would forget at once', async () => {
    const short = await startImport({ keepCountsMonths: 2 }, clock.now);
    const lines = ['2025-04-19', '2025-04-20'].map((date) => [date, 2, 3, 0, 2, 10]);
    const file = plausibleFile('visitors', lines);
    const { days } = await short.history([await short.write(file.name, file.content)]);
    expect(days).toMatchObject({ forgotten: ['2025-04-19'], added: ['2025-04-20'] });
    await short.stop();
  });

  test('is read from a folder, from packed and from single files', async () => {
    const folder = join(run.folder, 'export');
    await mkdir(folder);
    for (const { name, content } of plausibleExport)
      await writeFile(join(folder, `${name}.gz`), gzipSync(content));
    const { days } = await run.history([folder, '--dry-run']);
    expect(days.added).toHaveLength(2);
    expect(await get('series')).toMatchObject({ totals: { views: people(0) } });
    const [visitors] = plausibleExport as [PlausibleFile];
    const alone = await run.history([
      await run.write(visitors.name, visitors.content),
      '--from',
      'plausible',
    ]);
    expect(alone.counted).toEqual({ visitors: 14, views: 31 });
  });

  test('says in words what was taken over, what was not, and what has no place', async () => {
    const said = await run.showHistory([await export2025()]);
    expect(said).toMatch(/^DAYS OF PLAUSIBLE +2$/m);
    expect(said).toMatch(/^imported +2 {2}2025-03-01 to 2025-03-02$/m);
    expect(said).toMatch(/^page views +31$/m);
    expect(said).toMatch(/^host of another site +1$/m);
    expect(said).toContain('visits with their duration and bounces');
    expect(said).toContain('imported_custom_events_20250101_20251231.csv');
  });

  test('may come in any order of its lines', async () => {
    const shuffled = plausibleExport.map(({ name, content }) => {
      const [head, ...lines] = content.trimEnd().split('\n');
      return { name, content: [head, ...lines.toReversed()].join('\n') };
    });
    const { counted } = await run.history([await run.write('export.zip', zip(shuffled))]);
    expect(counted).toEqual({ visitors: 14, views: 31 });
    expect((await run.project.visitors())['/']).toEqual(people(13));
  });
});
