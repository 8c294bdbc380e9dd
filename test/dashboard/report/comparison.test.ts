import { expect, test } from 'vitest';
import type { SeriesReply } from '../../../shared/reports/analytics.ts';
import { findViolations, settle } from '../../support/dashboard/page.ts';
import { openChartTable, reportVisits } from '../../support/dashboard/report.ts';

const visit = reportVisits();

const series = (from: string, to: string) =>
  visit.headcount.get<SeriesReply>(`${visit.api}/series?dateFrom=${from}&dateTo=${to}`);

test.each([
  ['before', '2026-11-07', '2026-11-14'],
  ['year', '2025-11-15', '2025-11-22'],
])(
  'the days of the chart are laid beside others (%s), as a line, in words and as a table',
  async (compare, from, to) => {
    const { page } = await visit.look('?range=7d');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption(compare);
    await page.waitForURL(`**compare=${compare}`);
    await settle(page);
    const { days, measured } = await series(from, to);
    const words = ({ visitors: { human, ai } }: SeriesReply['days'][number]) =>
      `Before: ${human} ${human === 1 ? 'person' : 'people'}, ${ai} AI`;
    const isCounted = measured.ways.length > 0;
    const slider = page.getByRole('slider');
    const told = () => slider.getAttribute('aria-valuetext').then((text) => text?.replaceAll(',', ''));
    const said = words(days.at(-1) as SeriesReply['days'][number]).replaceAll(',', '');
    if (isCounted) await expect.poll(told).toContain(said);
    else expect(await told()).not.toContain('Before');
    const last = await (await openChartTable(page)).locator('tbody tr').last().locator('td').allInnerTexts();
    const first = days[0]?.visitors;
    const before = isCounted
      ? [first?.human, first?.ai].map((count) => count?.toLocaleString('en-GB'))
      : ['–', '–'];
    expect(last.slice(-2)).toEqual(before);
    expect(await findViolations(page)).toEqual([]);
  },
);

test('nothing is compared from the beginning, or unless somebody wants it', async () => {
  const { page, open } = await visit.look('?range=7d');
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).not.toContain('Before');
  await open(`${visit.base}?range=all&compare=before`);
  expect(await page.getByRole('combobox', { name: 'Compare with' }).count()).toBe(0);
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).not.toContain('Before');
});
