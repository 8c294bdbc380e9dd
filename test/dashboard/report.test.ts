import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Count, HoursReply, SeriesReply } from '../../shared/analytics.ts';
import { startBrowser } from '../support/browser.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  keepPage,
  openPage,
  panelOf,
  readRows,
  settle,
  toNumber,
} from '../support/dashboard/page.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../support/dataset/dataset.ts';
import { atThisLoad } from '../support/machine/load.ts';

let headcount: FilledHeadcount;
let browser: Browser;
let client: DashboardClient;
let base: string;
let api: string;
let shown: DashboardPage;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startFilledHeadcount(), startBrowser()]);
  client = await openDashboard(headcount);
  base = `/p/${headcount.projectId}`;
  api = `/v1/analytics/${headcount.projectId}`;
  const options = { url: headcount.url, client, now: headcount.clock.now() };
  shown = await keepPage(browser, { ...options, viewport: { width: 1280, height: 900 } });
  // As long as the dataset takes beside other work on the machine. The limit tells a hang.
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

async function look(query = ''): Promise<DashboardPage> {
  shown.complaints.length = 0;
  await shown.open(base + query);
  return shown;
}

const days = {
  '30d': 'dateFrom=2026-10-22&dateTo=2026-11-21',
  '90d': 'dateFrom=2026-08-23&dateTo=2026-11-21',
};
const figure = async ({ page }: DashboardPage, field: string) =>
  toNumber(await page.locator(`[data-figure=${field}]`).first().innerText());

type Row = Count & Record<string, string>;

/** Name and numbers of a report's rows, by the API. */
async function rowsOf(report: string, name: string, query: string): Promise<(string | number)[][]> {
  const reply = await headcount.get<Record<string, Row[]>>(`${api}/${report}?limit=10&${query}`);
  return (reply[report] ?? []).map((row) => [row[name] ?? '', row.human, row.ai, row.total]);
}

/** The same of a table on the page. */
async function rowsShown({ page }: DashboardPage, title: string): Promise<(string | number)[][]> {
  const rows = await readRows(panelOf(page, title));
  return rows.map(([name = '', ...counts]) => [name, ...counts.slice(0, 3).map(toNumber)]);
}

