import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from '../support/browser.ts';
import { createClock, dayMs } from '../support/clock.ts';
import { openDashboard } from '../support/dashboard/dashboard.ts';
import { type DashboardPage, keepPage, panelOf } from '../support/dashboard/page.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { userAgentOf } from '../support/userAgents.ts';

const clock = createClock('2026-11-12T10:00:00Z');
let headcount: Headcount;
let browser: Browser;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount({ now: clock.now }), startBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const visitByScript = () => headcount.hit({ u: 'https://docs.example/' });

async function look(query: string): Promise<DashboardPage> {
  const client = await openDashboard(headcount);
  const shown = await keepPage(browser, {
    ...{ url: headcount.url, client, now: clock.now() },
    viewport: { width: 1280, height: 900 },
  });
  await shown.open(`/p/${headcount.projectId}?range=7d${query}`);
  return shown;
}

test('where the script alone told, no table says that AI did nothing', async () => {
  await visitByScript();
  const { page } = await look('&trouble=ai-failures');
  for (const title of ['AI clients', 'Could not be read', 'Gaps', 'Reads per visit']) {
    const panel = panelOf(page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel.getByText('Not measured: your script sees no AI that runs none.').waitFor();
  }
});

test('a server that joins is named with its first day, and AI is not compared with days before it', async () => {
  clock.advance(8 * dayMs);
  await visitByScript();
  clock.advance(dayMs);
  await visitByScript();
  const common = { url: 'https://docs.example/', at: new Date(clock.now()).toISOString() };
  await headcount.hits([{ ...common, ip: '192.0.2.1', userAgent: userAgentOf('ClaudeBot') }]);
  const { page } = await look('');
  await page.getByText('Counted from the script and your server (since 21 Nov 2026).').waitFor();
  await expect
    .poll(() => page.getByRole('region', { name: 'People' }).innerText())
    .toContain('100% more than the 1 in the 7 days before');
  for (const name of ['AI visitors', 'All visitors']) {
    expect(await page.getByRole('region', { name }).innerText()).not.toContain('days before');
  }
});
