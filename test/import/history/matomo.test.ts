import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClock } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';

/**
 * Reports as Matomo's reporting interface answers them: fields of tests/PHPUnit/System/expected, and CSV and TSV as
 * core/DataTable/Renderer/Csv.php writes them, with rows of earlier days shorter (https://github.com/matomo-org/matomo).
 */
const clock = createClock('2026-06-20T12:00:00Z');
let run: ImportRun;

beforeEach(async () => {
  run = await startImport({ hosts: ['example.com'] }, clock.now);
});
afterEach(() => run.stop());

const people = (count: number) => ({ human: count, ai: 0, total: count });

async function visitorsBy(report: string, field: string, name: string): Promise<Record<string, number>> {
  const reply = (await run.project.get(`/v1/analytics/${run.project.projectId}/${report}`)) as Record<
    string,
    ({ total: number } & Record<string, string>)[]
  >;
  return Object.fromEntries((reply[field] ?? []).map((row) => [row[name], row.total]));
}

const day = '2026-03-01';
const json = (value: unknown) => JSON.stringify(value);
const sums = {
  nb_users: 0,
  nb_visits_converted: 0,
  bounce_count: 2,
  sum_visit_length: 9,
  bounce_rate: '50%',
};

const summary = {
  [day]: { nb_uniq_visitors: 4, nb_visits: 5, nb_actions: 9, ...sums },
  '2026-03-02': [],
  '2026-03-03': { nb_uniq_visitors: 1, nb_visits: 1, nb_actions: 2, ...sums },
};
const pages = {
  [day]: [
    {
      label: '/index',
      nb_visits: 4,
      nb_uniq_visitors: 4,
      nb_hits: 5,
      url: 'https://example.com/',
      segment: 'pageUrl==https%3A%2F%2Fexample.com%2F',
    },
    { label: '/docs/', nb_visits: 2, nb_uniq_visitors: 2, nb_hits: 3, url: 'https://example.com/docs/' },
    { label: '/x', nb_visits: 1, nb_uniq_visitors: 1, nb_hits: 1, url: 'https://other.example/x' },
  ],
};
const rows = (segment: string, named: Record<string, number>) => ({
  [day]: Object.entries(named).map(([label, visitors]) => ({
    ...{ label, nb_uniq_visitors: visitors, nb_visits: visitors, nb_actions: 2 * visitors, max_actions: 2 },
    segment: `${segment}${label}`,
  })),
});
const country = {
  [day]: [
    {
      label: 'France',
      nb_uniq_visitors: 3,
      nb_visits: 4,
      nb_actions: 7,
      segment: 'countryCode==fr',
      code: 'fr',
    },
    {
      label: 'Unknown',
      nb_uniq_visitors: 1,
      nb_visits: 1,
      nb_actions: 2,
      segment: 'countryCode==xx',
      code: 'xx',
    },
  ],
};