describe('the overview', () => {
  test('shows the totals of the API, and how they changed', async () => {
    const shown = await look();
    const { totals } = await headcount.get<SeriesReply>(`${api}/series?${days['30d']}`);
    expect([await figure(shown, 'human'), await figure(shown, 'ai'), await figure(shown, 'total')]).toEqual([
      totals.visitors.human,
      totals.visitors.ai,
      totals.visitors.total,
    ]);
    const before = await headcount.get<SeriesReply>(`${api}/series?dateFrom=2026-09-22&dateTo=2026-10-22`);
    const change = Math.round(
      (100 * (totals.visitors.human - before.totals.visitors.human)) / before.totals.visitors.human,
    );
    const note = shown.page.getByRole('region', { name: 'People' });
    await expect
      .poll(() => note.innerText())
      .toContain(
        `${change}% more than the ${before.totals.visitors.human.toLocaleString('en-GB')} in the 30 days before`,
      );
    expect(shown.complaints).toEqual([]);
  });

  test('compares today with the same hours of yesterday, and shows the hours of both', async () => {
    const shown = await look('?range=today');
    const { page } = shown;
    const { now, days: found } = await headcount.get<HoursReply>(`${api}/hours`);
    const until = (day: HoursReply['days'][number] | undefined) =>
      (day?.hours ?? [])
        .filter(({ hour }) => hour < now.hour)
        .reduce((sum, { visitors }) => sum + visitors.human, 0);
    const [before, today] = [until(found[0]), until(found[1])];
    const shownBefore = before === today ? 'The same as' : before.toLocaleString('en-GB');
    const note = page.getByRole('region', { name: 'People' });
    await expect.poll(() => note.innerText()).toContain(`${shownBefore} by ${now.hour}:00 on the day before`);
    await page.getByText('Show as a table').click();
    const rows = await readRows(page.locator('.plain'));
    expect(rows.map(([, human]) => toNumber(human))).toEqual(
      found.flatMap(({ hours }) => hours.map(({ visitors }) => visitors.human)).toReversed(),
    );
    expect(rows.at(-1)?.[0]).toBe('Thu, 19 Nov 2026, 00:00');
  });

  test('shows every day of the chart in a table, too', async () => {
    const { page } = await look('?range=90d');
    await page.getByText('Show as a table').click();
    const rows = await readRows(page.locator('.plain'));
    const series = await headcount.get<SeriesReply>(`${api}/series?${days['90d']}`);
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
    const shown = await look('?range=90d');
    const expected = await rowsOf(report, name, days['90d']);
    expect(expected.length).toBeGreaterThan(1);
    const rows = await rowsShown(shown, title);
    expect(rows.map(([, ...counts]) => counts)).toEqual(expected.map(([, ...counts]) => counts));
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
    const { page } = await look('?range=90d');
    const { clients } = await headcount.get<{ clients: Record<string, string | number>[] }>(
      `${api}/ai-clients?limit=10&${days['90d']}`,
    );
    const rows = await readRows(panelOf(page, 'AI clients'));
    expect(rows.map(([name, , , visitors, views]) => [name, toNumber(visitors), toNumber(views)])).toEqual(
      clients.map(({ client: name, operator, visitors, views }) => [`${name} ${operator}`, visitors, views]),
    );
    expect(rows.map(([, , proof]) => proof?.split(/\s+/)[1]?.toLowerCase())).toEqual(
      clients.map(({ proof }) => proof),
    );
    await page.getByText('What these terms mean').click();
    expect(
      await page.getByText('Its IP address, host name or signature belongs to the operator.').isVisible(),
    ).toBe(true);
  });

  test('shows what was not counted, and why', async () => {
    const { page } = await look('?range=90d');
    const { dropped } = await headcount.get<{ dropped: { hits: number }[] }>(
      `${api}/dropped?limit=10&${days['90d']}`,
    );
    const rows = await readRows(panelOf(page, 'Not counted'));
    expect(rows.map(([, hits]) => toNumber(hits))).toEqual(dropped.map(({ hits }) => hits));
    expect(rows.map(([why]) => why).join()).toContain('Bot: ');
  });

  test('marks AI assistants among the sources', async () => {
    const { page } = await look('?range=90d');
    const rows = await readRows(panelOf(page, 'Sources'));
    expect(rows.map(([name]) => name)).toContainEqual(expect.stringMatching(/^ChatGPT\s*AI assistant$/));
    expect(rows.find(([name]) => name?.startsWith('google.com'))?.[0]).toBe('google.com');
  });

  test('shows visitors of right now, and those who come while it is looked at', async () => {
    const shown = await look();
    const before = await headcount.get<{ visitors: Count }>(`${api}/now`);
    expect(await figure(shown, 'now')).toBe(before.visitors.total);
    await headcount.hit({ u: 'https://teapot.example/' }, { 'x-forwarded-for': '198.51.100.77' });
    await expect
      .poll(() => figure(shown, 'now'), { timeout: atThisLoad(8_000) })
      .toBe(before.visitors.total + 1);
  });
});

