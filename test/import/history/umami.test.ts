import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SeriesReply } from '../../../shared/reports/analytics.ts';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { umamiEventData, umamiExport } from '../../support/import/umami-export.ts';
import { zip } from '../../support/import/zip.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'], keptParameters: ['page'] }, clock.now);
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

const events = umamiExport([
  {
    ...{ session_id: 'a', created_at: '2025-03-01 10:00:00', referrer_domain: 'www.google.com' },
    ...{
      url_query: 'utm_source=news&page=2',
      utm_source: 'news',
      utm_medium: 'email',
      utm_campaign: 'spring',
    },
  },
  { session_id: 'a', created_at: '2025-03-01 10:01:00', url_path: '/docs/', referrer_domain: 'example.com' },
  { session_id: 'a', created_at: '2025-03-01 10:02:00', url_path: '/docs' },
  { session_id: 'b', created_at: '2025-03-01 11:00:00', browser: 'edge-chromium', device: 'laptop' },
  { session_id: 'c', created_at: '2025-03-01 12:00:00', url_query: 'utm_campaign=old', browser: 'ios' },
  { session_id: 'a', created_at: '2025-03-02 09:00:00', referrer_domain: 'bing.com', device: 'mobile' },
  { session_id: 'a', created_at: '2025-03-01 10:03:00', event_type: '2', event_name: 'signup' },
  { session_id: 'd', created_at: '2025-03-01 10:04:00', hostname: 'preview.example.net' },
]);

describe('an export of Umami', () => {
  test('sums up views and sessions by day, and by all that it tells', async () => {
    const archive = zip([
      { name: 'export/website_event.csv', content: events, isDeflated: true },
      { name: 'export/event_data.csv', content: umamiEventData },
    ]);
    const taken = await run.history([await run.write('umami.zip', archive)]);
    expect(taken).toMatchObject({
      tool: 'Umami',
      days: { added: ['2025-03-01', '2025-03-02'] },
      counted: { visitors: 4, views: 6 },
      notCounted: { event: 1, foreign_host: 1 },
      unread: [expect.stringMatching(/umami\.zip\/export\/event_data\.csv$/)],
    });
    expect(await run.project.visitors()).toEqual({
      '/': people(3),
      '/?page=2': people(1),
      '/docs': people(1),
    });
    expect((await run.project.views())['/docs']).toEqual(people(2));
    expect(await visitorsBy('sources', 'sources', 'source')).toEqual({
      '(direct)': 2,
      'bing.com': 1,
      news: 1,
    });
    expect(await visitorsBy('utm-campaigns', 'utmCampaigns', 'utmCampaign')).toEqual({ spring: 1, old: 1 });
    expect(await visitorsBy('utm-mediums', 'utmMediums', 'utmMedium')).toEqual({ email: 1 });
    expect(await visitorsBy('devices', 'devices', 'device')).toEqual({ desktop: 3, mobile: 1 });
    expect(await visitorsBy('browsers', 'browsers', 'browser')).toEqual({
      ...{ Chrome: 2, Edge: 1, 'Mobile Safari': 1 },
    });
    expect(await visitorsBy('systems', 'systems', 'system')).toEqual({ Windows: 4 });
    expect((await get<SeriesReply>('series')).coverage).toEqual([
      { way: 'history', tool: 'Umami', from: '2025-03-01', to: '2025-03-02' },
    ]);
    expect(await run.showHistory(['--remove', 'umami', '--yes'])).toContain('2 days from Umami');
    expect(await run.project.views()).toEqual({});
  });

  test.each([
    ['no session', { created_at: '2025-03-01 10:00:00' }, /website_event\.csv:2 .*"session_id" is empty/],
    [
      'a time that is none',
      { session_id: 'a', created_at: '174082320' },
      /:2 .*"created_at" is not a time such as/,
    ],
    [
      'a sort of event that is none',
      { session_id: 'a', event_type: 'view' },
      /:2 .*"event_type" is not a whole number/,
    ],
  ])('with %s is refused', async (_what, cells, message) => {
    const file = await run.write('website_event.csv', umamiExport([cells]));
    await expect(run.history([file])).rejects.toThrow(message);
  });
});
