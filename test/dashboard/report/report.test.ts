import { describe, expect, test } from 'vitest';
import type { ClientPathsReply, Count, SeriesReply } from '../../../shared/reports/analytics.ts';
import {
  openPage,
  panelOf,
  readRows,
  scrollThrough,
  settle,
  toNumber,
} from '../../support/dashboard/page.ts';
import { figure, reportVisits, rowsShown } from '../../support/dashboard/report.ts';

const visit = reportVisits();
const days = {
  '30d': 'dateFrom=2026-10-22&dateTo=2026-11-21',
  '90d': 'dateFrom=2026-08-23&dateTo=2026-11-21',
};

describe('what is looked at', () => {
  test('is in the address: range, measure, order, search and page', async () => {
    const shown = await visit.look();
    const { page } = shown;
    await page.getByRole('link', { name: '90 days' }).click();
    await page.getByRole('link', { name: 'Views' }).click();
    const pages = panelOf(page, 'Pages');
    await pages.getByRole('button', { name: 'AI share' }).click();
    await pages.getByRole('searchbox').fill('/docs');
    await expect.poll(() => page.url()).toContain('search=%2Fdocs');
    await pages.getByRole('button', { name: 'Next rows' }).click();
    const asked = '?range=90d&measure=views&sort=aiShare&search=%2Fdocs&page=2';
    await expect.poll(() => new URL(page.url()).search).toBe(asked);
    await settle(page);
    const { views } = await visit.headcount.get<{ views: (Count & { path: string })[] }>(
      `${visit.api}/views?limit=10&offset=10&sort=aiShare&search=/docs&${days['90d']}`,
    );
    const seen = views.map(({ path, human, ai, total }) => [path, human, ai, total]);
    await expect.poll(() => rowsShown(shown, 'Pages')).toEqual(seen);
    const human = await figure(shown, 'human');
    await visit.look(new URL(page.url()).search);
    await expect.poll(() => rowsShown(shown, 'Pages')).toEqual(seen);
    await expect.poll(() => figure(shown, 'human')).toBe(human);
    await expect.poll(() => pages.locator('[aria-sort=descending]').innerText()).toContain('AI share');
  });

  test.each([
    ['today', '2026-11-20', '2026-11-21'],
    ['7d', '2026-11-14', '2026-11-21'],
    ['month', '2026-11-01', '2026-11-21'],
    ['last-month', '2026-10-01', '2026-11-01'],
    ['year', '2025-11-21', '2026-11-21'],
    ['2026-09-01..2026-09-03', '2026-09-01', '2026-09-04'],
    ['all', '2020-01-01', '2026-11-21'],
    ['nonsense', '2026-10-22', '2026-11-21'],
  ])('is, by the range %s, the days from %s to before %s', async (range, from, to) => {
    const shown = await visit.look(`?range=${range}`);
    const { totals } = await visit.headcount.get<SeriesReply>(
      `${visit.api}/series?dateFrom=${from}&dateTo=${to}`,
    );
    await expect.poll(() => figure(shown, 'total')).toBe(totals.visitors.total);
  });

  test('can be any days, chosen in a dialog', async () => {
    const shown = await visit.look();
    const { page } = shown;
    await page.getByRole('button', { name: 'Custom…' }).click();
    await page.getByLabel('First day').fill('2026-11-05');
    await page.getByLabel('Last day').fill('2026-11-01');
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.getByRole('dialog').getByText('The last day is before the first day.').waitFor();
    await page.getByLabel('Last day').fill('2026-11-06');
    await page.getByRole('button', { name: 'Show these days' }).click();
    await page.waitForURL('**?range=2026-11-05..2026-11-06');
    await settle(page);
    const { totals } = await visit.headcount.get<SeriesReply>(
      `${visit.api}/series?dateFrom=2026-11-05&dateTo=2026-11-07`,
    );
    await expect.poll(() => figure(shown, 'total')).toBe(totals.visitors.total);
  });

  test('leaves out each table that has no sums of it, and asks for none of them', async () => {
    const { page } = await visit.look('?city=Bern');
    const asked: string[] = [];
    const note = (request: { url(): string }) => asked.push(new URL(request.url()).pathname);
    page.on('request', note);
    const isRead = page.waitForResponse(/\/series\?/);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await isRead;
    page.off('request', note);
    expect(asked).toContain(`${visit.api}/series`);
    for (const report of ['devices', 'visitors']) expect(asked).not.toContain(`${visit.api}/${report}`);
    for (const title of ['Devices', 'Pages']) expect(await panelOf(page, title).count()).toBe(0);
  });

  test('can be one AI client alone, by a click, and all again', async () => {
    const hit = { url: 'https://teapot.example/docs/v1', ip: '203.0.113.9', userAgent: 'GPTBot/1.4' };
    expect(await (await visit.headcount.hits([hit])).json()).toEqual({ accepted: 1, dropped: [] });
    const { page } = await visit.look('/ai?range=90d');
    await panelOf(page, 'AI clients').getByRole('link', { name: 'GPTBot' }).click();
    await page.waitForURL('**/ai?range=90d&client=GPTBot');
    const unread = panelOf(page, 'Not read by people');
    const asked = `${visit.api}/ai-clients/GPTBot/paths?people=none&limit=10&${days['90d']}`;
    const { paths: ofNobody } = await visit.headcount.get<ClientPathsReply>(asked);
    expect(ofNobody.length).toBeGreaterThan(0);
    await expect
      .poll(async () => (await readRows(unread)).map(([path, , , people]) => [path, people]))
      .toEqual(ofNobody.map(({ path }) => [path, '0']));
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.waitForURL(`**${visit.base}?range=90d&client=GPTBot`);
    const read = panelOf(page, 'Pages it visited');
    await read.waitFor();
    await settle(page);
    const { paths } = await visit.headcount.get<ClientPathsReply>(
      `${visit.api}/ai-clients/GPTBot/paths?limit=10&${days['90d']}`,
    );
    await expect
      .poll(async () => (await readRows(read)).map(([path, ...numbers]) => [path, ...numbers.map(toNumber)]))
      .toEqual(paths.map(({ path, visitors, views, humanViews }) => [path, visitors, views, humanViews]));
    const series = await visit.headcount.get<SeriesReply>(`${visit.api}/series?client=GPTBot&${days['90d']}`);
    const note = page.getByRole('region', { name: 'AI visitors' });
    await expect.poll(() => note.innerText()).toContain(series.totals.visitors.ai.toLocaleString('en-GB'));
    await page.getByRole('link', { name: 'Remove the filter: AI client' }).click();
    await panelOf(page, 'Sources').waitFor();
  });

  test('can be one page alone, by a click', async () => {
    const shown = await visit.look('?range=90d');
    await panelOf(shown.page, 'Pages').getByRole('link', { name: '/docs/install' }).click();
    await shown.page.waitForURL('**?range=90d&path=%2Fdocs%2Finstall');
    const { totals } = await visit.headcount.get<SeriesReply>(
      `${visit.api}/series?path=/docs/install&${days['90d']}`,
    );
    await expect.poll(() => figure(shown, 'human')).toBe(totals.visitors.human);
    await expect.poll(() => figure(shown, 'ai')).toBe(totals.visitors.ai);
    await shown.page.getByRole('link', { name: 'AI', exact: true }).click();
    await shown.page.waitForURL('**/ai?range=90d&path=%2Fdocs%2Finstall');
    // By what AI clients are known is not kept of a page.
    const heads = panelOf(shown.page, 'AI clients').getByRole('columnheader');
    await expect.poll(() => heads.allInnerTexts()).toEqual(['Client', 'Purpose', 'Visitors', 'Views']);
  });

  test('can be several things at once', async () => {
    const shown = await visit.look('?range=90d&path=/docs/install');
    const { page } = shown;
    await scrollThrough(page);
    await panelOf(page, 'Sources').getByRole('link', { name: 'google.com' }).click();
    await page.waitForURL('**?range=90d&path=%2Fdocs%2Finstall&source=google.com');
    await settle(page);
    const limits = 'path=/docs/install&source=google.com';
    const { totals } = await visit.headcount.get<SeriesReply>(`${visit.api}/series?${limits}&${days['90d']}`);
    await expect.poll(() => figure(shown, 'human')).toBe(totals.visitors.human);
    await expect.poll(async () => (await readRows(panelOf(page, 'Devices'))).length).toBeGreaterThan(0);
    expect(await page.getByRole('alert').count()).toBe(0);
    const chips = page.getByRole('list', { name: 'Filters' });
    await expect.poll(() => chips.innerText()).toMatch(/Page\s+\/docs\/install\s+Came from\s+google\.com/);
    await chips.getByRole('link', { name: 'Remove the filter: Page' }).click();
    await page.waitForURL('**?range=90d&source=google.com');
    await chips.getByRole('link', { name: 'Remove the filter: Came from' }).click();
    await page.waitForURL('**?range=90d');
  });

  test('comes back with the browser’s back button', async () => {
    const { page } = await visit.look();
    await page.getByRole('link', { name: '90 days' }).click();
    await page.goBack();
    await expect.poll(() => page.locator('.segments [aria-current]').innerText()).toBe('30 days');
  });
});

