import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rules, textsOf } from '../../../dashboard/report/declared/declaration.ts';
import { packPages } from '../../../server/sitefiles/sitemap/sitemap-copy.ts';
import type { WorklistReply } from '../../../shared/reports/faults.ts';
import type { EffectReply } from '../../../shared/reports/insights.ts';
import { startShell } from '../../support/browser.ts';
import { type DashboardClient, openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  findViolations,
  keepPage,
  panelOf,
  readRows,
  scrollThrough,
  settle,
  toNumber,
} from '../../support/dashboard/page.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../../support/dataset/dataset.ts';
import { chromeUserAgent } from '../../support/headcount.ts';
import { userAgentOf } from '../../support/identity/user-agents.ts';

const desktop = { width: 1280, height: 900 };

let headcount: FilledHeadcount;
let browser: Browser;
let client: DashboardClient;
let shown: DashboardPage;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startFilledHeadcount({ dataset: { days: 3 } }), startShell()]);
  client = await openDashboard(headcount);
  const common = { ip: '192.0.2.1', userAgent: userAgentOf('ClaudeBot') };
  const hits = [
    { ...common, url: 'https://teapot.example/gone', status: 404, bytes: 1_200 },
    { ...common, url: 'https://teapot.example/gone', status: 404, bytes: 1_200 },
    { ...common, url: 'https://teapot.example/coffee', status: 418 },
    { ...common, url: 'https://teapot.example/docs/faq', status: 200, bytes: 240_000 },
    { ...common, url: 'https://teapot.example/robots.txt', status: 200, bytes: 90 },
    { ...common, url: 'https://teapot.example/for-claude', status: 200 },
  ];
  const answer = await headcount.hits(hits);
  expect(answer.status).toBe(202);
  const now = headcount.clock.now();
  shown = await keepPage(browser, {
    url: headcount.url,
    client,
    now,
    viewport: desktop,
  });
  // Some days of visits and a browser, beside other work on the machine. The limit tells a hang.
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const everyReport = rules.flatMap((rule) => rule.pages.map((on) => ({ ...rule, on, ...textsOf(rule) })));

