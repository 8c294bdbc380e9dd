import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedViewReply } from '../../../shared/reports/saved-views.ts';
import { startShell } from '../../support/browser.ts';
import { createClock, dayMs } from '../../support/clock.ts';
import { type DashboardClient, openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  expectNoSideways,
  findViolations,
  keepPage,
  openPage,
  settle,
} from '../../support/dashboard/page.ts';
import { type Headcount, startHeadcount } from '../../support/headcount.ts';
import { anySalt, openDay, view } from '../../support/views.ts';

const clock = createClock('2026-11-20T12:00:00Z');
const today = Math.floor(clock.now() / dayMs);

let headcount: Headcount;
let client: DashboardClient;
let browser: Browser;
let shown: DashboardPage;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount({ now: clock.now }), startShell()]);
  const { projectId, context } = headcount;
  await openDay(context.store, projectId, today, anySalt());
  const values = [
    { country: 'DE', device: 'mobile', source: 'google.com', path: '/docs' },
    { country: 'DE', device: 'mobile', source: 'chatgpt.com', path: '/docs/start' },
    { country: 'FR', device: 'desktop', source: 'news.example', path: '/' },
  ] as const;
  const views = values.map((one, i) => view({ ...one, projectId, day: today, visitor: BigInt(i + 1) }));
  expect(await context.store.countViews(views, [])).toEqual([]);
  client = await openDashboard(headcount);
  shown = await keepPage(browser, {
    ...{ url: headcount.url, client, now: clock.now(), viewport: { width: 1280, height: 900 } },
  });
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const chips = async ({ page }: DashboardPage) =>
  (await page.locator('.filter').allInnerTexts()).map((text) => text.trim());

test('a filter is added by typing a part of a value, by keys alone', async () => {
  const { page } = shown;
  await shown.open(`/p/${headcount.projectId}?range=7d`);
  await page.keyboard.press('g');
  const field = page.getByRole('combobox', { name: /^Part of a page/ });
  await field.waitFor();
  await page.keyboard.type('ger');
  await page.getByRole('group', { name: 'Country' }).getByRole('option', { name: 'Germany' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => chips(shown)).toEqual(['Country Germany']);

  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByLabel('Whether it is one of these, or none').selectOption('Is not');
  await field.fill('/docs');
  const options = page.locator('.suggestions [role=option]');
  await expect.poll(() => options.allInnerTexts()).toEqual(['/docs', '/docs/start', 'contains “/docs”']);
  const isActive = async () => page.locator('[aria-selected=true]').innerText();
  await field.press('ArrowDown');
  await expect.poll(() => isActive()).toBe('/docs/start');
  await field.press('ArrowUp');
  await field.press('ArrowUp');
  await expect.poll(() => isActive()).toBe('contains “/docs”');
  const named = await field.getAttribute('aria-activedescendant');
  await expect.poll(() => page.locator('[aria-selected=true]').getAttribute('id')).toBe(named);
  await field.press('Enter');
  await expect.poll(() => chips(shown)).toEqual(['Page does not contain /docs', 'Country Germany']);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await field.fill('device');
  await page.getByRole('group', { name: 'Device' }).getByRole('option', { name: 'Phone' }).waitFor();
  await field.fill('!?');
  await page.getByText('Nothing in these days is like this.').waitFor();
  await field.press('Escape');
  await field.waitFor({ state: 'detached' });
  expect(shown.problems).toEqual([]);
});

test('the same in Arabic, from right to left, on a phone', async () => {
  const arabic = await openPage(browser, {
    ...{ url: headcount.url, client, now: clock.now(), locale: 'ar', viewport: { width: 375, height: 740 } },
  });
  const { page } = arabic;
  await arabic.open(`/p/${headcount.projectId}?range=7d`);
  await page.getByRole('button', { name: 'تصفية', exact: true }).click();
  await page.locator('input[role=combobox]').fill('ألمان');
  await page.getByRole('dialog').getByRole('option', { name: 'ألمانيا' }).waitFor();
  expect([await findViolations(page), await page.locator('html').getAttribute('dir')]).toEqual([[], 'rtl']);
  await expectNoSideways(page);
  await page.getByRole('dialog').getByRole('option', { name: 'ألمانيا' }).click();
  await expect.poll(async () => (await chips(arabic))[0]).toContain('ألمانيا');
});

test('what is shown is saved under a name, opened by a click, renamed, shared and removed', async () => {
  const { page } = shown;
  await shown.open(
    `/p/${headcount.projectId}/ai?range=today&country=DE&device=!desktop&compare=2026-10-01..2026-10-05`,
  );
  const open = () => page.getByRole('button', { name: 'Save or share' }).click();
  await open();
  await page.getByText('No view is saved yet.').waitFor();
  const code = page.getByRole('dialog').locator('.code').first();
  const link = async () => /http\S+/.exec(await code.innerText())?.[0] ?? '';
  const ending = /\/share\/\w+\/ai\?range=today&compare=2026-10-01..2026-10-05&country=DE&device=%21desktop$/;
  await page.getByRole('button', { name: 'Share without saving' }).click();
  await page.getByText('sees “What is shown now”').waitFor();
  await page.getByRole('dialog').getByText('Copied').waitFor();
  const unsaved = await link();
  expect(unsaved).toMatch(ending);
  await page.getByText('No view is saved yet.').waitFor();
  await page.getByLabel('Name of the view that is shown').fill('Germans on phones');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Germans on phones' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  const path = `/v1/analytics/${headcount.projectId}/saved-views`;
  const { views } = await client.must<{ views: SavedViewReply[] }>('GET', path);
  expect(views).toMatchObject([
    {
      ...{
        name: 'Germans on phones',
        page: 'ai',
        range: 'today',
        compare: '2026-10-01..2026-10-05',
        measure: 'visitors',
      },
      filter: { country: 'DE', device: '!desktop' },
    },
  ]);
  await page.getByLabel('Name of the view that is shown').fill('Germans on phones');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByText('The project has a view of the name "Germans on phones" already').waitFor();
  await page.getByRole('button', { name: 'Rename the view: Germans on phones' }).click();
  await page.getByLabel('New name of Germans on phones').fill('Mobile, DE');
  await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
  await page.getByRole('button', { name: 'Share the view: Mobile, DE' }).click();
  await page.getByText('sees “Mobile, DE”').waitFor();
  const url = await link();
  expect(url).toMatch(ending);
  expect(url).not.toBe(unsaved);

  const visitor = await openPage(browser, { url: headcount.url, now: clock.now() });
  await visitor.open(new URL(url).pathname + new URL(url).search);
  await expect.poll(() => chips(visitor)).toEqual(['Country Germany', 'Device not Desktop']);
  expect(await visitor.page.getByRole('button', { name: 'Save or share' }).count()).toBe(0);

  await shown.open(`/p/${headcount.projectId}`);
  await open();
  await page.getByRole('dialog').getByRole('link', { name: 'Mobile, DE' }).click();
  await page.getByRole('heading', { level: 1, name: 'AI' }).waitFor();
  await settle(page);
  await expect.poll(() => chips(shown)).toEqual(['Country Germany', 'Device not Desktop']);
  await open();
  await page.getByRole('button', { name: 'Remove the view: Mobile, DE' }).click();
  await page.getByText('No view is saved yet.').waitFor();
});