describe('what is looked at', () => {
  test('is in the address: range, measure, order, search and page', async () => {
    const shown = await look();
    const { page } = shown;
    await page.getByRole('link', { name: '90 days' }).click();
    await page.getByRole('link', { name: 'Views' }).click();
    const pages = panelOf(page, 'Pages');
    await pages.getByRole('button', { name: 'AI share' }).click();
    await pages.getByRole('searchbox').fill('/docs');
    await expect.poll(() => page.url()).toContain('search=%2Fdocs');
    await pages.getByRole('button', { name: 'Next rows' }).click();
    expect(new URL(page.url()).search).toBe('?range=90d&measure=views&sort=aiShare&search=%2Fdocs&page=2');
    await settle(page);
    const seen = await rowsShown(shown, 'Pages');
    const { views } = await headcount.get<{ views: (Count & { path: string })[] }>(
      `${api}/views?limit=10&offset=10&sort=aiShare&search=/docs&${days['90d']}`,
    );
    expect(seen).toEqual(views.map(({ path, human, ai, total }) => [path, human, ai, total]));
    const human = await figure(shown, 'human');
    await look(new URL(page.url()).search);
    expect(await rowsShown(shown, 'Pages')).toEqual(seen);
    expect(await figure(shown, 'human')).toBe(human);
    expect(await pages.locator('[aria-sort=descending]').innerText()).toContain('AI share');
  });

  test.each([
    ['today', '2026-11-20', '2026-11-21'],
    ['7d', '2026-11-14', '2026-11-21'],
    ['month', '2026-11-01', '2026-11-21'],
    ['last-month', '2026-10-01', '2026-11-01'],
    ['year', '2025-11-21', '2026-11-21'],
    ['2026-09-01..2026-09-03', '2026-09-01', '2026-09-04'],
    ['all', '2020-01-01', '2026-11-21'],
    ['nonsense', '2026-10-22', '2026-11-21'],
  ])('is, by the range %s, the days from %s to before %s', async (range, from, to) => {
    const shown = await look(`?range=${range}`);
    const { totals } = await headcount.get<SeriesReply>(`${api}/series?dateFrom=${from}&dateTo=${to}`);
    expect(await figure(shown, 'total')).toBe(totals.visitors.total);
  });

  test('can be any days, chosen in a dialog', async () => {
    const shown = await look();
    const { page } = shown;
    await page.getByRole('button', { name: 'Custom…' }).click();
    await page.getByLabel('First day').fill('2026-11-05');
    await page.getByLabel('Last day').fill('2026-11-01');
    await page.getByRole('button', { name: 'Show these days' }).click();
    expect(await page.getByRole('dialog').innerText()).toContain('The last day is before the first day.');
    await page.getByLabel('Last day').fill('2026-11-06');
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.waitForURL('**?range=2026-11-05..2026-11-06');
    await settle(page);
    const { totals } = await headcount.get<SeriesReply>(
      `${api}/series?dateFrom=2026-11-05&dateTo=2026-11-07`,
    );
    await expect.poll(() => figure(shown, 'total')).toBe(totals.visitors.total);
  });

  test('can be one AI client alone, by a click, and all again', async () => {
    const { page } = await look('?range=90d');
    await panelOf(page, 'AI clients').getByRole('link', { name: 'GPTBot' }).click();
    await page.waitForURL('**?range=90d&client=GPTBot');
    const read = panelOf(page, 'Pages it visited');
    await read.waitFor();
    await settle(page);
    const { paths } = await headcount.get<{ paths: { path: string; visitors: number; views: number }[] }>(
      `${api}/ai-clients/GPTBot/paths?limit=10&${days['90d']}`,
    );
    expect(
      (await readRows(read)).map(([path, visitors, views]) => [path, toNumber(visitors), toNumber(views)]),
    ).toEqual(paths.map(({ path, visitors, views }) => [path, visitors, views]));
    const series = await headcount.get<SeriesReply>(`${api}/series?client=GPTBot&${days['90d']}`);
    const note = page.getByRole('region', { name: 'AI visitors' });
    await expect.poll(() => note.innerText()).toContain(series.totals.visitors.ai.toLocaleString('en-GB'));
    await page.getByRole('link', { name: 'Remove the filter: AI client' }).click();
    await panelOf(page, 'Sources').waitFor();
  });

  test('can be one page alone, by a click', async () => {
    const shown = await look('?range=90d');
    await panelOf(shown.page, 'Pages').getByRole('link', { name: '/docs/install' }).click();
    await shown.page.waitForURL('**?range=90d&path=%2Fdocs%2Finstall');
    const { totals } = await headcount.get<SeriesReply>(`${api}/series?path=/docs/install&${days['90d']}`);
    await expect.poll(() => figure(shown, 'human')).toBe(totals.visitors.human);
    expect(await figure(shown, 'ai')).toBe(totals.visitors.ai);
  });

  test('can be several things at once; what no sums are kept of is refused in the words of the API', async () => {
    const shown = await look('?range=90d&path=/docs/install');
    const { page } = shown;
    await panelOf(page, 'Sources').getByRole('link', { name: 'google.com' }).click();
    await page.waitForURL('**?range=90d&path=%2Fdocs%2Finstall&source=google.com');
    await settle(page);
    const limits = 'path=/docs/install&source=google.com';
    const { totals } = await headcount.get<SeriesReply>(`${api}/series?${limits}&${days['90d']}`);
    expect(await figure(shown, 'human')).toBe(totals.visitors.human);
    const refused = await client.send('GET', `${api}/devices?${limits}`);
    const { error } = (await refused.json()) as { error: string };
    expect(refused.status).toBe(400);
    expect(await panelOf(page, 'Devices').innerText()).toContain(error);
    expect(await page.getByRole('alert').count()).toBe(0);
    const chips = page.getByRole('list', { name: 'Filters' });
    expect(await chips.innerText()).toMatch(/Page\s+\/docs\/install\s+Came from\s+google\.com/);
    await chips.getByRole('link', { name: 'Remove the filter: Page' }).click();
    await page.waitForURL('**?range=90d&source=google.com');
    await chips.getByRole('link', { name: 'Remove the filter: Came from' }).click();
    await page.waitForURL('**?range=90d');
  });

  test('comes back with the browser’s back button', async () => {
    const { page } = await look();
    await page.getByRole('link', { name: '90 days' }).click();
    await page.goBack();
    await expect.poll(() => page.locator('.segments [aria-current]').innerText()).toBe('30 days');
  });
});

