import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startShell } from '../../support/browser.ts';
import { dayMs } from '../../support/clock.ts';
import { type DashboardClient, openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  expectNoSideways,
  findViolations,
  keepPage,
  openPage,
  panelOf,
  readRows,
  scrollThrough,
  settle,
} from '../../support/dashboard/page.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../../support/dataset/dataset.ts';
import { userAgentOf } from '../../support/identity/user-agents.ts';
import { createLatch } from '../../support/latch.ts';

let headcount: FilledHeadcount;
let browser: Browser;
let client: DashboardClient;
let shown: DashboardPage;
let base: string;

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 900 };

/** Where the chart writes its labels, and how wide it is. */
const watchLabels = `
  window.labels = [];
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    const { width } = this.measureText(text);
    const { e } = this.getTransform();
    const before = { center: width / 2, right: width }[this.textAlign] ?? 0;
    const left = e + rest[0] - before;
    labels.push({ text, left, right: left + width, room: this.canvas.width });
    return fillText.call(this, text, ...rest);
  };`;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startFilledHeadcount({ dataset: { days: 3 } }), startShell()]);
  client = await openDashboard(headcount);
  base = `/p/${headcount.projectId}`;
  shown = await keepPage(browser, { url: headcount.url, client, now: headcount.clock.now() });
  // Some days of visits and a browser, beside other work on the machine. The limit tells a hang.
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

async function look(path: string, viewport = desk): Promise<Page> {
  await shown.page.setViewportSize(viewport);
  await shown.open(path);
  return shown.page;
}

test('a printer gets all panels, and nothing that can only be clicked', async () => {
  const page = await look(`${base}/measurement?range=7d`);
  await expect.poll(() => page.locator('.panel-unread').count()).toBeGreaterThan(0);
  await page.emulateMedia({ media: 'print' });
  await settle(page);
  await expect.poll(() => page.locator('.panel-unread').count()).toBe(0);
  await expect.poll(() => panelOf(page, 'Not counted').locator('tbody tr').count()).toBeGreaterThan(0);
  for (const name of ['button:not(.sort)', 'input', '.top', '.report-tools']) {
    expect(await page.locator(name).filter({ visible: true }).count(), name).toBe(0);
  }
  await page.emulateMedia({ media: null });
});

const lengthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollHeight');

test('at 1280 pixels the overview is short, though its tables and the three worst faults are all there, in German too', async () => {
  await headcount.hits(
    ['/docs/guides/glazing', '/docs/api/kettles', '/docs/api/pots'].flatMap((path) =>
      ['GPTBot', 'GPTBot', 'GPTBot', 'ClaudeBot', 'ClaudeBot'].map((client) => ({
        ...{ url: `https://teapot.example${path}`, ip: '192.0.2.1', status: 404 },
        userAgent: userAgentOf(client),
      })),
    ),
  );
  // Hits that are no views are stored within a second.
  const address = `/v1/analytics/${headcount.projectId}/ai-failures`;
  const read = async () => (await headcount.get<{ failures: object[] }>(address)).failures;
  await expect.poll(read).toHaveLength(6);
  const page = await look(base, { width: 1280, height: 900 });
  await scrollThrough(page);
  await expect.poll(() => page.locator('.card-fault').count()).toBe(3);
  for (const title of ['Pages', 'Sources', 'Countries']) {
    await expect.poll(async () => (await readRows(panelOf(page, title))).length, { message: title }).toBe(10);
  }
  expect(await lengthOf(page)).toBeLessThanOrEqual(2_000);
  const german = await openPage(browser, {
    url: headcount.url,
    client,
    now: headcount.clock.now(),
    locale: 'de',
  });
  await german.open(base);
  const fault = german.page.locator('.card-fault', { hasText: '/docs/api/kettles' });
  const says = 'Nicht gefunden · 404 · ClaudeBot, GPTBot · 5 Anfragen gescheitert';
  await expect.poll(() => fault.innerText()).toContain(says);
});

