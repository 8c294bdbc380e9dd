import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startShell } from '../../support/browser.ts';
import { openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  expectNoSideways,
  findViolations,
  keepPage,
  settle,
} from '../../support/dashboard/page.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../../support/dataset/dataset.ts';

let headcount: FilledHeadcount;
let browser: Browser;
let shown: DashboardPage;
const rejected: string[] = [];

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startFilledHeadcount({ dataset: { days: 3 } }), startShell()]);
  shown = await keepPage(browser, {
    ...{ url: headcount.url, client: await openDashboard(headcount), now: headcount.clock.now() },
    viewport: { width: 1280, height: 900 },
  });
  shown.page.on('response', (response) => {
    if (response.status() >= 400) rejected.push(`${response.status()} ${response.url().slice(0, 200)}`);
  });
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const long = 'x'.repeat(5_000);

/** Each is typed into the address of every page. */
const typed = {
  'values that are none': `country=!&source=%7C&browser=!a%7C!b*&channel=foo&path=docs/**&range=foo&sort=toString&${long}`,
  'broken escapes': `path=%E0%A4%A&country=%FF&source=%00&device=%E2%80%AE&sources.search=%E0%A4%A&goal=%00&event=%FF`,
  'what does not exist':
    'country=zz9&device=!toaster&client=nobody&channel=!paid&unknown=1&by=x&goal=x&compare=x',
  'wildcards, and values that are far too long': `source=a*b&path=/((((((((a*&country=${long}&search=${long}&sources.search=${long}`,
  'days and pages beyond all':
    'range=0001-01-01..9999-12-31&page=1e30&sources.page=1e99&compare=year&visitors.page=-1',
  'days and options that are none': `range=2026-02-30..2026-03-01&compare=0000-00-00&place=x&worklist.kind=x&worklist.state=toString&status=x&city=Bern&country=CH`,
} as const;

const ends = ['', '/ai', '/search', '/conversions', '/fix', '/measurement', '/live', '/jobs', '/rules'];

test.each(ends)(
  'whatever is typed into the address, nothing that the page %j asks for is refused',
  async (end) => {
    for (const [what, query] of Object.entries(typed)) {
      rejected.length = 0;
      await shown.open(`/p/${headcount.projectId}${end}?${query}`);
      await shown.page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await settle(shown.page);
      expect([what, rejected]).toEqual([what, []]);
    }
    await expectNoSideways(shown.page);
  },
);

test('filters that cannot be read are named, and the numbers are those of the others', async () => {
  await shown.open(`/p/${headcount.projectId}?country=!&source=a*b&channel=foo&device=desktop`);
  const note = shown.page.getByText('Left out, as it cannot be read: Came from, Country, and Channel.');
  await note.waitFor();
  await expect
    .poll(async () => (await shown.page.locator('.filter').allInnerTexts()).map((text) => text.trim()))
    .toEqual(['Device Desktop']);
  expect(await findViolations(shown.page)).toEqual([]);
  await shown.page.getByRole('link', { name: 'Remove all', exact: true }).first().click();
  await note.waitFor({ state: 'detached' });
  expect(shown.page.url()).toMatch(/\?device=desktop$/);
});