test.each(everyReport)(
  'on $on, $title has the rows of the API, or says that there are none',
  async (rule) => {
    const { on, route, query = {}, title, field, head, numbers, empty, isOfNow, isGathered, across } = rule;
    await shown.open(`/p/${headcount.projectId}/${on}?range=30d`);
    const panel = panelOf(shown.page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel.locator('tbody tr, .empty').first().waitFor();
    await settle(shown.page);
    const days = isOfNow ? '' : '&dateFrom=2026-10-22&dateTo=2026-11-21';
    const own = new URLSearchParams(query);
    const reply = await headcount.get<Record<string, Record<string, unknown>[]>>(
      `/v1/analytics/${headcount.projectId}/${route}?limit=${isGathered || across ? 250 : 10}${days}&${own}`,
    );
    const rows = await readRows(panel);
    const found = reply[field] ?? [];
    // Rows with one name are one.
    const names =
      isGathered || across ? [...new Set(found.map((row) => row[head.field]))].slice(0, 10) : found;
    const columns = across ? new Set(found.map((row) => row[across.field])).size : numbers.length;
    expect(rows.length).toBe(names.length);
    if (rows.length === 0) expect(await panel.innerText()).toContain(empty);
    else expect(rows[0]?.length).toBe(1 + columns);
    expect(await panel.getByRole('alert').count()).toBe(0);
  },
);

test.each([
  ['on a desk', desktop],
  ['on a phone', { width: 390, height: 844 }],
])('%s a report that is of today alone says so', async (_, viewport) => {
  const { page, open } = shown;
  await page.setViewportSize(viewport);
  await open(`/p/${headcount.projectId}/fix?freshness.client=ClaudeBot`);
  const freshness = panelOf(page, 'Freshness');
  await freshness.scrollIntoViewIfNeeded();
  await freshness.getByText('as of today').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.setViewportSize(desktop);
});

test('on a phone a long head stands above its numbers', async () => {
  const { page, open } = shown;
  await page.setViewportSize({ width: 390, height: 844 });
  try {
    await open(`/p/${headcount.projectId}/ai?range=30d`);
    const panel = panelOf(page, 'Cost');
    await panel.scrollIntoViewIfNeeded();
    await panel.getByRole('button', { name: 'Cost' }).click();
    await panel.locator('tbody tr').first().waitFor();
    const [head, number] = await Promise.all([
      endOfText(page, 'thead th:nth-child(2)'),
      endOfText(page, 'tbody td'),
    ]);
    expect(Math.abs(head - number)).toBeLessThan(1);
  } finally {
    await page.setViewportSize(desktop);
  }
});

/** Where the last letter ends of a cell of "Cost", in pixels from the left. */
function endOfText(page: Page, cell: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const text = document.createRange();
    text.selectNodeContents(document.querySelector('[data-report=ai-bytes] ${cell}'));
    return text.getBoundingClientRect().right;
  })()`);
}

test('what AI could not read is told with client and answer, and leads to the page', async () => {
  await shown.open(`/p/${headcount.projectId}/ai`);
  const panel = panelOf(shown.page, 'Could not be read');
  await panel.scrollIntoViewIfNeeded();
  await panel.getByRole('searchbox').fill('gone');
  await expect.poll(() => readRows(panel)).toEqual([[expect.stringContaining('/gone'), '2']]);
  await expect.poll(async () => (await readRows(panel))[0]?.[0]).toContain('ClaudeBot · 404, not found');
  await panel.getByRole('searchbox').fill('coffee');
  await expect
    .poll(async () => (await readRows(panel))[0]?.[0])
    .toContain('ClaudeBot · 4xx, refused otherwise');
  expect(await findViolations(shown.page)).toEqual([]);
});

test('a change stands on the chart and in the table, which tells whether it helped', async () => {
  const annotation = { date: '2026-11-19', text: 'A new page on pots', paths: ['/docs/api/pots'] };
  await client.must('POST', `/v1/analytics/${headcount.projectId}/annotations`, annotation);
  const { page, open } = shown;
  await open(`/p/${headcount.projectId}?range=7d`);
  const slider = page.getByRole('slider');
  await slider.press('ArrowLeft');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/19 Nov 2026.*A new page on pots/);
  await page.getByRole('link', { name: 'Fix', exact: true }).click();
  await page.waitForURL('**/fix?range=7d');
  const panel = panelOf(page, 'Changes');
  await panel.scrollIntoViewIfNeeded();
  await panel.getByText('Did it help?').click();
  const { changes } = await headcount.get<{ changes: { id: string }[] }>(
    `/v1/analytics/${headcount.projectId}/changes`,
  );
  const { says, days, measures } = await headcount.get<EffectReply>(
    `/v1/analytics/${headcount.projectId}/changes/${changes[0]?.id}/effect`,
  );
  await panel.getByText(says).waitFor();
  expect(days).toBe(0);
  expect(measures).toEqual([]);
  expect(await findViolations(page)).toEqual([]);
});

test('the effect of a change is told with the views that it rests on', async () => {
  const path = `/v1/analytics/${headcount.projectId}`;
  const annotation = { date: '2026-11-05', text: 'Clearer errors', paths: ['/docs/api/*', '/docs/errors/*'] };
  const { id } = await client.must<{ id: string }>('POST', `${path}/annotations`, annotation);
  const { page, open } = shown;
  await open(`/p/${headcount.projectId}/fix?range=30d`);
  const panel = panelOf(page, 'Changes');
  await panel.scrollIntoViewIfNeeded();
  const row = panel.getByRole('row', { name: 'Clearer errors' });
  await row.getByText('Did it help?').click();
  const { says, measures } = await headcount.get<EffectReply>(`${path}/changes/${id}/effect`);
  expect(measures[0]?.of).toBe('people');
  await row.getByText(says).waitFor();
  const found = (await row.locator('dd').allInnerTexts()).map((text) => text.replaceAll(',', ''));
  expect(found).toEqual(
    measures.map(({ affectedBefore, affectedAfter, otherBefore, otherAfter }) =>
      expect.stringContaining(`${affectedBefore} → ${affectedAfter} others ${otherBefore} → ${otherAfter}:`),
    ),
  );
  expect(await findViolations(page)).toEqual([]);
});

test('a long change is one line, until it is opened', async () => {
  const text = `Every page on ${'teapots, '.repeat(15)}and lids has an example`;
  const annotation = { date: '2026-11-12', text, paths: ['/docs/pots'] };
  await client.must('POST', `/v1/analytics/${headcount.projectId}/annotations`, annotation);
  const { page, open } = shown;
  for (const viewport of [{ width: 375, height: 812 }, desktop]) {
    await page.setViewportSize(viewport);
    await open(`/p/${headcount.projectId}/fix?range=30d`);
    const panel = panelOf(page, 'Changes');
    if (viewport !== desktop) await panel.getByRole('button', { name: 'Changes' }).click();
    await panel.scrollIntoViewIfNeeded();
    const change = panel.getByText(text);
    await change.waitFor();
    const height = async () => (await change.boundingBox())?.height ?? 0;
    expect(await height()).toBeLessThan(50);
    await change.click();
    await expect.poll(height).toBeGreaterThan(75);
    expect(await findViolations(page)).toEqual([]);
  }
});

test('a fault without a repository keeps its prompt where jobs are', async () => {
  const { page, open } = shown;
  await open(`/p/${headcount.projectId}/fix`);
  const panel = panelOf(page, 'What to fix');
  const { faults } = await headcount.get<WorklistReply>(
    `/v1/analytics/${headcount.projectId}/worklist?state=open`,
  );
  const [first] = faults;
  await panel
    .getByRole('button', { name: `Fix ${first?.path}` })
    .first()
    .click();
  await panel.getByText('The project has no repository to work on').waitFor();
  await panel.getByRole('link', { name: 'Open its prompt on the page Jobs' }).click();
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get('prompt')).toBe(first?.prompt);
});

test('reads per visit are told of one operator week by week', async () => {
  const { page, open } = shown;
  await open(`/p/${headcount.projectId}/ai?range=30d`);
  const panel = panelOf(page, 'Reads per visit');
  await scrollThrough(page);
  await panel.getByRole('link', { name: 'OpenAI' }).click();
  await page.waitForURL('**operators.operator=OpenAI');
  await panel.getByRole('columnheader', { name: 'Week from' }).waitFor();
  await settle(page);
  const query = 'dateFrom=2026-10-22&dateTo=2026-11-21&by=week&sort=newest&operator=OpenAI';
  const { operators } = await headcount.get<{ operators: { aiViews: number; visits: number }[] }>(
    `/v1/analytics/${headcount.projectId}/operators?${query}`,
  );
  expect(operators.length).toBeGreaterThan(0);
  const rows = (await readRows(panel)).map(([, ...numbers]) => numbers.slice(0, 2).map(toNumber));
  expect(rows).toEqual(operators.map(({ aiViews, visits }) => [aiViews, visits]));
  const file = await panel.getByRole('link', { name: /CSV/ }).getAttribute('href');
  expect(file).toContain('by=week&sort=newest&operator=OpenAI');
  expect(await findViolations(page)).toEqual([]);
  await panel.getByLabel('Operator').selectOption('All operators');
  await panel.getByRole('columnheader', { name: 'Operator' }).waitFor();
});

test('freshness is told of one AI client, too', async () => {
  const { context, projectId, clock, adminKey, url } = headcount;
  const host = 'teapot.example';
  const settled = await fetch(`${url}/v1/projects/${projectId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ siteHost: host }),
  });
  expect(settled.status).toBe(200);
  const pages = await packPages([{ url: `https://${host}/for-claude`, lastmod: '2026-11-20' }], host);
  await context.store.sites.keepSitemap({ projectId, host, fetchedAt: clock.now(), pages });
  const { page, open } = shown;
  await open(`/p/${projectId}/fix?range=7d`);
  const panel = panelOf(page, 'Freshness');
  await panel.scrollIntoViewIfNeeded();
  const numbers = async () => (await readRows(panel)).map(([, ...rest]) => rest);
  await expect.poll(numbers).toEqual([['0 days', 'today']]);
  await panel.getByLabel('AI client').selectOption('GPTBot');
  await expect.poll(numbers).toEqual([['–', '–']]);
  await panel.getByLabel('AI client').selectOption('ClaudeBot');
  await expect.poll(numbers).toEqual([['0 days', 'today']]);
  expect(new URL(page.url()).searchParams.get('freshness.client')).toBe('ClaudeBot');
  expect(await findViolations(page)).toEqual([]);
});

