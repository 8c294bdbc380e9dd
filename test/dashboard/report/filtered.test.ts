import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { groups, type ReportRule, textsOf } from '../../../dashboard/report/declared/declaration.ts';
import type { SearchKind } from '../../../server/store/searches.ts';
import { filterNames } from '../../../shared/reports/pairs.ts';
import { startShell } from '../../support/browser.ts';
import { dayMs } from '../../support/clock.ts';
import { openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  findViolations,
  keepPage,
  panelOf,
  readRows,
  settle,
} from '../../support/dashboard/page.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../../support/dataset/dataset.ts';
import { chromeUserAgent } from '../../support/headcount.ts';
import { userAgentOf } from '../../support/identity/user-agents.ts';

let headcount: FilledHeadcount;
let browser: Browser;
let shown: DashboardPage;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startFilledHeadcount({ dataset: { days: 3 } }), startShell()]);
  const answer = await headcount.hits([
    { ...{ ip: '192.0.2.1', userAgent: userAgentOf('ClaudeBot') }, ...at('/gone'), status: 404 },
    { ...{ ip: '192.0.2.1', userAgent: userAgentOf('GPTBot') }, ...at('/gone'), status: 404 },
    { ...{ ip: '192.0.2.1', userAgent: userAgentOf('ClaudeBot') }, ...at('/robots.txt'), status: 200 },
  ]);
  expect(answer.status).toBe(202);
  for (const visitor of [1, 2, 3]) {
    const from = { 'User-Agent': chromeUserAgent, 'X-Forwarded-For': `198.51.100.${visitor}` };
    const landing = { u: at('/docs/faq').url, r: 'https://www.google.com/:~:text=Two%20cups' };
    expect((await headcount.hit(landing, from)).status).toBe(202);
  }
  const { searches } = headcount.context.store;
  const today = Math.floor(headcount.clock.now() / dayMs);
  for (const [kind, names] of Object.entries(searched)) {
    const period = { tool: 'search-console', kind: kind as SearchKind, from: today - 2, to: today } as const;
    const row = { clicks: 6, impressions: 29, positions: null, citations: 0, pages: null };
    await searches.setPeriod(
      headcount.projectId,
      period,
      names.map((name) => ({ name, ...row })),
    );
  }
  const [client, now] = [await openDashboard(headcount), headcount.clock.now()];
  shown = await keepPage(browser, {
    url: headcount.url,
    client,
    now,
    viewport: { width: 1280, height: 900 },
  });
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

/** As Search Console names them. */
const searched = { country: ['Germany', 'FR', 'Unknown Region', 'European Union', 'AA'], device: ['mobile'] };
const at = (path: string) => ({ url: `https://teapot.example${path}` });
const rules = Object.values(groups).flatMap(({ reports }): readonly ReportRule[] => reports);

