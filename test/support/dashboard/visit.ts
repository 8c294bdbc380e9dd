import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startShell } from '../browser.ts';
import { type Headcount, startHeadcount } from '../headcount.ts';
import { type DashboardClient, openDashboard } from './dashboard.ts';
import { type DashboardPage, keepPage, settle, signInTo } from './page.ts';

/** A server for each test, with the project "Docs", which nobody has visited, and without a password at first. */
export interface DashboardVisit {
  browser: Browser;
  headcount: Headcount;
  /** Address of the project's pages. */
  base: string;
  /** Path of the project in the API. */
  admin: string;
  /** Sets the password. What is answered is signed in. */
  signIn(): Promise<DashboardClient>;
  /** Opens a page as somebody who is signed in. */
  look(path: string): Promise<DashboardPage & { client: DashboardClient }>;
}

/** For the tests of a file; what is answered is filled anew before each of them. */
export function dashboardVisits(): DashboardVisit {
  const visit = {} as DashboardVisit;
  let shown: DashboardPage;
  beforeAll(async () => {
    visit.browser = await startShell();
    // Each test has a server, and so an origin, of its own.
    shown = await keepPage(visit.browser, { url: 'http://127.0.0.1' });
  });
  afterAll(() => visit.browser.close());

  beforeEach(async () => {
    const headcount = await startHeadcount({ project: { name: 'Docs' } });
    const signIn = () => openDashboard(headcount);
    const base = `/p/${headcount.projectId}`;
    const admin = `/v1/admin/projects/${headcount.projectId}`;
    const look: DashboardVisit['look'] = async (path) => {
      const client = await signIn();
      await signInTo(shown.page.context(), headcount.url, client);
      const open = async (to: string) => {
        await shown.page.goto(headcount.url + to);
        await settle(shown.page);
      };
      await open(path);
      return { ...shown, open, client };
    };
    Object.assign(visit, { headcount, base, admin, signIn, look });
  });
  afterEach(async () => {
    await shown.page.unrouteAll({ behavior: 'ignoreErrors' });
    await shown.page.context().setOffline(false);
    await shown.page.goto('about:blank');
    await visit.headcount.stop();
  });
  return visit;
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });
export const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });
