import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ReportRule, rules, textsOf } from '../../../dashboard/report/declared/declaration.ts';
import { turned } from '../../../dashboard/report/filter.ts';
import type { SearchKind } from '../../../server/store/searches.ts';
import { type FilterName, filterNames } from '../../../shared/reports/pairs.ts';
import { startShell } from '../../support/browser.ts';
import { dayMs } from '../../support/clock.ts';
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
    const isShown = async (title: string) =>
      (await shown.page.locator('.panels h2').getByText(title, { exact: true }).count()) > 0;
    for (const on of ['ai', 'search', 'fix', 'measurement'] as const) {
      const here = rules.filter(({ pages }) => pages.includes(on));
      await shown.open(`/p/${headcount.projectId}/${on}?range=7d&${new URLSearchParams(filter)}`);
      await shown.page.getByText(/^\d+ more reports? (is|are) available without the filter\./).waitFor();
      await expect
        .poll(() => Promise.all(here.map((rule) => isShown(textsOf(rule).title))))
        .toEqual(here.map((rule) => answered[rules.indexOf(rule)]));
    }
  },
);

test.each(['city=Bern&country=CH', 'city=!Bern'])(
  'filters of which there are no numbers together (%s) are said to be so, and nothing is asked for',
  async (filter) => {
    const asked = await requestsOf(() => shown.open(`/p/${headcount.projectId}?range=7d&${filter}`));
    await shown.page.getByText('There are no numbers for these filters together.').waitFor();
    expect(await shown.page.locator('.figure, .chart, [data-report]').count()).toBe(0);
    expect(await findViolations(shown.page)).toEqual([]);
    expect(asked.refused).toEqual([]);
  },
);

test('a value that is added takes the place of filters that it does not go with, and of no other', () => {
  const changes = (query: string, by: FilterName, value: string) =>
    turned(new URLSearchParams(query), by, value);
  expect(changes('country=CH&path=/docs', 'city', 'Bern, CH')).toEqual({
    ...{ country: null, path: null, page: null, city: 'Bern, CH' },
  });
  expect(changes('country=CH&path=/docs', 'browser', 'Chrome')).toEqual({ page: null, browser: 'Chrome' });
  expect(changes('city=Bern', 'source', 'google.com')).toEqual({
    ...{ city: null, page: null, source: 'google.com' },
  });
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
  ...filterNames.map((name) => `${name}=${name === 'channel' ? 'search' : 'x'}`),
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
  ...[
    'source=google.com&client=ClaudeBot',
    'country=DE&device=mobile&source=google.com',
    'path=/docs/faq&country=DE&browser=Chrome',
    'client=GPTBot&country=DE&path=/docs/faq',
    'client=!GPTBot&path=*docs*',
    'client=GPTBot|ClaudeBot&compare=before',
    'path=/docs/**&pages=entry',
    'path=/docs/**&source=!google.com&measure=views&sort=ai',
  ],
])('nothing that the page asks for with %s is refused', async (query) => {
  const asked = await requestsOf(() => shown.open(`/p/${headcount.projectId}?range=7d&${query}`));
  expect(asked.refused).toEqual([]);
});

/** Values of filters, and the ways of writing them that the address of a page may have. */
const written = {
  ...{ path: ['/docs/faq', '!/', '/docs/**', '*docs*'], client: ['GPTBot', '!GPTBot', 'GPTBot|ClaudeBot'] },
  ...{ source: ['google.com', '!google.com', '*google*'], channel: ['search', '!search', 'search|direct'] },
  ...{ country: ['DE', '!DE|AT'], device: ['mobile', '!mobile'], browser: ['Chrome'], utmCampaign: ['!x'] },
  ...{ city: ['Bern'] },
} satisfies Partial<Record<FilterName, readonly string[]>>;

const ends = ['', '/ai', '/search', '/conversions', '/fix', '/measurement'];