/** Whether the API has sums of a report by a filter. */
async function isAnswered({ route, query }: ReportRule, filter: Record<string, string>): Promise<boolean> {
  const asked = new URLSearchParams({ ...query, ...filter });
  const { status } = await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/${route}?${asked}`, {
    headers: { authorization: `Bearer ${headcount.adminKey}` },
  });
  expect([200, 400]).toContain(status);
  return status === 200;
}

test.each<Record<string, string>>([
  { client: 'ClaudeBot' },
  { path: '/gone' },
  { source: 'google.com' },
  { country: 'DE' },
  { client: 'ClaudeBot', path: '/gone' },
  { source: 'google.com', path: '/docs/faq' },
  { country: 'DE', path: '/docs/faq' },
])(
  'with the filter %j reports are shown that the API answers, and it is said that there are others',
  async (filter) => {
    const answered = await Promise.all(rules.map((rule) => isAnswered(rule, filter)));
    const titles = rules.map((rule) => textsOf(rule).title);
    await shown.open(`/p/${headcount.projectId}?range=7d&${new URLSearchParams(filter)}`);
    await shown.page.getByText(/^\d+ more reports are available without the filter\./).waitFor();
    const isShown = async (title: string) => {
      const named = shown.page.locator('.panels').locator('h2, a').getByText(title, { exact: true });
      return (await named.count()) > 0;
    };
    await expect.poll(() => Promise.all(titles.map(isShown))).toEqual(answered);
  },
);

test.each([
  ['source=google.com&client=ClaudeBot', ['AI client', 'Came from']],
  ['country=DE&device=mobile&source=google.com', ['Came from', 'Country', 'Device']],
  ['path=/docs/faq&country=DE&browser=Chrome', ['Page and Country', 'Browser']],
])('filters that cannot be combined (%s) are said to be so, and which can be kept', async (filter, kept) => {
  const asked = await requestsOf(() => shown.open(`/p/${headcount.projectId}?range=7d&${filter}`));
  const panel = panelOf(shown.page, 'Filters');
  await panel.getByText('These filters cannot be combined.').waitFor();
  expect(await panel.getByRole('link').allInnerTexts()).toEqual(kept);
  expect(await shown.page.locator('.figure, .chart, [data-report]').count()).toBe(0);
  expect(await findViolations(shown.page)).toEqual([]);
  expect(asked.refused).toEqual([]);
  await panel.getByRole('link').first().click();
  await shown.page.locator('.chart').waitFor();
  expect(await shown.page.locator('.filter').count()).toBe((kept[0] ?? '').split(' and ').length);
});

/** Addresses of the API that are asked for meanwhile, and those that it refuses. */
async function requestsOf(act: () => Promise<void>): Promise<{ refused: string[] }> {
  const refused: string[] = [];
  const note = (response: { status(): number; url(): string }) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  };
  shown.page.on('response', note);
  await act();
  await shown.page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await settle(shown.page);
  shown.page.off('response', note);
  return { refused };
}

test.each([
  ...filterNames.map((name) => `${name}=x`),
  ...['entry', 'exit', 'time'].flatMap((kind) => [
    `pages=${kind}&path=/docs/faq`,
    `pages=${kind}&client=GPTBot`,
  ]),
  ...[
    'place=cities&country=DE',
    'tech=screens&device=mobile',
    'campaigns=refs&utmCampaign=x',
    'goal=x&client=GPTBot',
  ],
])('nothing that the page asks for with %s is refused', async (query) => {
  const asked = await requestsOf(() => shown.open(`/p/${headcount.projectId}?range=7d&${query}`));
  expect(asked.refused).toEqual([]);
});

test('a row that is clicked stays where it is in the window, and the filter is in sight', async () => {
  await shown.open(`/p/${headcount.projectId}?range=7d`);
  const row = panelOf(shown.page, 'Countries').locator('tbody').getByRole('link').first();
  await row.scrollIntoViewIfNeeded();
  const topOf = async () => Math.round((await row.boundingBox())?.y ?? Number.NaN);
  const before = await topOf();
  await row.click();
  await shown.page.locator('.filter').waitFor();
  await settle(shown.page);
  expect(Math.abs((await topOf()) - before)).toBeLessThanOrEqual(2);
  const chip = await shown.page.locator('.filter').boundingBox();
  expect(chip?.y).toBeGreaterThanOrEqual(0);
});

test('a report that a filter leaves shown is of what is filtered by alone', async () => {
  await shown.open(`/p/${headcount.projectId}?range=7d&trouble=ai-failures&client=GPTBot&path=%2Fgone`);
  const panel = panelOf(shown.page, 'Could not be read');
  await panel.scrollIntoViewIfNeeded();
  await expect.poll(() => readRows(panel)).toEqual([[expect.stringMatching(/^\/gone\s+GPTBot · 404/), '1']]);
});

test('where a filter leaves no row, it is not said that there is none at all', async () => {
  await shown.open(`/p/${headcount.projectId}?range=7d&ai=ai-surfaces&path=%2Fgone`);
  for (const title of ['Files for machines', 'From assistants', 'AI clients']) {
    const panel = panelOf(shown.page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel.getByText('Nothing in this period matches the filter.').waitFor();
  }
});

test('today with a filter, of which no hours are kept, is not said to have no days before it', async () => {
  await shown.open(`/p/${headcount.projectId}?range=today&path=%2F`);
  const all = shown.page.getByRole('region', { name: 'All visitors' });
  await all.getByText('Nothing to compare with').waitFor();
});

test('freshness with a filter is of the filtered client, which cannot be chosen twice', async () => {
  await shown.open(
    `/p/${headcount.projectId}?range=7d&work=freshness&client=GPTBot&freshness.client=ClaudeBot`,
  );
  const panel = panelOf(shown.page, 'Freshness');
  await panel.scrollIntoViewIfNeeded();
  await settle(shown.page);
  expect(await panel.getByLabel('AI client').count()).toBe(0);
  expect(await panel.getByRole('link', { name: /CSV/ }).getAttribute('href')).toContain('client=GPTBot');
});

test.each([
  ['ai', 'ai-forms', 'Forms', 'ClaudeBot', 'client', 'ClaudeBot'],
  ['ai', 'ai-surfaces', 'Files for machines', 'GPTBot', 'client', 'GPTBot'],
  ['trouble', 'ai-failures', 'Could not be read', 'GPTBot', 'client', 'GPTBot'],
  ['landings', 'assistant-landings', 'From assistants', 'ChatGPT', 'source', 'ChatGPT'],
  ['landings', 'quoted', 'Quoted passages', '/docs/faq', 'path', '/docs/faq'],
  ['landings', 'quoted', 'Quoted passages', 'google.com', 'source', 'google.com'],
  ['searches', 'search-country', 'Searched from', 'Germany', 'country', 'DE'],
  ['searches', 'search-country', 'Searched from', 'France', 'country', 'FR'],
  ['searches', 'search-device', 'Searched on', 'Phone', 'device', 'mobile'],
])('in %s a row of %s leads to all numbers of %s', async (group, report, title, name, by, value) => {
  await shown.open(`/p/${headcount.projectId}?range=7d&${group}=${report}`);
  const panel = panelOf(shown.page, title);
  await panel.scrollIntoViewIfNeeded();
  const link = panel.locator('tbody').getByRole('link', { name }).first();
  await link.waitFor();
  expect(await findViolations(shown.page)).toEqual([]);
  await link.click();
  await expect.poll(() => new URL(shown.page.url()).searchParams.get(by)).toBe(value);
  await shown.page.locator('.filters').getByText(name).waitFor();
});

test.each(['Unknown Region', 'European Union', 'AA'])(
  '%s of searches is no country and leads nowhere',
  async (name) => {
    await shown.open(`/p/${headcount.projectId}?range=7d&searches=search-country`);
    const panel = panelOf(shown.page, 'Searched from');
    await panel.scrollIntoViewIfNeeded();
    const row = panel.locator('tbody th', { hasText: name });
    await row.waitFor();
    expect(await row.getByRole('link').count()).toBe(0);
  },
);