test('JSON of its reports by day is taken over, each under what Headcount calls it', async () => {
  const reports = {
    'VisitsSummary.get.json': summary,
    'Actions.get.json': {
      [day]: { nb_pageviews: 8, nb_uniq_pageviews: 6, nb_outlinks: 1 },
      '2026-03-03': { nb_pageviews: 1 },
    },
    'Actions.getPageUrls.json': pages,
    'browsers.json': rows('browserCode==', { 'Chrome Mobile': 1, Firefox: 3 }),
    'systems.json': rows('operatingSystemCode==', { 'GNU/Linux': 3, Windows: 1 }),
    'devices.json': rows('deviceType==', { Desktop: 3, Smartphone: 1 }),
    'country.json': country,
    'websites.json': rows('referrerType==website;referrerName==', { 'blog.example': 1, Others: 1 }),
    'engines.json': rows('referrerType==search;referrerName==', { Google: 1 }),
    'campaigns.json': rows('referrerType==campaign;referrerName==', { Spring: 1 }),
    'types.json': {
      [day]: [
        {
          label: 'Direct Entry',
          nb_uniq_visitors: 2,
          nb_visits: 2,
          segment: 'referrerType==direct',
          referrer_type: 1,
        },
        {
          label: 'Websites',
          nb_uniq_visitors: 2,
          nb_visits: 2,
          segment: 'referrerType==website',
          referrer_type: 3,
        },
      ],
    },
    'titles.json': rows('pageTitle==', { Home: 3 }),
  };
  const files = await Promise.all(
    Object.entries(reports).map(([name, value]) => run.write(name, json(value))),
  );
  const taken = await run.history(files);
  expect(taken).toMatchObject({
    tool: 'Matomo',
    days: { added: [day, '2026-03-03'], unknown: [] },
    counted: { visitors: 5, views: 9 },
    notCounted: { foreign_host: 1 },
    unread: [expect.stringContaining('titles.json')],
    skippedColumns: [],
  });
  expect(await run.project.views()).toEqual({ '/': people(5), '/docs': people(3) });
  expect(await visitorsBy('browsers', 'browsers', 'browser')).toEqual({ 'Mobile Chrome': 1, Firefox: 3 });
  expect(await visitorsBy('systems', 'systems', 'system')).toEqual({ Linux: 3, Windows: 1 });
  expect(await visitorsBy('devices', 'devices', 'device')).toEqual({ desktop: 3, mobile: 1 });
  expect(await visitorsBy('countries', 'countries', 'country')).toEqual({ FR: 3 });
  expect(await visitorsBy('sources', 'sources', 'source')).toEqual({
    ...{ '(direct)': 2, 'blog.example': 1, 'google.com': 1 },
  });
  expect(await visitorsBy('utm-campaigns', 'utmCampaigns', 'utmCampaign')).toEqual({ Spring: 1 });
  expect(await run.showHistory(['--remove', 'matomo', '--yes'])).toContain('2 days from Matomo');
});

const csv = [
  'date,nb_uniq_visitors,nb_visits,nb_actions,bounce_rate,goal_1',
  `${day},4,5,9,50%`,
  '2026-03-03,1,1,2,0%,1',
].join('\n');
const exported = [
  'Date,Label,Unique visitors,Visits,Actions,Metadata: logo',
  `${day},Firefox,3,3,7,plugins/Morpheus/icons/dist/browsers/FF.png`,
  `${day},"Other, ""new""",1,1,2,`,
].join('\n');

test.each([
  ['CSV', (text: string) => text],
  ['TSV', (text: string) => text.replaceAll(/,(?! ")/g, '\t')],
  [
    'UTF-16 with a byte order mark, as its pages export it',
    (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  ],
])('%s is read, whose earlier lines are shorter', async (_what, written) => {
  const files = [
    await run.write('summary.csv', written(csv)),
    await run.write('browsers.csv', written(exported)),
  ];
  expect((await run.history(files)).counted).toEqual({ visitors: 5, views: 11 });
  expect(await visitorsBy('browsers', 'browsers', 'browser')).toEqual({ Firefox: 3, 'Other, "new"': 1 });
});

const { [day]: oneDay } = summary;

test.each([
  ['sums without days', json(oneDay), /without days: ask for period=day/],
  ['rows without days', json(pages[day]), /without days: ask for period=day/],
  ['months', json({ '2026-03': oneDay }), /"2026-03" in the column "date" is not a date/],
  ['weeks', json({ '2026-03-02,2026-03-08': oneDay }), /is not a date/],
  [
    'the error of its interface',
    json({ result: 'error', message: 'You must be logged in' }),
    /You must be logged in/,
  ],
  ['several sites', json({ '1': summary, '2': summary }), /no export that is known/],
  [
    'folders of pages',
    json({ [day]: [{ label: 'docs', nb_visits: 2, nb_hits: 3, segment: 'pageUrl=^x', idsubdatatable: 7 }] }),
    /flat=1/,
  ],
  [
    'a report that nothing names',
    json({ [day]: [{ label: 'Spring', nb_visits: 2 }] }),
    /name the file after it/,
  ],
  ['half an answer', json(summary).slice(0, 40), /is not JSON/],
])('%s are refused, and it says why', async (_what, content, message) => {
  await expect(run.history([await run.write('report.json', content)])).rejects.toThrow(message);
});
