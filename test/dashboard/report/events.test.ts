import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startShell } from '../../support/browser.ts';
import { type DashboardClient, openDashboard } from '../../support/dashboard/dashboard.ts';
import { lookAtPanel, looks, openPage, readRows } from '../../support/dashboard/page.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../../support/headcount.ts';

let headcount: Headcount;
let browser: Browser;
let client: DashboardClient;

const told = (person: number, name?: string, properties?: object) => ({
  url: 'https://example.com/',
  ip: `198.51.100.${person}`,
  userAgent: chromeUserAgent,
  ...(name && { event: { name, ...(properties && { properties }) } }),
});

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount(), startShell()]);
  client = await openDashboard(headcount);
  const answer = await headcount.hits([
    ...[1, 2, 3, 4].map((person) => told(person)),
    told(1, 'Sign up', { plan: 'team' }),
    told(1, 'Sign up', { plan: 'team' }),
    told(2, 'Sign up', { plan: '<b>single</b>' }),
    told(1, 'Download'),
  ]);
  expect(await answer.json()).toEqual({ accepted: 8, dropped: [] });
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

test.each(looks)('events have their rates, and each leads to its properties, %s', async (_, options) => {
  const shown = await openPage(browser, { url: headcount.url, client, ...options });
  const { page } = shown;
  const lookAt = (title: string) => lookAtPanel(page, title);
  await shown.open(`/p/${headcount.projectId}/conversions`);
  const events = await lookAt('Events');
  await expect
    .poll(() => readRows(events))
    .toEqual([
      ['Sign up', '2', '0', '3', '50%\n50% of all people'],
      ['Download', '1', '0', '1', '25%\n25% of all people'],
    ]);
  await events.getByRole('link', { name: 'Sign up' }).click();
  await page.waitForURL('**event=Sign*');
  const ofTheEvent = '50%\n50% of people with this event';
  const properties = await lookAt('Event: Sign up');
  await expect
    .poll(() => readRows(properties))
    .toEqual([
      [expect.stringMatching(/^<b>single<\/b>\s+plan$/), '1', '0', '1', ofTheEvent],
      [expect.stringMatching(/^team\s+plan$/), '1', '0', '2', ofTheEvent],
    ]);
  await properties.getByRole('link', { name: 'All events' }).click();
  await lookAt('Events');
  expect(shown.problems).toEqual([]);
});