test.each(['en-GB', 'de', 'ar'])('at 1280 pixels tabs and tools are in one line in %s', async (locale) => {
  const options = { url: headcount.url, client, now: headcount.clock.now(), locale, viewport: desk };
  const { page, open } = await openPage(browser, options);
  await open(base);
  const heights = await page.evaluate<number[]>(
    "[...document.querySelectorAll('.panel-head, .report-tools')].map(({ offsetHeight }) => offsetHeight)",
  );
  expect(Math.max(...heights)).toBeLessThan(60);
});

test('at 1280 pixels the overview is short and within bounds, with sections and an excluded country', async () => {
  const sections = ['/docs/api/** API', '/docs/** Docs', '/blog/** Blog'];
  const set = (settings: object) =>
    client.must('PATCH', `/v1/admin/projects/${headcount.projectId}`, { settings });
  await set({ sections, excludedCountries: ['DE'], excludesPast: true });
  const page = await look(base, { width: 1280, height: 900 });
  await scrollThrough(page);
  const sources = page.getByRole('list', { name: 'Top sources' });
  await expect.poll(() => sources.locator('.between').count()).toBeGreaterThan(0);
  expect(await sources.innerText()).not.toContain('%');
  await expect.poll(() => page.getByText('Includes earlier views').count()).toBeGreaterThan(1);
  expect(await lengthOf(page)).toBeLessThanOrEqual(2_000);
  await set({ sections: [], excludedCountries: [], excludesPast: false });
});

test.each([768, 375])('at %i pixels all choices of days are in sight', async (width) => {
  const page = await look(`${base}?range=year`, { width, height: 900 });
  const beyond = await page.evaluate<string[]>(`(() => {
    const tools = document.querySelector('.report-tools');
    return [...tools.querySelectorAll('a, button, select')].filter((choice) => {
      const room = (choice.closest('.segments') ?? tools).getBoundingClientRect();
      const { left, right } = choice.getBoundingClientRect();
      return left < room.left || right > room.right;
    }).map(({ textContent }) => textContent);
  })()`);
  expect(beyond).toEqual([]);
});

