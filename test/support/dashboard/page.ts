import { setTimeout as pause } from 'node:timers/promises';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { DashboardClient } from './dashboard.ts';

/** The dashboard in a browser, looked at by somebody. */
export interface DashboardPage {
  page: Page;
  /** Errors that the page threw or the browser wrote into its console, and requests to other servers. */
  problems: string[];
  open(path: string): Promise<void>;
}

interface PageOptions extends BrowserContextOptions {
  url: string;
  /** Who is signed in; none: nobody. */
  client?: DashboardClient;
  /** Milliseconds since 1970 at which the browser's clock stops; timers go on. */
  now?: number;
}

/** In a profile of its own, closed at the end of the test. */
export async function openPage(browser: Browser, options: PageOptions): Promise<DashboardPage> {
  const shown = await keepPage(browser, options);
  onTestFinished(() => shown.page.context().close());
  return shown;
}

/** Still, unless asked otherwise: what pulses is drawn sixty times a second for as long as a page is open. */
const usual = { locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' } as const;

/** For many tests, as a page that goes elsewhere is twice as fast as a new one. It is closed with the browser. */
export async function keepPage(browser: Browser, options: PageOptions): Promise<DashboardPage> {
  const { url, client, now, ...rest } = options;
  const context = await browser.newContext({ ...usual, ...rest });
  const problems: string[] = [];
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  context.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) problems.push(`left for ${request.url()}`);
  });
  context.on('dialog', async (dialog) => {
    // Of what is not saved, where a test goes on elsewhere.
    if (dialog.type() === 'beforeunload') await dialog.accept();
    else problems.push(`said ${dialog.message()}`);
  });
  if (client) await signInTo(context, url, client);
  const page = await context.newPage();
  watchRequests(page);
  // Only against hanging: on a busy machine a page may take its time.
  page.setDefaultTimeout(60_000);
  if (now !== undefined) await page.clock.setFixedTime(now);
  const open = async (path: string) => {
    await page.goto(url + path);
    await settle(page);
  };
  return { page, problems, open };
}

/** Gives a browser the session that somebody has. */
export async function signInTo(
  context: BrowserContext,
  url: string,
  { cookie }: DashboardClient,
): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url }]);
}

/** What pages asked for that was not answered yet, without streams, which have no end. */
const unanswered = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const waiting = new Set<Request>();
  unanswered.set(page, waiting);
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') waiting.add(request);
  });
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
}

/**
 * How much on a page is busy. It is counted late: an element that comes into sight is noticed after a frame, and
 * sends its requests by a timer after the next one.
 */
const countBusy = `new Promise((resolve) => {
  const frame = (next) => requestAnimationFrame(next);
  const count = () => resolve(document.querySelectorAll('[aria-busy=true], .skeleton, .placeholder').length);
  frame(() => frame(() => frame(() => setTimeout(count))));
})`;

/** Waits until what the page shows has been read and is shown, as what is not busy may still be about to come. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').waitFor();
  const countUnread = async () => {
    const busy = await page.evaluate<number>(countBusy);
    return busy + (unanswered.get(page)?.size ?? 0);
  };
  // Without Vitest, as the pictures of the documents are taken with this, too.
  for (const end = Date.now() + 60_000; (await countUnread()) > 0; await pause(50))
    if (Date.now() > end) throw new Error('Some of the page is still busy after a minute.');
}

/** Scrolls down to the end and back, as what is further down is loaded and read when somebody comes to it. */
export async function scrollThrough(page: Page): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    // A page behind another one may get no frames, without which nothing comes into sight.
    await page.bringToFront();
    await page.evaluate(`(async () => {
      for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight / 2) {
        scrollTo(0, top);
        const frames = new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        await Promise.race([frames, new Promise((done) => setTimeout(done, 1000))]);
      }
    })()`);
    await settle(page);
    if ((await page.locator('.panel-unread').count()) === 0) {
      await page.evaluate('scrollTo(0, 0)');
      return;
    }
  }
  throw new Error(`Some panels were not read, though they were in sight ${mostRounds} times.`);
}

/** Of a page that is long, and is longer when it is read. */
const mostRounds = 50;

interface Row {
  children: Iterable<{ innerText: string }>;
}

interface Table {
  querySelector(selectors: string): { scrollIntoView(): void } | null;
  querySelectorAll(selectors: string): Iterable<Row>;
}

/**
 * The cells of all rows of a table, as they are seen. A panel that was not read yet, as it is out of sight, is scrolled
 * to, on a page in front: one behind it may get no frames.
 */
export async function readRows(table: Locator): Promise<string[][]> {
  await table.page().bringToFront();
  return table.evaluateAll((tables: unknown) =>
    Array.from(tables as Iterable<Table>).flatMap((each) => {
      each.querySelector('.panel-unread')?.scrollIntoView();
      return Array.from(each.querySelectorAll('tbody tr'), (row) =>
        Array.from(row.children, (cell) => cell.innerText.trim()),
      );
    }),
  );
}

export const toNumber = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));

/** A table of the overview, by its heading. */
export function panelOf(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true });
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What axe-core finds wrong with the page as it is, by all rules or those named; empty when all is well. */
export async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  // Hit areas (WCAG 2.5.8) are off unless asked for; on a page that is scrolled, bars that stay in place cover some.
  const enabled = { rules: { 'target-size': { enabled: await page.evaluate<boolean>('scrollY === 0') } } };
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : enabled) });
  const found: Violation[] = await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
  );
}

/** Texts of fewer than 12 pixels. */
export function findSmallTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { parentElement, data } = walker.currentNode;
      const size = Number.parseFloat(getComputedStyle(parentElement).fontSize);
      if (data.trim() !== '' && size < 12) found.push(data + ' has ' + size + ' px');
    }
    return found;
  })()`);
}

/** A page that is wider than its window is scrolled sideways. */
export async function expectNoSideways(page: Page): Promise<void> {
  const [content, window] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(content).toBeLessThanOrEqual(window);
}

/** How people look at a page, as rows of `test.each`. */
export const looks = [
  ['in the light', { viewport: { width: 1280, height: 900 } }],
  ['in the dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 844 } }],
] as const;

/** Opens a panel that is folded up, with its rows, and looks whether everybody can read it. */
export async function lookAtPanel(page: Page, title: string): Promise<Locator> {
  const panel = panelOf(page, title);
  // Another one of the same name may be there until the navigation.
  await scrollThrough(page);
  await panel.waitFor();
  await panel.scrollIntoViewIfNeeded();
  const fold = panel.getByRole('button', { name: title, expanded: false });
  if (await fold.isVisible()) await fold.click();
  await panel.locator('tbody tr, .empty').first().waitFor();
  await settle(page);
  expect([await findViolations(page), await findSmallTexts(page)]).toEqual([[], []]);
  await expectNoSideways(page);
  return panel;
}
