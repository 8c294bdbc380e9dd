import { expect, test } from 'vitest';
import type { LinkReply } from '../../../shared/accounts/admin.ts';
import type { SeriesReply } from '../../../shared/reports/analytics.ts';
import {
  expectNoSideways,
  findViolations,
  openPage,
  panelOf,
  scrollThrough,
  settle,
} from '../../support/dashboard/page.ts';
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
      `Compared with: ${human} ${human === 1 ? 'person' : 'people'}, ${ai} AI`;
    const isCounted = measured.ways.length > 0;
    const slider = page.getByRole('slider');
    const spoken = () => slider.getAttribute('aria-valuetext').then((text) => text?.replaceAll(',', ''));
    const said = words(days.at(-1) as SeriesReply['days'][number]).replaceAll(',', '');
    if (isCounted) await expect.poll(spoken).toContain(said);
    else expect(await spoken()).not.toContain('Compared with');
    const last = await (await openChartTable(page)).locator('tbody tr').last().locator('td').allInnerTexts();
    const first = days[0]?.visitors;
    const before = isCounted
      ? [first?.human, first?.ai].map((count) => count?.toLocaleString('en-GB'))
      : ['–', '–'];
    expect(last.slice(-2)).toEqual(before);
    expect(await findViolations(page)).toEqual([]);
  },
);

/** Sign and percentage by the API: without today in the one, and in the other without the day that is laid beside it. */
async function changesOf(report: string, name: string, of: string): Promise<Map<string, string>> {
  type Row = Record<string, string | number>;
  const read = async (from: string, to: string) => {
    const days = `dateFrom=${from}&dateTo=${to}&limit=250`;
    const reply = await visit.headcount.get<Record<string, Row[]>>(`${visit.api}/${report}?${days}`);
    return new Map((reply[report] ?? []).map((row) => [String(row[name]), Number(row[of])]));
  };
  const [now, before] = [await read('2026-11-14', '2026-11-20'), await read('2026-11-07', '2026-11-13')];
  const names = new Set([...now.keys(), ...before.keys()]);
  return new Map(
    Array.from(names, (each) => {
      const [is = 0, was = 0] = [now.get(each), before.get(each)];
      if (is === was) return [each, 'no change'];
      return [each, was === 0 ? 'new' : `${Math.round((100 * Math.abs(is - was)) / was)}%`];
    }),
  );
}

