import { expect, test } from 'vitest';
import type { Count, HoursReply, SeriesReply } from '../../../shared/reports/analytics.ts';
import {
  findViolations,
  panelOf,
  readRows,
  scrollThrough,
  settle,
  toNumber,
} from '../../support/dashboard/page.ts';
import { figure, openChartTable, reportVisits, rowsOf, rowsShown } from '../../support/dashboard/report.ts';

const visit = reportVisits();
const days = {
  '30d': 'dateFrom=2026-10-22&dateTo=2026-11-21',
  '90d': 'dateFrom=2026-08-23&dateTo=2026-11-21',
};

test('shows the totals of the API, and how they changed', async () => {
  const shown = await visit.look('?range=30d');
  const { totals } = await visit.headcount.get<SeriesReply>(`${visit.api}/series?${days['30d']}`);
  const figures = () => Promise.all(['human', 'ai', 'total'].map((name) => figure(shown, name)));
  await expect.poll(figures).toEqual([totals.visitors.human, totals.visitors.ai, totals.visitors.total]);
  const peopleIn = async (query: string) =>
    (await visit.headcount.get<SeriesReply>(`${visit.api}/series?${query}`)).totals.visitors.human;
  // Today is not over.
  const people = await peopleIn('dateFrom=2026-10-22&dateTo=2026-11-20');
  const before = await peopleIn('dateFrom=2026-09-23&dateTo=2026-10-22');
  const change = Math.round((100 * (people - before)) / before);
  const note = shown.page.getByRole('region', { name: 'People', exact: true });
  await expect
    .poll(() => note.innerText())
    .toContain(
      `${change}% more than the ${before.toLocaleString('en-GB')} in the 29 days before. Today is left out.`,
    );
  await shown.page.getByText('Change excludes today.').waitFor();
  expect(shown.problems).toEqual([]);
});

