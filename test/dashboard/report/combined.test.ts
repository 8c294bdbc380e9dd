import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundsOf } from '../../../dashboard/formats/measured.ts';
import { formatBounds } from '../../../dashboard/formats/number.ts';
import type { View } from '../../../server/counting/view.ts';
import { what } from '../../../server/counting/what.ts';
import type { BoundedCount, CombinedSeriesReply } from '../../../shared/reports/analytics.ts';
import { startShell } from '../../support/browser.ts';
import { gptBot } from '../../support/browsers.ts';
import { createClock, dayMs } from '../../support/clock.ts';
import { openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  findViolations,
  keepPage,
  panelOf,
  readRows,
  scrollThrough,
  settle,
} from '../../support/dashboard/page.ts';
import { openChartTable } from '../../support/dashboard/report.ts';
import { type Headcount, startHeadcount } from '../../support/headcount.ts';
import { anySalt, openDay, view } from '../../support/views.ts';

const clock = createClock('2026-11-20T12:00:00Z');
const today = Math.floor(clock.now() / dayMs);
const [closed, imported] = [today - 4, today - 6];

let headcount: Headcount;
let browser: Browser;
let shown: DashboardPage;

/** So many visitors of one kind: groups of two are too small to be kept. */
const groups: readonly [number, Partial<View>][] = [
  [6, { country: 'DE', device: 'mobile', source: 'google.com', path: '/docs' }],
  [4, { country: 'AT', device: 'mobile', source: 'google.com', path: '/docs' }],
  [2, { country: 'DE', device: 'desktop', source: 'news.example', path: '/docs' }],
  [5, { country: 'FR', device: 'desktop', source: 'google.com', path: '/' }],
];

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount({ now: clock.now }), startShell()]);
  const { projectId, context } = headcount;
  let visitor = 1n;
  for (const day of [closed, today]) {
    await openDay(context.store, projectId, day, anySalt());
    const views = groups.flatMap(([count, values]) =>
      Array.from({ length: count }, () => view({ ...values, projectId, day, visitor: visitor++ })),
    );
    expect(await context.store.countViews(views, [])).toEqual([]);
  }
  await context.store.seal(projectId, today - 1);
  const site = { visitors: 30, views: 50 };
  const sums = [
    { what: what.path, text: '/docs', ...site },
    { what: what.path, text: '/guide/a', visitors: 10, views: 12 },
    { what: what.path, text: '/guide/b', visitors: 8, views: 12 },
    { what: what.country, text: 'DE', ...site },
    { what: what.device, text: 'mobile', ...site },
  ];
  const history = { day: imported, tool: 'Plausible', site, sums } as const;
  expect(await context.store.history.addDay(projectId, history)).toBe('added');
  shown = await keepPage(browser, {
    ...{ url: headcount.url, client: await openDashboard(headcount), now: clock.now() },
    viewport: { width: 1280, height: 900 },
  });
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const look = (query: string) => shown.open(`/p/${headcount.projectId}?range=7d&${query}`);

const dateOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

const seriesWith = (query: string, from = today - 6, to = today + 1) =>
  headcount.get<CombinedSeriesReply>(
    `/v1/analytics/${headcount.projectId}/series?dateFrom=${dateOf(from)}&dateTo=${dateOf(to)}&${query}`,
  );

const textOf = (count: BoundedCount, of: 'human' | 'total') => formatBounds(boundsOf(count, of));

const figure = (of: string) => shown.page.locator(`[data-figure=${of}]`).first();

/** As it is seen, without what is only read out. */
const shownBy = async (cell: Locator) => (await cell.innerText()).split('\n')[0];

test('rows that are clicked one after another limit all numbers together, and are taken back one by one', async () => {
  await look('');
  await scrollThrough(shown.page);
  for (const [title, name] of [
    ['Countries', 'Germany'],
    ['Devices', 'Phone'],
    ['Sources', 'google.com'],
    ['Pages', '/docs'],
  ] as const) {
    const row = panelOf(shown.page, title).locator('tbody').getByRole('link', { name, exact: true });
    await row.click();
    await shown.page.locator('.filters').getByText(name).waitFor();
    await settle(shown.page);
  }
  const query = 'country=DE&device=mobile&source=google.com&path=/docs';
  const { totals } = await seriesWith(query);
  expect(totals.visitors.human).toBe(12);
  await expect.poll(() => shownBy(figure('human'))).toBe(textOf(totals.visitors, 'human'));
  await shown.page.getByRole('link', { name: 'Remove the filter: Country' }).click();
  const left = await seriesWith('device=mobile&source=google.com&path=/docs');
  await expect.poll(() => shownBy(figure('human'))).toBe(textOf(left.totals.visitors, 'human'));
  await expect.poll(() => shown.page.locator('.filter').count()).toBe(3);
});

test('a count within bounds is shown as such, with why, in figures, tables and the chart', async () => {
  const query = 'country=DE&device=desktop';
  await look(query);
  const { totals } = await seriesWith(query);
  const { human } = totals.visitors.bounds ?? {};
  expect([human?.from, (human?.to ?? 0) > (human?.from ?? 0)]).toEqual([2, true]);
  await expect.poll(() => shownBy(figure('human'))).toMatch(/^2–\d+$/);
  await expect.poll(() => shownBy(figure('human'))).toBe(textOf(totals.visitors, 'human'));
  await expect.poll(() => figure('human').locator('.unseen').innerText()).toMatch(/^between 2 and \d+$/);
  await expect
    .poll(() => figure('human').locator('span').first().getAttribute('title'))
    .toContain('The least and the most');
  const pages = panelOf(shown.page, 'Pages');
  await expect
    .poll(async () => (await readRows(pages))[0]?.slice(0, 2))
    .toEqual(['/docs', expect.stringMatching(/^2–\d+\s+between 2 and \d+$/)]);
  const ofDay = await seriesWith(query, closed, closed + 1);
  const row = (await openChartTable(shown.page)).getByRole('row', { name: /16 Nov/ });
  await expect.poll(() => shownBy(row.locator('td').first())).toBe(textOf(ofDay.totals.visitors, 'human'));
  expect(await findViolations(shown.page)).toEqual([]);
});

test('the chart fills what lies between the least and the most, where both are not one', async () => {
  /** Of the see-through colour that nothing else of the chart has. */
  const filled = () =>
    shown.page.locator('.chart canvas').evaluate((canvas: HTMLCanvasElement) => {
      const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return data.filter((alpha, index) => index % 4 === 3 && Math.abs(alpha - 0.3 * 255) < 4).length;
    });
  await look('country=DE&device=desktop');
  await settle(shown.page);
  await expect.poll(filled).toBeGreaterThan(1000);
  await look('country=DE');
  await settle(shown.page);
  await expect.poll(filled).toBeLessThan(100);
});

test('large counts within bounds do not run into each other on a phone', async () => {
  await shown.page.setViewportSize({ width: 375, height: 800 });
  await look('device=desktop&country=DE');
  const pages = panelOf(shown.page, 'Pages');
  await expect.poll(() => pages.locator('tbody tr').count()).toBeGreaterThan(0);
  const overlaps = await pages.locator('td > [title] > [aria-hidden]').evaluateAll((texts) => {
    for (const text of texts) text.textContent = (text.textContent ?? '').replaceAll(/\d+/g, '1,234');
    const isOutside = (text: Element) => {
      const [own, cell] = [text, text.closest('td') ?? text].map((one) => one.getBoundingClientRect());
      return own && cell && (own.left < cell.left || own.right > cell.right);
    };
    return [texts.length, texts.filter(isOutside).length];
  });
  await shown.page.setViewportSize({ width: 1280, height: 900 });
  expect(overlaps[0]).toBeGreaterThan(0);
  expect(overlaps[1]).toBe(0);
});

test('days of which filters together are not known are said and drawn as not measured', async () => {
  await look('country=DE&device=mobile');
  const said = 'Filters together are not known of 1 day (14 Nov 2026), as groups of visitors were not kept.';
  await shown.page.locator('.coverage').getByText(said).waitFor();
  await settle(shown.page);
  await expect.poll(() => shown.page.getByText(said).count()).toBe(1);
  const row = (await openChartTable(shown.page)).getByRole('row', { name: /14 Nov/ });
  await expect.poll(() => row.locator('td').first().innerText()).toMatch(/^–\s*not measured$/);
});

test.each([
  ['country=DE|AT', 'Country Germany or Austria'],
  ['country=!DE', 'Country not Germany'],
  ['country=!DE|AT', 'Country not Germany or Austria'],
  ['path=*docs*', 'Page contains docs'],
  ['source=!*news*', 'Came from does not contain news'],
  ['path=/docs/**', 'Page /docs/**'],
])('the filter %s is written "%s" and removed by itself', async (filter, words) => {
  await look(`browser=Firefox&${filter}`);
  const chips = shown.page.locator('.filter');
  await expect.poll(async () => (await chips.allInnerTexts()).map((text) => text.trim())).toContain(words);
  await chips.filter({ hasText: words }).getByRole('link', { name: 'Remove' }).click();
  await expect.poll(() => chips.allInnerTexts()).toEqual([expect.stringContaining('Firefox')]);
});

test('a filter is turned into its opposite, and back and forward lead to what was shown before', async () => {
  const words = async () => (await shown.page.locator('.filter').allInnerTexts()).map((text) => text.trim());
  await look('country=DE&device=mobile');
  await shown.page.getByRole('link', { name: 'Exclude instead: Country' }).click();
  await expect.poll(words).toEqual(['Country not Germany', 'Device Phone']);
  const { totals } = await seriesWith('country=!DE&device=mobile');
  await expect.poll(() => shownBy(figure('human'))).toBe(textOf(totals.visitors, 'human'));
  await shown.page.goBack();
  await expect.poll(words).toEqual(['Country Germany', 'Device Phone']);
  await shown.page.goForward();
  await expect.poll(words).toEqual(['Country not Germany', 'Device Phone']);
  await shown.page.getByRole('link', { name: 'Include instead: Country' }).click();
  await expect.poll(words).toEqual(['Country Germany', 'Device Phone']);
});

test('links to files and to other pages have all filters', async () => {
  await look('country=DE&device=!mobile');
  const hasBoth = (address: string | null) => {
    const { searchParams } = new URL(address ?? '', headcount.url);
    return searchParams.get('country') === 'DE' && searchParams.get('device') === '!mobile';
  };
  await panelOf(shown.page, 'Pages').waitFor();
  const files = await shown.page.getByRole('link', { name: /CSV/ }).all();
  const links = [...files, shown.page.getByRole('link', { name: 'AI', exact: true }).first()];
  expect(files.length).toBeGreaterThan(2);
  await expect
    .poll(() => Promise.all(links.map(async (link) => hasBoth(await link.getAttribute('href')))))
    .toEqual(links.map(() => true));
});

test('channels are a tab beside sources, a chip calls them so, and a row limits all numbers', async () => {
  await look('campaigns=channels');
  const panel = panelOf(shown.page, 'Channels');
  await panel.scrollIntoViewIfNeeded();
  await expect
    .poll(async () => (await readRows(panel)).map(([name, people]) => [name, people?.split('\n')[0]]))
    .toEqual([
      ['Search engines', expect.stringMatching(/^\d+/)],
      ['Other sites', expect.stringMatching(/^\d+/)],
    ]);
  await panel.getByRole('link', { name: 'Search engines' }).click();
  await shown.page.locator('.filter').getByText('Channel Search engines').waitFor();
  const { totals } = await seriesWith('channel=search');
  await expect.poll(() => shownBy(figure('human'))).toBe(textOf(totals.visitors, 'human'));
});

test('of a section that is not declared it is said how to declare it, and not that filters were combined', async () => {
  await look('path=/guide/*');
  const said = 'Not measured before the section is declared in the settings (14 Nov 2026).';
  await shown.page.locator('.coverage').getByText(said).waitFor();
  expect(await shown.page.getByText('Filters together').count()).toBe(0);
  await look('path=/guide/*&measure=views');
  const { totals } = await seriesWith('path=/guide/*');
  await expect.poll(() => shownBy(figure('human'))).toBe(textOf(totals.views, 'human'));
});

test('what still holds excluded countries says so beside its numbers, and nothing else does', async () => {
  const note = 'Includes earlier views from excluded countries.';
  const settings = { excludedCountries: ['FR'], excludesPast: true, goals: ['/docs'] };
  const project = await headcount.addProject(settings);
  expect((await project.hit({ u: 'https://example.com/docs' })).status).toBe(202);
  const ofAi = { url: 'https://example.com/docs', ip: '198.51.100.7', userAgent: gptBot };
  expect((await project.hits([ofAi])).status).toBe(202);
  await headcount.context.ingest.drain();
  const page = `/p/${project.projectId}`;
  const noteIn = (title: string) => panelOf(shown.page, title).getByText(note);
  await shown.open(`${page}?range=today`);
  await noteIn('Over time').waitFor();
  for (const title of ['All of AI', 'All to do'])
    await shown.page.locator('.cards > *').filter({ hasText: title }).getByText(note).waitFor();
  await scrollThrough(shown.page);
  expect([await noteIn('Pages').count(), await noteIn('Countries').count()]).toEqual([0, 0]);
  await shown.open(`${page}/conversions?range=today`);
  await noteIn('Goals').waitFor();
  await shown.open('/');
  await noteIn('Projects').waitFor();
});