test.each(ends)(
  'nothing that the page %j asks for is refused, whatever filters are together',
  async (page) => {
    const names = Object.keys(written) as (keyof typeof written)[];
    const pairs = names.flatMap((one, i) => names.slice(i + 1).map((other) => [one, other]));
    const refused: string[] = [];
    for (const [index, two] of pairs.entries()) {
      // Each pair on two of the pages, every other one with a third, in one of the ways of writing each.
      if (index % 3 !== ends.indexOf(page) % 3) continue;
      const third = names[(index * 5) % names.length];
      const filter = Object.fromEntries(
        (index % 2 === 0 || third === undefined ? two : [...two, third]).map((name, i) => {
          const ways = written[name as keyof typeof written];
          return [name, ways[(index + i) % ways.length] ?? ''];
        }),
      );
      const query = new URLSearchParams({ range: '7d', ...filter });
      const asked = await requestsOf(() => shown.open(`/p/${headcount.projectId}${page}?${query}`));
      refused.push(...asked.refused);
    }
    expect(refused).toEqual([]);
  },
);

test('a row that is clicked stays where it is in the window, and the filter is in sight', async () => {
  await shown.open(`/p/${headcount.projectId}?range=7d`);
  await scrollThrough(shown.page);
  const row = panelOf(shown.page, 'Countries').locator('tbody').getByRole('link').first();
  await row.scrollIntoViewIfNeeded();
  const topOf = async () => Math.round((await row.boundingBox())?.y ?? Number.NaN);
  const before = await topOf();
  await row.click();
  await shown.page.locator('.filter').waitFor();
  await settle(shown.page);
  await expect.poll(async () => Math.abs((await topOf()) - before)).toBeLessThanOrEqual(2);
  const chip = shown.page.locator('.filter');
  await expect.poll(async () => (await chip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
});

test('a report that a filter leaves shown is of what is filtered by alone', async () => {
  await shown.open(`/p/${headcount.projectId}/ai?range=7d&client=GPTBot&path=%2Fgone`);
  const panel = panelOf(shown.page, 'Could not be read');
  await panel.scrollIntoViewIfNeeded();
  await expect.poll(() => readRows(panel)).toEqual([[expect.stringMatching(/^\/gone\s+GPTBot · 404/), '1']]);
});

test('where a filter leaves no row, it is not said that there is none at all', async () => {
  await shown.open(`/p/${headcount.projectId}/ai?range=7d&path=%2Fgone`);
  for (const title of ['From assistants', 'AI clients']) {
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

test('of an AI client there are no tables of people, which it never has', async () => {
  await shown.open(`/p/${headcount.projectId}?range=7d&client=GPTBot`);
  await panelOf(shown.page, 'Pages it visited').waitFor();
  await settle(shown.page);
  for (const title of ['Sources', 'Countries', 'Devices'])
    expect(await panelOf(shown.page, title).count()).toBe(0);
});

test('freshness with a filter is of the filtered client, which cannot be chosen twice', async () => {
  await shown.open(`/p/${headcount.projectId}/fix?range=7d&client=GPTBot&freshness.client=ClaudeBot`);
  const panel = panelOf(shown.page, 'Freshness');
  await panel.scrollIntoViewIfNeeded();
  await settle(shown.page);
  expect(await panel.getByLabel('AI client').count()).toBe(0);
  await expect
    .poll(() => panel.getByRole('link', { name: /CSV/ }).getAttribute('href'))
    .toContain('client=GPTBot');
});

test.each([
  ['ai', 'HTML or Markdown', 'ClaudeBot', 'client', 'ClaudeBot'],
  ['ai', 'llms.txt, robots.txt and similar', 'GPTBot', 'client', 'GPTBot'],
  ['ai', 'Could not be read', 'GPTBot', 'client', 'GPTBot'],
  ['fix', 'Could not be read', 'GPTBot', 'client', 'GPTBot'],
  ['ai', 'From assistants', 'ChatGPT', 'source', 'ChatGPT'],
  ['ai', 'Quoted passages', '/docs/faq', 'path', '/docs/faq'],
  ['ai', 'Quoted passages', 'google.com', 'source', 'google.com'],
  ['search', 'Countries', 'Germany', 'country', 'DE'],
  ['search', 'Countries', 'France', 'country', 'FR'],
  ['search', 'Devices', 'Phone', 'device', 'mobile'],
])('on %s a row of %s leads to all numbers of %s', async (on, title, name, by, value) => {
  await shown.open(`/p/${headcount.projectId}/${on}?range=7d`);
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
    await shown.open(`/p/${headcount.projectId}/search?range=7d`);
    const panel = panelOf(shown.page, 'Countries');
    await panel.scrollIntoViewIfNeeded();
    const row = panel.locator('tbody th', { hasText: name });
    await row.waitFor();
    expect(await row.getByRole('link').count()).toBe(0);
  },
);