// A browser lets a page begin only some ten downloads at once.
test.each([0, 1])('every table can be had as a file, half of them: %s', async (half) => {
  const { page } = await look('?range=90d');
  const links = page.getByRole('link', { name: /as a CSV file$/ });
  expect(await links.count()).toBe(14);
  // What is read as it comes into view would move what is to be clicked.
  for (const link of await links.all()) await link.scrollIntoViewIfNeeded();
  await settle(page);
  for (const link of (await links.all()).filter((_, i) => i % 2 === half)) {
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    expect(await download.failure()).toBeNull();
  }
});

test('browsers, systems and screens share their place with devices', async () => {
  const shown = await look('?range=90d');
  for (const [title, report, name] of [
    ['Browsers', 'browsers', 'browser'],
    ['Systems', 'systems', 'system'],
    ['Screens', 'screens', 'screen'],
  ] as const) {
    await shown.page.getByRole('link', { name: title }).click();
    await panelOf(shown.page, title).locator('tbody tr').first().waitFor();
    const expected = await rowsOf(report, name, days['90d']);
    expect((await rowsShown(shown, title)).map(([, ...counts]) => counts)).toEqual(
      expected.map(([, ...counts]) => counts),
    );
  }
});

test('the chart is walked through with the arrow keys, and zoomed into with the mouse', async () => {
  const { page } = await look();
  const { days: all } = await headcount.get<SeriesReply>(`${api}/series?${days['30d']}`);
  const slider = page.getByRole('slider');
  const spoken = async () => await slider.getAttribute('aria-valuetext');
  const words = (at: number) => {
    const { human, ai } = all.at(at)?.visitors ?? { human: 0, ai: 0 };
    return `: ${human.toLocaleString('en-GB')} people, ${ai.toLocaleString('en-GB')} AI`;
  };
  expect(await spoken()).toContain(words(-1));
  await slider.press('ArrowLeft');
  expect(await spoken()).toContain(words(-2));
  await slider.press('Home');
  expect(await spoken()).toContain(words(0));
  const box = await page.locator('.u-over').boundingBox();
  if (!box) throw new Error('The chart has no place.');
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/range=2026-11-0\d\.\.2026-11-20/);
});

test('is usable after less than half a second of work, and asks nobody else', async () => {
  const options = { url: headcount.url, client, now: headcount.clock.now() };
  const { page, complaints } = await openPage(browser, options);
  const tools = await page.context().newCDPSession(page);
  await tools.send('Performance.enable');
  await page.goto(headcount.url + base, { waitUntil: 'commit' });
  await panelOf(page, 'Pages').locator('tbody tr').first().waitFor();
  await page.locator('[data-figure=human]:not(:has(.placeholder))').waitFor();
  const { metrics } = await tools.send('Performance.getMetrics');
  // What the page's thread was at work, not the time on the wall: others may be at work on this machine.
  const seconds = metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.POSITIVE_INFINITY;
  expect(seconds).toBeLessThan(0.5);
  expect(complaints).toEqual([]);
});
