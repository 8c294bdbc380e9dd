import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startBrowser } from '../browser.ts';
import { type Headcount, startHeadcount } from '../headcount.ts';
import { type Pages, type Site, startSite } from '../sites/site.ts';

/** A site that Headcount counts, and somebody looking at it. */
export interface Visit {
  site: Site;
  context: BrowserContext;
  page: Page;
  /** Address of the Headcount server. */
  server: string;
  projectId: string;
  /** Every error that the page threw or the browser wrote into its console. */
  problems: string[];
  open(path: string): Promise<void>;
  /** Runs a script in the page and answers its value; a string, as these types know no browser. */
  run<T>(script: string): Promise<T>;
  /** One report of this site as it is, over HTTP. */
  get<T>(report: string): Promise<T>;
  /** The same, humans only: `{'/': 1}`. */
  read(report: string): Promise<Record<string, number>>;
  /**
   * Has the page count one view more, `/end`, and waits until exactly the expected ones and this are counted: what
   * was counted wrongly before cannot hide behind it.
   */
  endsWith(views: Record<string, number>): Promise<void>;
}

/** Makes the script line, with more attributes if need be. */
type Tag = (attributes?: string) => string;

export type StartVisit = (
  pages: (tag: Tag, server: string, projectId: string) => Pages,
  options?: BrowserContextOptions,
) => Promise<Visit>;

export const html = (head: string, body = ''): string =>
  `<!doctype html><html lang="en"><head><title>Page</title>${head}</head><body>${body}</body></html>`;

/**
 * One server and one browser for the tests of a file; each visit is a project and a profile of its own. The
 * parameter `page` stays in the paths.
 */
export function visits(start: () => Promise<Browser> = startBrowser): StartVisit {
  // All in one day, also around midnight.
  const startedAt = Date.now();
  let headcount: Headcount;
  let browser: Browser;
  beforeAll(async () => {
    [headcount, browser] = await Promise.all([startHeadcount({ now: () => startedAt }), start()]);
  });
  afterAll(async () => {
    await browser.close();
    await headcount.stop();
  });

  return async (pages, options) => {
    const { projectId, adminKey, snippet } = await headcount.addProject({ keptParameters: ['page'] });
    const tag: Tag = (attributes = '') => snippet.replace('<script', `<script ${attributes}`);
    const site = await startSite(pages(tag, headcount.url, projectId));
    const context = await browser.newContext(options);
    onTestFinished(async () => {
      await context.close();
      await site.stop();
    });
    const problems: string[] = [];
    context.on('weberror', (error) => problems.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    const page = await context.newPage();

    const get = async <T>(report: string) => {
      const response = await fetch(`${headcount.url}/v1/analytics/${projectId}/${report}?limit=250`, {
        headers: { authorization: `Bearer ${adminKey}` },
      });
      return (await response.json()) as T;
    };
    const read = async (report: string) => {
      const reply = await get<Record<string, { human: number }[]>>(report);
      return Object.fromEntries(
        (reply[report] ?? []).map(({ human, ...row }) => [Object.values(row)[0], human]),
      );
    };
    return {
      site,
      context,
      page,
      server: headcount.url,
      projectId,
      problems,
      open: async (path) => void (await page.goto(site.url + path)),
      run: (script) => page.evaluate(script),
      get,
      read,
      endsWith: async (views) => {
        await page.evaluate('headcount("/end")');
        await expect.poll(() => read('views')).toEqual({ ...views, '/end': 1 });
      },
    };
  };
}
