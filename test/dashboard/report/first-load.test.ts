import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations, looks, openPage } from '../../support/dashboard/page.ts';
import { reportVisits } from '../../support/dashboard/report.ts';
import { createLatch } from '../../support/latch.ts';

const visit = reportVisits();

test.each([
  { width: 1280, height: 900 },
  { width: 1920, height: 1080 },
  { width: 390, height: 844 },
])('a first visit takes at most 75 KB in 12 requests, with all answers of the API: %o', async (viewport) => {
  const { headcount, client, base, browser } = visit;
  const options = { url: headcount.url, client, now: headcount.clock.now(), viewport };
  const { page, open } = await openPage(browser, options);
  const requests: Request[] = [];
  page.on('request', (request) => requests.push(request));
  await open(base);
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  const asked = requests.map((request) => request.url().replace(headcount.url, ''));
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(12);
  const bytes = sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0);
  expect(bytes).toBeLessThanOrEqual(75_000);
  expect(new Set(asked).size).toBe(asked.length);
});

/** Where the name of this country begins, and the picture before it. */
const drawnFor = (page: Page, code: string) =>
  page.evaluate<{ left: number; picture: string }>(`(() => {
    const name = document.querySelector('[data-flag=${code}]');
    const range = document.createRange();
    range.selectNodeContents(name);
    const { left } = range.getBoundingClientRect();
    return { left, picture: getComputedStyle(name, '::before').backgroundImage };
  })()`);

test.each(looks)('flags come when countries are seen, and move nothing: %s', async (_look, options) => {
  const { headcount, client, base, browser } = visit;
  const signedIn = { url: headcount.url, client, now: headcount.clock.now(), ...options };
  const { page, open, problems } = await openPage(browser, signedIn);
  const flags = createLatch();
  const asked: string[] = [];
  await page.route('**/assets/flags-*', async (route) => {
    asked.push(route.request().url());
    await flags.opened;
    await route.continue();
  });
  await open(base);
  expect(asked).toEqual([]);

  const panel = page.locator('[data-report=countries]');
  await panel.scrollIntoViewIfNeeded();
  const fold = panel.getByRole('button', { expanded: false });
  if (await fold.isVisible()) await fold.click();
  await panel.locator('[data-flag=DE]').waitFor();
  const before = await drawnFor(page, 'DE');
  flags.open();
  const after = { left: before.left, picture: flagOf('de') };
  await expect.poll(() => drawnFor(page, 'DE')).toEqual(after);
  expect(before.picture).toBe('none');
  expect(asked).toHaveLength(1);
  expect([await findViolations(page), problems]).toEqual([[], []]);
});

/** As the style names it: in itself, so that it is asked for nowhere. */
const flagOf = (code: string) => {
  const svg = readFileSync(`node_modules/circle-flags/flags/${code}.svg`, 'utf8');
  return `url("data:image/svg+xml,${svg.replaceAll('"', "'").replaceAll('#', '%23')}")`;
};
