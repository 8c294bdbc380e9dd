import { readFileSync } from 'node:fs';
import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
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

/** Where a name behind its picture begins, and the picture itself. */
const drawnAt = (page: Page, selector: string) =>
  page.evaluate<{ left: number; picture: string }>(`(() => {
    const name = document.querySelector('${selector}');
    const range = document.createRange();
    range.selectNodeContents(name);
    const { left } = range.getBoundingClientRect();
    const { backgroundImage, maskImage } = getComputedStyle(name, '::before');
    return { left, picture: maskImage === 'none' ? backgroundImage : maskImage };
  })()`);

/** As a style names it: in itself, so that it is asked for nowhere. */
const written = (svg: string) =>
  `url("data:image/svg+xml,${svg.replaceAll('"', "'").replaceAll('#', '%23')}")`;

const germany = readFileSync('node_modules/circle-flags/flags/de.svg', 'utf8');
const { icons } = JSON.parse(readFileSync('node_modules/@iconify-json/simple-icons/icons.json', 'utf8'));
const chrome = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${icons.googlechrome.body}</svg>`;

describe.each(looks)('pictures %s', (_look, options) => {
  test.each([
    ['flags', 'countries', '[data-flag=DE]', germany],
    ['icons', 'devices', '[data-icon=Chrome]', chrome],
  ])('come when they are seen, and move nothing: %s of %s', async (file, report, selector, picture) => {
    const { headcount, client, base, browser } = visit;
    const signedIn = { url: headcount.url, client, now: headcount.clock.now(), ...options };
    const { page, open, problems } = await openPage(browser, signedIn);
    const latch = createLatch();
    const asked: string[] = [];
    await page.route(`**/assets/${file}-*`, async (route) => {
      asked.push(route.request().url());
      await latch.opened;
      await route.continue();
    });
    await open(base);
    expect(asked).toEqual([]);

    const panel = page.locator(`[data-report=${report}]`);
    await panel.scrollIntoViewIfNeeded();
    const fold = panel.getByRole('button', { expanded: false });
    if (await fold.isVisible()) await fold.click();
    if (report === 'devices') await panel.getByRole('link', { name: 'Browsers' }).click();
    await page.locator(selector).waitFor();
    const before = await drawnAt(page, selector);
    latch.open();
    const after = { left: before.left, picture: written(picture) };
    await expect.poll(() => drawnAt(page, selector)).toEqual(after);
    expect(before.picture).toBe('none');
    expect(asked).toHaveLength(1);
    expect([await findViolations(page), problems]).toEqual([[], []]);
  });
});