test('an AI client leads from what it cost to all numbers of it', async () => {
  const { page, open } = shown;
  await open(`/p/${headcount.projectId}/ai?range=30d`);
  const panel = panelOf(page, 'Cost');
  await panel.scrollIntoViewIfNeeded();
  await panel.getByRole('link', { name: 'ClaudeBot' }).click();
  await page.waitForURL('**client=ClaudeBot*');
  await expect.poll(() => page.locator('.filters').innerText()).toContain('ClaudeBot');
});

test('names that a day did not take in are told, with who had brought too many', async () => {
  const project = await headcount.addProject();
  const common = { ip: '192.0.2.7', userAgent: chromeUserAgent };
  for (let first = 0; first < 2_010; first += 670) {
    const batch = Array.from({ length: 670 }, (_, i) => ({
      ...common,
      url: `https://example.com/made-up/${first + i}`,
    }));
    expect((await project.hits(batch)).status).toBe(202);
  }
  await shown.open(`/p/${project.projectId}/measurement`);
  const panel = panelOf(shown.page, 'Limits');
  await panel.scrollIntoViewIfNeeded();
  await panel.locator('tbody tr').first().waitFor();
  await expect
    .poll(() => readRows(panel))
    .toEqual([
      ['Pages too many by one visitor · people', '10'],
      ['Pages with a source too many by one visitor · people', '10'],
    ]);
  expect(await findViolations(shown.page)).toEqual([]);
});
