import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { openPage } from '../../support/dashboard/page.ts';
import { reportVisits } from '../../support/dashboard/report.ts';

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
