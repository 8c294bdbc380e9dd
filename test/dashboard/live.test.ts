import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations, panelOf } from '../support/dashboard/page.ts';
import { dashboardVisits } from '../support/dashboard/visit.ts';
import { chromeUserAgent } from '../support/headcount.ts';

const visit = dashboardVisits();

async function hit(path: string, from: string, { referrer = '', userAgent = chromeUserAgent } = {}) {
  const { url, projectId } = visit.headcount;
  const response = await fetch(`${url}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p: projectId, u: `https://example.com${path}`, r: referrer }),
    headers: { 'user-agent': userAgent, 'x-forwarded-for': from },
  });
  expect(response.status).toBe(202);
}

const rowsOf = (page: Page, title: string) => panelOf(page, title).locator('tbody tr').allInnerTexts();
const total = (page: Page) => page.locator('[data-figure=live]').innerText();

test('the page Live shows who is there as they come, and says when the connection is lost', async () => {
  await hit('/first', '198.51.100.1');
  const { page } = await visit.look(visit.base);
  await page.getByRole('link', { name: 'Right now' }).click();
  await page.waitForURL('**/live');
  await expect.poll(() => total(page)).toBe('1');
  await hit('/docs', '198.51.100.2', { referrer: 'https://www.google.com/' });
  await hit('/docs', '198.51.100.3', { userAgent: 'GPTBot/1.2' });
  await expect.poll(() => total(page)).toBe('3');
  await expect.poll(async () => (await rowsOf(page, 'Pages'))[0]).toMatch(/\/docs\s+1\s+1/);
  await expect.poll(async () => (await rowsOf(page, 'Sources')).join(' ')).toContain('google.com');
  await expect.poll(async () => (await rowsOf(page, 'AI clients'))[0]).toMatch(/GPTBot\s+1/);
  const minutes = page.getByRole('img', { name: 'Views of the last 30 minutes: 2 by people, 1 by AI' });
  await expect.poll(() => minutes.count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);

  await visit.headcount.context.liveStreams.close();
  await page.getByText('The connection is lost').waitFor();
});
