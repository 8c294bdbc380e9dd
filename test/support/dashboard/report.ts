import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import type { Count } from '../../../shared/reports/analytics.ts';
import { startShell } from '../browser.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../dataset/dataset.ts';
import { type DashboardClient, openDashboard } from './dashboard.ts';
import { type DashboardPage, keepPage, panelOf, readRows, settle, toNumber } from './page.ts';

/** The overview of a project with visitors, and the API's data of them. */
export interface ReportVisit {
  headcount: FilledHeadcount;
  browser: Browser;
  client: DashboardClient;
  /** Path of the project's pages. */
  base: string;
  /** Path of the project's reports in the API. */
  api: string;
  look(query?: string): Promise<DashboardPage>;
}

/** For the tests of a file. */
export function reportVisits(): ReportVisit {
  const visit = {} as ReportVisit;
  // It takes as long as the dataset, with other work on the machine. Beyond the limit it hangs.
  beforeAll(async () => {
    const [headcount, browser] = await Promise.all([startFilledHeadcount(), startShell()]);
    const client = await openDashboard(headcount);
    const base = `/p/${headcount.projectId}`;
    const api = `/v1/analytics/${headcount.projectId}`;
    const options = { url: headcount.url, client, now: headcount.clock.now() };
    const shown = await keepPage(browser, { ...options, viewport: { width: 1280, height: 900 } });
    const look = async (query = '') => {
      shown.problems.length = 0;
      await shown.open(base + query);
      return shown;
    };
    Object.assign(visit, { headcount, browser, client, base, api, look });
  });
  afterAll(async () => {
    await visit.browser.close();
    await visit.headcount.stop();
  });
  return visit;
}

export const figure = async ({ page }: DashboardPage, field: string) =>
  toNumber(await page.locator(`[data-figure=${field}]`).first().innerText());

/** Opens what the chart shows as a table, with its rows. */
export async function openChartTable(page: Page): Promise<Locator> {
  await page.getByText('Show as a table').first().click();
  const table = page.locator('.chart table.plain');
  await table.locator('tbody tr').first().waitFor();
  return table;
}

type Row = Count & Record<string, string>;

/** Name and numbers of a report's rows, by the API. */
export async function rowsOf(
  { headcount, api }: ReportVisit,
  report: string,
  name: string,
  query: string,
): Promise<(string | number)[][]> {
  const reply = await headcount.get<Record<string, Row[]>>(`${api}/${report}?limit=10&${query}`);
  return (reply[report] ?? []).map((row) => [row[name] ?? '', row.human, row.ai, row.total]);
}

/** The same of a table on the page. */
export async function rowsShown({ page }: DashboardPage, title: string): Promise<(string | number)[][]> {
  const panel = panelOf(page, title);
  await panel.scrollIntoViewIfNeeded();
  // It is read when it comes into sight, a moment after that.
  await panel.locator('tbody tr').first().waitFor();
  await settle(page);
  const rows = await readRows(panel);
  return rows.map(([name = '', ...counts]) => [name, ...counts.slice(0, 3).map(toNumber)]);
}