test('on a phone days are chosen from a list', async () => {
  const page = await look(base, phone);
  const ranges = page.getByRole('combobox', { name: 'Time range' });
  await ranges.selectOption('7 days');
  await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('7d');
  await ranges.selectOption('Custom…');
  await page.getByRole('dialog').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await expectNoSideways(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  expect(await ranges.inputValue()).toBe('7d');
  await look(`${base}?range=2026-11-18..2026-11-19`, phone);
  expect(await ranges.locator('option:checked').innerText()).toBe('18 Nov 2026 to 19 Nov 2026');
});

interface Label {
  text: string;
  left: number;
  right: number;
  room: number;
}

test.each([
  ['today', desk],
  ['today', phone],
  ['2026-11-20..2026-11-20', desk],
  ['all', desk],
  ['year', desk],
  ['year', phone],
])('the chart of the range %s has each of its labels in full', async (range, viewport) => {
  // Words of Portuguese days are longer than those of English ones.
  const options = { url: headcount.url, client, now: headcount.clock.now(), locale: 'pt-BR', viewport };
  const { page, open } = await openPage(browser, options);
  await page.addInitScript(watchLabels);
  await open(`${base}?range=${range}`);
  const labels = () => page.evaluate<Label[]>('labels');
  await expect.poll(async () => (await labels()).length).toBeGreaterThan(3);
  expect((await labels()).filter(({ left, right, room }) => left < 0 || right > room)).toEqual([]);
  if (range === '2026-11-20..2026-11-20') {
    expect((await labels()).map(({ text }) => text)).toContain('20 de nov.');
  }
});

test('the large numbers stand in one row, or two above two', async () => {
  const page = await look(base);
  for (const width of [360, 560, 561, 601, 640, 641, 700, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const rows = async () => {
      const tops = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.figure')].map((figure) => figure.getBoundingClientRect().top)",
      );
      return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
    };
    await expect.poll(rows, { message: `${width} pixels` }).toEqual(width <= 640 ? [2, 2] : [4]);
  }
});

test('on a phone the overview is short, and what is folded up is read when it is opened', async () => {
  const page = await look(`${base}?range=7d`, phone);
  await expect.poll(() => lengthOf(page)).toBeLessThan(2_950);
  const sources = panelOf(page, 'Sources and campaigns');
  expect(await sources.locator('tbody').count()).toBe(0);
  const heading = sources.getByRole('button', { name: 'Sources and campaigns' });
  await heading.click();
  await sources.locator('tbody tr').first().waitFor();
  await expect.poll(() => heading.getAttribute('aria-expanded')).toBe('true');
  await expect.poll(async () => (await readRows(sources)).length).toBe(5);
  await heading.click();
  await sources.locator('tbody').waitFor({ state: 'detached' });
});

test('on a phone the choices of the chart stand in one row, and its tools in another one', async () => {
  const page = await look(base, { width: 375, height: 812 });
  const boxes = await Promise.all(
    (await page.locator('.chart-tools > *').all()).map((one) => one.boundingBox()),
  );
  const middles = boxes.map((box) => box && Math.round(box.y + box.height / 2));
  expect(middles.length).toBe(5);
  expect(new Set(middles.slice(0, 2)).size).toBe(1);
  expect(new Set(middles.slice(2)).size).toBe(1);
  const notes = page.getByRole('button', { name: 'Notes on the chart' });
  await notes.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  const focused = 'document.activeElement';
  const ring = await page.evaluate<string[]>(
    `[${focused}.ariaLabel, getComputedStyle(${focused}).outlineStyle, getComputedStyle(${focused}).outlineOffset]`,
  );
  expect(ring).toEqual(['Notes on the chart', 'solid', '-2px']);
});

test('on a phone no button stands on the text that it copies', async () => {
  const page = await look(`${base}/keys`, phone);
  const overlaps = await page.evaluate<number[]>(`[...document.querySelectorAll('.code')].map((code) => {
    const text = code.querySelector('.code-text').getBoundingClientRect();
    return code.querySelector('.copy').getBoundingClientRect().top - text.bottom;
  })`);
  expect(overlaps.length).toBeGreaterThan(2);
  expect(overlaps.filter((gap) => gap < 0)).toEqual([]);
});

test('on a phone no name of an AI client is broken beside its numbers', async () => {
  const read = [
    ['ChatGPT-User', '/llms.txt'],
    ['Meta-ExternalAgent', '/llms-full.txt'],
    ['ClaudeBot', '/docs/install.md'],
    ['GPTBot', '/docs/install'],
  ].map(([client = '', path]) => ({
    ...{ url: `https://teapot.example${path}`, ip: '192.0.2.1', userAgent: userAgentOf(client), status: 200 },
    headers: { accept: path?.endsWith('.md') ? 'text/markdown' : 'text/html' },
  }));
  expect((await headcount.hits(read)).status).toBe(202);
  const page = await look(`${base}/ai`, { width: 375, height: 812 });
  const panel = panelOf(page, 'HTML or Markdown');
  await panel.getByRole('button', { name: 'HTML or Markdown' }).click();
  await expect.poll(async () => (await readRows(panel))[0]?.length).toBe(5);
  const rows = await page.evaluate<
    number[][]
  >(`[...document.querySelectorAll('.counts-across tbody tr')].map((row) => {
    const linesOf = (element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [...range.getClientRects()];
    };
    const tops = linesOf(row.querySelector('.name')).map(({ top }) => Math.round(top));
    const bottom = Math.max(...linesOf(row.querySelector('.name')).map((line) => line.bottom));
    const numbers = [...row.querySelectorAll('td')].flatMap((cell) => linesOf(cell).slice(0, 1).map(({ top }) => top));
    return [new Set(tops).size, Math.min(...numbers) - bottom];
  })`);
  expect(rows.map(([lines]) => lines)).toEqual(rows.map(() => 1));
  expect(rows.filter(([, gap = 0]) => gap < 0)).toEqual([]);
});

test('on a phone queries of search engines have their days in one line, and no column without a number', async () => {
  const today = Math.floor(headcount.clock.now() / dayMs);
  const row = {
    name: 'how to pour',
    clicks: 61,
    impressions: 2900,
    positions: null,
    citations: 0,
    pages: null,
  };
  const period = { tool: 'search-console', kind: 'query', from: today - 28, to: today } as const;
  await headcount.context.store.searches.setPeriod(headcount.projectId, period, [row]);
  const page = await look(`${base}/search?range=30d`, phone);
  const panel = panelOf(page, 'Queries');
  await panel.getByRole('button', { name: 'Queries' }).click();
  await expect
    .poll(() => readRows(panel))
    .toEqual([[expect.stringContaining('how to pour'), '61', '2,900', '–']]);
  expect(await panel.locator('thead').innerText()).not.toContain('Cited');
  await expect.poll(async () => (await panel.locator('.beside').boundingBox())?.height).toBeLessThan(30);
});

test('numbers of other days are gone while those that were asked for are read', async () => {
  const page = await look(`${base}?range=30d`);
  const latch = createLatch();
  // The days before are asked for with them.
  const isOfWeek = (url: URL) =>
    ['2026-11-08', '2026-11-14'].includes(url.searchParams.get('dateFrom') ?? '');
  await page.route(isOfWeek, async (route: Route) => {
    await latch.opened;
    await route.continue();
  });
  await page.getByRole('link', { name: '7 days' }).click();
  const slider = page.getByRole('slider');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('Loading');
  await page.locator('[data-figure=human] .placeholder').waitFor();
  await expect.poll(() => panelOf(page, 'Pages').locator('tbody').count()).toBe(0);
  latch.open();
  await settle(page);
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain('20 Nov 2026');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('of many projects the list stays inside of the window, and is searched', async () => {
  for (let number = 1; number <= 40; number += 1) {
    const name = `Site ${number}`;
    await client.must('POST', '/v1/admin/projects', { name, hosts: [], timeZone: 'UTC' });
  }
  const page = await look(base, phone);
  await page.getByRole('button', { name: 'Project Teapot, switch' }).click();
  const menu = page.locator('.menu');
  const projects = menu.getByRole('navigation').getByRole('link');
  await projects.filter({ hasText: 'Site 40' }).waitFor();
  const bottom = await page.evaluate<number>(
    "document.querySelector('.menu').getBoundingClientRect().bottom",
  );
  expect(bottom).toBeLessThanOrEqual(phone.height);
  await menu.getByRole('searchbox', { name: 'Search projects' }).fill('site 37');
  await expect.poll(() => projects.allInnerTexts()).toEqual(['Site 37']);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Site 37', level: 1 }).waitFor();
});

test('while other days are read, and while a table is paged, nothing moves', async () => {
  const page = await look(`${base}?range=30d`);
  const tops = () =>
    page.evaluate<number[]>(
      "[...document.querySelectorAll('.panel')].slice(1, 3).map((panel) => panel.getBoundingClientRect().top)",
    );
  const before = await tops();
  const latch = createLatch();
  await page.route('**/series?**', async (route: Route) => {
    await latch.opened;
    await route.continue();
  });
  await page.getByRole('link', { name: '7 days' }).click();
  await page.locator('[data-figure=human] .placeholder').waitFor();
  expect(await tops()).toEqual(before);
  latch.open();
  await settle(page);
  expect(await tops()).toEqual(before);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.getByRole('link', { name: '30 days' }).click();
  await settle(page);
  const pages = panelOf(page, 'Pages');
  const height = async () => (await pages.boundingBox())?.height;
  const full = await height();
  for (;;) {
    const next = pages.getByRole('button', { name: 'Next rows' });
    if (await next.isDisabled()) break;
    await next.click();
    await settle(page);
    await expect.poll(height).toBe(full);
  }
  expect(new URL(page.url()).searchParams.get('page')).not.toBeNull();
});

test('the numbers of the point of the chart that the mouse is at stand beside it', async () => {
  const page = await look(`${base}?range=30d`);
  const box = await page.locator('.u-over').boundingBox();
  if (!box) throw new Error('The chart has no place.');
  const gapAt = async (part: number) => {
    await page.mouse.move(box.x + part * box.width, box.y + 60);
    const line = await page.locator('.u-cursor-x').boundingBox();
    const readout = await page.locator('.readout').boundingBox();
    if (!line || !readout) throw new Error('Nothing is shown.');
    const x = line.x + line.width;
    return part < 0.5 ? readout.x - x : x - (readout.x + readout.width);
  };
  for (const part of [0.02, 0.31, 0.77, 0.98]) {
    const gap = await gapAt(part);
    expect([gap > 4, gap < 30], `${part}: ${gap}`).toEqual([true, true]);
  }
});