test('each row says how much it has changed, and compared with which days', async () => {
  const { page, problems } = await visit.look('?range=7d&compare=before');
  await scrollThrough(page);
  const tables = [
    ['Pages', 'visitors', 'path', 'total', 3],
    ['Countries', 'countries', 'country', 'human', 1],
  ] as const;
  for (const [title, report, name, of, column] of tables) {
    const panel = panelOf(page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel.getByText('Changes: 14 – 19 Nov 2026 compared with 7 – 12 Nov 2026.').waitFor();
    const changes = await changesOf(report, name, of);
    const cells = panel.locator(`tbody td:nth-of-type(${column}) .change > [aria-hidden]`);
    await expect.poll(() => cells.count()).toBe(10);
    const rows = await visit.headcount.get<Record<string, Record<string, string>[]>>(
      `${visit.api}/${report}?dateFrom=2026-11-14&dateTo=2026-11-21&limit=10${of === 'human' ? '&sort=human' : ''}`,
    );
    const expected = (rows[report] ?? []).map((row) => changes.get(row[name] ?? ''));
    expect(await cells.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual(expected);
  }
  const said = await panelOf(page, 'Pages').locator('.change').first().getAttribute('title');
  expect(said).toMatch(/(more|fewer) than the [\d,]+ on 7 – 12 Nov 2026\.$/);
  expect(await findViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 375, height: 800 });
  await settle(page);
  await expectNoSideways(page);
  expect(problems).toEqual([]);
});

test.each([
  ['2026-10-01..2026-10-31', '1 – 31 Oct 2026', '1 – 30 Sept 2026'],
  ['last-month', '1 – 31 Oct 2026', '1 – 30 Sept 2026'],
  ['month', '1 – 19 Nov 2026', '1 – 19 Oct 2026'],
])(
  'months (%s) are compared with the months before, of a month that goes on with the same days',
  async (range, now, before) => {
    const { page } = await visit.look(`?range=${range}&compare=before`);
    const pages = panelOf(page, 'Pages');
    await pages.scrollIntoViewIfNeeded();
    await pages.getByText(`Changes: ${now} compared with ${before}.`).waitFor();
  },
);

test('a month is chosen by its name, and compared with another one', async () => {
  const { page } = await visit.look('');
  await page.setViewportSize({ width: 1280, height: 900 });
  const dialog = page.getByRole('dialog');
  const months = dialog.getByRole('group', { name: 'Months' }).getByRole('button');
  await page.getByRole('button', { name: 'Custom…' }).click();
  await months.first().waitFor();
  expect([await months.count(), await months.first().innerText()]).toEqual([12, 'Oct 2026']);
  expect(await findViolations(page)).toEqual([]);
  await months.nth(1).click();
  await page.waitForURL('**?range=2026-09-01..2026-09-30');
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Own days…');
  await dialog.getByRole('button', { name: 'Jul 2026' }).click();
  await page.waitForURL('**?range=2026-09-01..2026-09-30&compare=2026-07-01..2026-07-31');
  await page.locator('.panel-chart').getByText('compared with 1 – 31 Jul 2026.').waitFor();
});

test('own days are compared with, however many, by a dialog, an address, a key, a shared page and a file', async () => {
  const { page, problems } = await visit.look('?range=2026-11-01..2026-11-10');
  const choice = page.getByRole('combobox', { name: 'Compare with' });
  const address = () => new URL(page.url()).search.replace(/^.*&/, '');
  const choose = async (from: string, to: string) => {
    await choice.selectOption('Own days…');
    await page.getByLabel('First day').fill(from);
    await page.getByLabel('Last day').fill(to);
    await page.getByRole('button', { name: 'Compare with these days' }).click();
  };
  await choose('2026-10-09', '2026-10-05');
  await page.getByText('The last day is before the first day.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('Last day').fill('2026-10-24');
  await page.getByRole('button', { name: 'Compare with these days' }).click();
  const said =
    'Changes: 1 – 10 Nov 2026 compared with 9 – 24 Oct 2026. The periods differ in length: 10 days and 16 days.';
  const note = page.locator('.panel-chart').getByText(said);
  await note.waitFor();
  expect(address()).toBe('compare=2026-10-09..2026-10-24');
  expect(await choice.locator('option:checked').innerText()).toBe('9 Oct 2026 to 24 Oct 2026');

  const [then, now] = [await series('2026-10-09', '2026-10-25'), await series('2026-11-01', '2026-11-11')];
  const people = [now, then].map(({ totals }) => totals.visitors.human) as [number, number];
  const share = `${Math.round((100 * Math.abs(people[0] - people[1])) / people[1])}%`;
  const change = page.locator('.figure').first().locator('.change');
  await expect.poll(() => change.getAttribute('title')).toContain('on 9 – 24 Oct 2026. The periods differ');
  expect(await change.locator('[aria-hidden]').innerText()).toBe(share);
  const rows = (await openChartTable(page)).locator('tbody tr');
  expect(await rows.count()).toBe(10);
  expect(await rows.first().locator('td').nth(-2).innerText()).toBe(
    then.days[9]?.visitors.human.toLocaleString('en-GB'),
  );
  const file = page.locator('.panel-chart .coverage').getByRole('link', { name: /CSV/ });
  const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
  expect(download.suggestedFilename()).toContain('2026-10-09_2026-10-24');
  const pages = panelOf(page, 'Pages');
  await pages.scrollIntoViewIfNeeded();
  await pages.getByText(said).waitFor();
  expect(await findViolations(page)).toEqual([]);

  await choose('2026-09-01', '2026-09-10');
  await page.getByText('compared with 1 – 10 Sept 2026.').first().waitFor();
  expect(await page.getByText('The periods differ').count()).toBe(0);
  await page.goBack();
  await note.waitFor();
  await page.keyboard.press('x');
  await expect.poll(address).toBe('?range=2026-11-01..2026-11-10');
  await page.keyboard.press('x');
  await expect.poll(address).toBe('compare=2026-10-09..2026-10-24');
  await note.waitFor();
  const { url } = await visit.client.must<LinkReply>(
    'POST',
    `/v1/admin/projects/${visit.headcount.projectId}/links`,
    { kind: 'page' },
  );
  const shared = new URL(page.url()).search;
  const visitor = await openPage(visit.browser, {
    url: visit.headcount.url,
    now: visit.headcount.clock.now(),
  });
  await visitor.open(new URL(url).pathname + shared);
  await visitor.page.locator('.panel-chart').getByText(said).waitFor();
  expect([...problems, ...visitor.problems]).toEqual([]);
});

test('a single day is laid beside the first of several', async () => {
  const { page, problems } = await visit.look('?range=2026-11-01..2026-11-10&compare=2026-10-09..2026-10-09');
  await page.locator('.panel-chart').getByText('compared with 9 Oct 2026').waitFor();
  const [day] = (await series('2026-10-09', '2026-10-10')).days;
  const rows = (await openChartTable(page)).locator('tbody tr');
  const besideOf = (row: number) => rows.nth(row).locator('td').nth(-2).innerText();
  await expect.poll(() => besideOf(-1)).toBe(day?.visitors.human.toLocaleString('en-GB'));
  expect(await besideOf(0)).toBe('–');
  expect(problems).toEqual([]);
});

test('rows of today alone, which is not over, are compared with nothing', async () => {
  const { page } = await visit.look('?range=today&compare=before');
  await scrollThrough(page);
  await panelOf(page, 'Pages').locator('tbody tr').first().waitFor();
  expect(await page.locator('.row-change').count()).toBe(0);
});

test('nothing is compared from the beginning, or unless somebody wants it', async () => {
  const { page, open } = await visit.look('?range=7d');
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).not.toContain('Compared with');
  await open(`${visit.base}?range=all&compare=before`);
  expect(await page.getByRole('combobox', { name: 'Compare with' }).count()).toBe(0);
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).not.toContain('Compared with');
});
