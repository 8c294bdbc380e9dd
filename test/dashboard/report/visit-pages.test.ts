import { expect, test } from 'vitest';
import { formatShare } from '../../../dashboard/formats/number.ts';
import type { VisitPagesReply } from '../../../shared/reports/analytics.ts';
import {
  expectNoSideways,
  findViolations,
  openPage,
  panelOf,
  readRows,
  settle,
} from '../../support/dashboard/page.ts';
import { reportVisits } from '../../support/dashboard/report.ts';
import { siteHost } from '../../support/dataset/site.ts';

const visit = reportVisits();
const days = 'dateFrom=2026-10-22&dateTo=2026-11-21';

const rowsOf = async (report: string) => {
  const { pages } = await visit.headcount.get<VisitPagesReply>(`${visit.api}/${report}?limit=10&${days}`);
  return pages.map(({ path, human, ai, total, singlePageHuman }) => [
    path,
    ...[human, ai, total].map((count) => count.toLocaleString('en')),
    ofVisits(formatShare(singlePageHuman, human)),
  ]);
};

const ofVisits = (share: string) => (share === '–' ? share : `${share}\n${share} of these visits`);

test('pages are shown by where visits began and ended, with the share of single-page visits', async () => {
  const { page } = await visit.look('?range=30d');
  for (const [tab, title, report] of [
    ['Entry', 'Entry pages', 'entry-pages'],
    ['Exit', 'Exit pages', 'exit-pages'],
  ] as const) {
    await page.getByRole('navigation', { name: 'Which pages' }).getByRole('link', { name: tab }).click();
    await panelOf(page, title).locator('tbody tr').first().waitFor();
    await settle(page);
    const rows = await rowsOf(report);
    expect(rows.length).toBe(10);
    await expect.poll(() => readRows(panelOf(page, title))).toEqual(rows);
    const file = panelOf(page, title).getByRole('link', { name: 'CSV' });
    await expect.poll(() => file.getAttribute('href')).toContain(`/${report}?${days}&format=csv`);
  }
  await page
    .getByRole('navigation', { name: 'Which pages' })
    .getByRole('link', { name: 'Pages', exact: true })
    .click();
  await panelOf(page, 'Pages').locator('tbody tr').first().waitFor();
});

test('pages are shown with how long they were seen, or that nothing tells of it', async () => {
  const { page } = await visit.look('?range=30d&pages=time');
  await panelOf(page, 'Time on page').getByText('There is no data for this period.').waitFor();
  for (const t of [10, 30, 60]) {
    const answer = await visit.headcount.hit({ u: `https://${siteHost}/docs/install`, t });
    expect(answer.status).toBe(202);
  }
  const shown = await visit.look('?range=30d&pages=time');
  const panel = panelOf(shown.page, 'Time on page');
  await expect.poll(() => readRows(panel)).toEqual([[expect.stringMatching(/install/), '1', '1', '1', '0']]);
  expect(await findViolations(shown.page)).toEqual([]);
});

test.each(['light', 'dark'] as const)(
  'entry pages have nothing that axe-core objects to, %s and on a phone',
  async (scheme) => {
    const { url, clock } = visit.headcount;
    const options = { url, client: visit.client, now: clock.now(), viewport: { width: 375, height: 812 } };
    const shown = await openPage(visit.browser, options);
    await shown.page.emulateMedia({ colorScheme: scheme });
    await shown.open(`${visit.base}?range=30d&pages=entry`);
    await panelOf(shown.page, 'Entry pages').locator('tbody tr').first().waitFor();
    await settle(shown.page);
    expect(await findViolations(shown.page)).toEqual([]);
    await expectNoSideways(shown.page);
    await shown.page.setViewportSize({ width: 1280, height: 900 });
    await settle(shown.page);
    expect(await findViolations(shown.page)).toEqual([]);
  },
);