test('says what each percent is of, on cards and in tables', async () => {
  const { page } = await visit.look('?range=30d');
  const list = page.getByRole('list', { name: 'Top sources' });
  await expect.poll(() => list.innerText()).toMatch(/\d% of all people/);
  await page.getByText(/\d% · .*\d% of AI views$/).waitFor();
  const share = panelOf(page, 'Pages').locator('tbody tr').first().locator('td.share > span');
  await expect.poll(() => share.getAttribute('title')).toMatch(/^\d+% of this page’s total$/);
  const sources = panelOf(page, 'Sources');
  await sources.scrollIntoViewIfNeeded();
  await sources.getByRole('columnheader', { name: '% of people' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
});

test('compares today with the same hours of yesterday, and shows the hours of both', async () => {
  const shown = await visit.look('?range=today');
  const { page } = shown;
  const { now, days: found } = await visit.headcount.get<HoursReply>(`${visit.api}/hours`);
  const until = (day: HoursReply['days'][number] | undefined) =>
    (day?.hours ?? [])
      .filter(({ hour }) => hour < now.hour)
      .reduce((sum, { visitors }) => sum + visitors.human, 0);
  const [before, today] = [until(found[0]), until(found[1])];
  const shownBefore = before === today ? 'The same as' : before.toLocaleString('en-GB');
  const note = page.getByRole('region', { name: 'People', exact: true });
  await expect.poll(() => note.innerText()).toContain(`${shownBefore} by ${now.hour}:00 on the day before`);
  const rows = await readRows(await openChartTable(page));
  expect(rows.map(([, human]) => toNumber(human))).toEqual(
    found.flatMap(({ hours }) => hours.map(({ visitors }) => visitors.human)).toReversed(),
  );
  expect(rows.at(-1)?.[0]).toBe('Thu, 19 Nov 2026, 00:00');
});

test('shows a day that has hours by the hour, and one that has none with the days before', async () => {
  const dates = async (day: string) => {
    const { page } = await visit.look(`?range=${day}..${day}`);
    return (await readRows(await openChartTable(page))).map(([date]) => date);
  };
  const hours = await dates('2026-11-19');
  expect([hours.length, hours[0]]).toEqual([24, 'Thu, 19 Nov 2026, 23:00']);
  expect((await dates('2026-10-20')).slice(0, 2)).toEqual(['Tue, 20 Oct 2026', 'Mon, 19 Oct 2026']);
});

test('shows every day of the chart in a table, too', async () => {
  const { page } = await visit.look('?range=90d');
  const rows = await readRows(await openChartTable(page));
  const series = await visit.headcount.get<SeriesReply>(`${visit.api}/series?${days['90d']}`);
  expect(rows.map(([, human, ai, total]) => [human, ai, total].map(toNumber))).toEqual(
    series.days.toReversed().map(({ visitors: { human, ai, total } }) => [human, ai, total]),
  );
  expect(rows[0]?.[0]).toBe('Fri, 20 Nov 2026');
});

test.each([
  ['Pages', 'visitors', 'path', (name: string) => name],
  ['Sources', 'sources', 'source', (name: string) => name],
  [
    'Countries',
    'countries',
    'country',
    (code: string) => new Intl.DisplayNames('en-GB', { type: 'region' }).of(code),
  ],
  [
    'Languages',
    'languages',
    'language',
    (tag: string) =>
      new Intl.DisplayNames('en-GB', { type: 'language', languageDisplay: 'standard' }).of(tag),
  ],
  ['Devices', 'devices', 'device', (name: string) => name],
])('shows %s as the API has them', async (title, report, name, word) => {
  const shown = await visit.look(`?range=90d${title === 'Languages' ? '&place=languages' : ''}`);
  // Of pages people and AI are shown, of all else people alone.
  const counts = title === 'Pages' ? 4 : 2;
  const found = await rowsOf(visit, report, name, days['90d'] + (counts === 2 ? '&sort=human' : ''));
  const expected = found.filter(([, human]) => counts === 4 || Number(human) > 0);
  expect(expected.length).toBeGreaterThan(1);
  const rows = await rowsShown(shown, title);
  expect(rows.map((row) => row.slice(1, counts))).toEqual(expected.map((row) => row.slice(1, counts)));
  const words: Record<string, string> = {
    '(direct)': 'Direct or unknown',
    mobile: 'Phone',
    desktop: 'Desktop',
    tablet: 'Tablet',
    '(unknown)': 'Unknown',
  };
  expect(rows.map(([text]) => String(text).replace(/\s*AI assistant$/, ''))).toEqual(
    expected.map(([text]) => words[String(text)] ?? word(String(text))),
  );
});

test('shows AI clients with operator, purpose and proof as the API has them', async () => {
  const { page } = await visit.look('/ai?range=90d');
  const { clients } = await visit.headcount.get<{ clients: Record<string, string | number>[] }>(
    `${visit.api}/ai-clients?limit=250&${days['90d']}`,
  );
  const rows = await readRows(panelOf(page, 'AI clients'));
  const sum = (of: typeof clients, field: 'visitors' | 'views') =>
    of.reduce((all, row) => all + Number(row[field]), 0);
  const byClient = [...Map.groupBy(clients, ({ client }) => client).values()]
    .map((of) => ({ ...of[0], proofs: of.length, visitors: sum(of, 'visitors'), views: sum(of, 'views') }))
    .sort((a, b) => b.visitors - a.visitors)
    .slice(0, 10) as Record<string, string | number>[];
  expect(rows.map(([name, , , visitors, views]) => [name, toNumber(visitors), toNumber(views)])).toEqual(
    byClient.map(({ client: name, operator, visitors, views }) => [`${name} ${operator}`, visitors, views]),
  );
  expect(rows.map(([, , proof]) => proof?.split(/\s+/)[1]?.toLowerCase())).toEqual(
    byClient.map(({ proof }) => proof),
  );
  expect(rows.map(([, , proof]) => proof?.includes('%'))).toEqual(byClient.map(({ proofs }) => proofs !== 1));
  await page.getByText('What these terms mean').click();
  await page.getByText('Its IP address, host name or signature belongs to the operator.').waitFor();
});

test('shows what was not counted, and why', async () => {
  const { page } = await visit.look('/measurement?range=90d');
  const { dropped } = await visit.headcount.get<{ dropped: { hits: number }[] }>(
    `${visit.api}/dropped?limit=10&${days['90d']}`,
  );
  await scrollThrough(page);
  const rows = await readRows(panelOf(page, 'Not counted'));
  expect(rows.map(([, hits]) => toNumber(hits))).toEqual(dropped.map(({ hits }) => hits));
  const reasons = rows.map(([why]) => why).join();
  expect(reasons).toMatch(/Bot\s+SEO or marketing tool/);
  expect(reasons).not.toMatch(/Bot\s+seo/);
});

test('marks AI assistants among the sources', async () => {
  const { page } = await visit.look('?range=90d');
  await scrollThrough(page);
  const rows = await readRows(panelOf(page, 'Sources'));
  expect(rows.map(([name]) => name)).toContainEqual(expect.stringMatching(/^ChatGPT\s*AI assistant$/));
  expect(rows.find(([name]) => name?.startsWith('google.com'))?.[0]).toBe('google.com');
});

test('shows visitors of right now, and those who come while it is looked at', async () => {
  const shown = await visit.look();
  const before = await visit.headcount.get<{ visitors: Count }>(`${visit.api}/now`);
  await expect.poll(() => figure(shown, 'now')).toBe(before.visitors.total);
  await visit.headcount.hit({ u: 'https://teapot.example/' }, { 'x-forwarded-for': '198.51.100.77' });
  await expect.poll(() => figure(shown, 'now')).toBe(before.visitors.total + 1);
});

test('browsers, systems and screens share their place with devices', async () => {
  const shown = await visit.look('?range=90d');
  for (const [title, report, name] of [
    ['Browsers', 'browsers', 'browser'],
    ['Systems', 'systems', 'system'],
    ['Screens', 'screens', 'screen'],
  ] as const) {
    await scrollThrough(shown.page);
    await shown.page.getByRole('link', { name: title }).click();
    await panelOf(shown.page, title).locator('tbody tr').first().waitFor();
    await settle(shown.page);
    const expected = await rowsOf(visit, report, name, `${days['90d']}&sort=human`);
    await expect
      .poll(async () => (await rowsShown(shown, title)).map(([, people]) => people))
      .toEqual(expected.map(([, people]) => people).filter((people) => people !== 0));
  }
});