// A browser lets a page begin only some ten downloads at once.
const counts = { '': 5, '/ai': 11, '/search': 5, '/conversions': 4, '/fix': 4, '/measurement': 5 };

test.each([
  ...(['', '/search', '/conversions', '/fix', '/measurement'] as const).map((on) => ({ on, half: null })),
  ...[0, 1].map((half) => ({ on: '/ai', half }) as const),
])('every table can be had as a file: %j', async ({ on, half }) => {
  const { page } = await visit.look(`${on}?range=90d`);
  await scrollThrough(page);
  const links = page.getByRole('link', { name: /as a CSV file$/ });
  await expect.poll(() => links.count()).toBe(counts[on]);
  for (const link of (await links.all()).filter((_, i) => half === null || i % 2 === half)) {
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    expect(await download.failure()).toBeNull();
  }
});

test('the chart is walked through with the arrow keys, and zoomed into with the mouse', async () => {
  const { page } = await visit.look();
  const { days: all } = await visit.headcount.get<SeriesReply>(`${visit.api}/series?${days['30d']}`);
  const slider = page.getByRole('slider');
  const spoken = async () => await slider.getAttribute('aria-valuetext');
  const words = (at: number) => {
    const { human, ai } = all.at(at)?.visitors ?? { human: 0, ai: 0 };
    return `: ${human.toLocaleString('en-GB')} people, ${ai.toLocaleString('en-GB')} AI`;
  };
  await expect.poll(spoken).toContain(words(-1));
  await slider.press('ArrowLeft');
  await expect.poll(spoken).toContain(words(-2));
  await slider.press('Home');
  await expect.poll(spoken).toContain(words(0));
  const box = await page.locator('.u-over').boundingBox();
  if (!box) throw new Error('The chart has no place.');
  await page.mouse.move(box.x + box.width / 2, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/range=2026-11-0\d\.\.2026-11-20/);
});

test('is usable after a little work of the browser, and asks nobody else', async () => {
  const options = { url: visit.headcount.url, client: visit.client, now: visit.headcount.clock.now() };
  const { page, problems } = await openPage(visit.browser, options);
  const tools = await page.context().newCDPSession(page);
  await tools.send('Performance.enable');
  // What the page's thread was at work, not the time on the wall: others may be at work on this machine.
  const secondsAtWork = async () => {
    const { metrics } = await tools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ThreadTime')?.value ?? Number.NaN;
  };
  await page.goto(visit.headcount.url + visit.base, { waitUntil: 'commit' });
  await panelOf(page, 'Pages').locator('tbody tr').first().waitFor();
  await page.locator('[data-figure=human]:not(:has(.placeholder))').waitFor();
  const shown = await secondsAtWork();
  // Others make that longer, too, so it is told in a work that they make longer by as much: some 0.1 s on an idle machine.
  await page.evaluate(() =>
    Array.from({ length: 250_000 }, (_, i) => (i * 7919) % 250_007).sort((a, b) => a - b),
  );
  const sorted = (await secondsAtWork()) - shown;
  expect(shown / sorted).toBeLessThan(5);
  expect(problems).toEqual([]);
});
