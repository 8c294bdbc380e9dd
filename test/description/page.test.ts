import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../server/operations.ts';
import { startShell } from '../support/browser.ts';
import { expectNoSideways, findViolations } from '../support/dashboard/page.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';

let headcount: Headcount;
let browser: Browser;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount(), startShell()]);
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

interface Look {
  width: number;
  scheme: 'light' | 'dark';
}

/** The page, its requests and its console messages while it was opened. */
async function open({ width, scheme }: Look): Promise<{ page: Page; asked: string[]; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  const asked: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => problems.push(message.text()));
  await page.goto(`${headcount.url}/docs`, { waitUntil: 'networkidle' });
  return { page, asked, problems };
}

test('is a page without scripts, under the policy of all pages, that loads nothing from elsewhere', async () => {
  const response = await fetch(`${headcount.url}/docs`);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await response.text()).not.toMatch(/<script|style=|\son\w+=/);
  const { asked, problems } = await open({ width: 1280, scheme: 'light' });
  expect(asked).toEqual([`${headcount.url}/docs`, `${headcount.url}/docs.css`]);
  expect(problems).toEqual([]);
});

test('tells of every public operation, and leads to each', async () => {
  const html = await (await fetch(`${headcount.url}/docs`)).text();
  const told = [...html.matchAll(/<article id="([^"]+)"/g)].map(([, id]) => id);
  const shown = operations.filter(({ path }) => !path.startsWith('/v1/admin/')).map(({ name }) => name);
  expect(told.sort()).toEqual(shown.sort());
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
  expect(targets.filter((target) => !ids.has(target))).toEqual([]);
});

test('tells once what any request may be answered', async () => {
  const html = await (await fetch(`${headcount.url}/docs`)).text();
  for (const status of ['4XX', '5XX']) expect(html.split(`<dt>${status}</dt>`).length, status).toBe(2);
  expect(html.split('The request took too long to arrive.').length).toBe(2);
});

describe.each<Look>([
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
])('in $scheme at $width pixels', (look) => {
  test('has nothing that axe-core objects to, and does not scroll sideways', async () => {
    const { page } = await open(look);
    expect(await findViolations(page)).toEqual([]);
    await expectNoSideways(page);
  });
});
