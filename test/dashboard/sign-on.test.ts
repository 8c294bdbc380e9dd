import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startShell } from '../support/browser.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import { type DashboardPage, findViolations, openPage } from '../support/dashboard/page.ts';
import { invite, join, userPassword } from '../support/dashboard/people.ts';
import { button, field } from '../support/dashboard/visit.ts';
import { type Headcount, startHeadcount } from '../support/headcount.ts';
import { startProvider, type TestProvider } from '../support/sign-on/provider.ts';

const viewer = [{ projectId: null, role: 'viewer' as const }];
const unknown = 'Nobody here signs in with this account of Example Inc';

let browser: Browser;
let provider: TestProvider;
let headcount: Headcount;
let administrator: DashboardClient;
/** By which browsers are told to reach the server. */
let url: string;

beforeAll(async () => {
  [browser, provider] = await Promise.all([startShell(), startProvider()]);
});
afterAll(async () => {
  await browser.close();
  await provider.stop();
});
beforeEach(async () => {
  headcount = await startHeadcount({ env: provider.env, project: { name: 'Docs' } });
  url = `http://localhost:${new URL(headcount.url).port}`;
  provider.know(url);
  provider.person = 'ada at example';
  administrator = await openDashboard(headcount);
});
afterEach(() => headcount.stop());

async function openAt(path: string): Promise<DashboardPage> {
  const shown = await openPage(browser, { url });
  await shown.open(path);
  return shown;
}

const arrive = ({ page }: DashboardPage, title: string) =>
  page.getByRole('heading', { name: title, level: 1 }).waitFor();

describe('single sign-on', () => {
  test('takes up an invitation, and signs in again to the page that was wanted', async () => {
    const { link } = await invite(administrator, 'ada', viewer);
    const invited = await openAt(new URL(link).pathname + new URL(link).hash);
    expect(await findViolations(invited.page)).toEqual([]);
    await button(invited.page, 'Continue with Example Inc').click();
    await arrive(invited, 'Docs');
    expect(new URL(invited.page.url()).pathname).not.toBe('/sign-on');
    await button(invited.page, 'Sign out').click();
    await arrive(invited, 'Sign in');
    await invited.open(`/p/${headcount.projectId}/rules`);
    expect(await findViolations(invited.page)).toEqual([]);
    await button(invited.page, 'Continue with Example Inc').click();
    await invited.page.waitForURL(`${url}/p/${headcount.projectId}/rules`);
    await arrive(invited, 'AI rules');
  });

  test('is connected and disconnected on the page Installation, by the password', async () => {
    await join(headcount, administrator, 'ada', viewer);
    const shown = await openAt('/sign-in');
    const { page } = shown;
    await button(page, 'Continue with Example Inc').click();
    await page.getByText(unknown).waitFor();
    expect([new URL(page.url()).search, await findViolations(page)]).toEqual(['', []]);
    await page.getByRole('link', { name: 'To the sign-in page' }).click();
    await field(page, 'Name').fill('ada');
    await field(page, 'Password').fill(userPassword);
    await button(page, 'Sign in').click();
    await arrive(shown, 'Docs');
    await shown.open('/installation');
    await button(page, 'Connect Example Inc').click();
    await page.getByRole('dialog').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('dialog').getByLabel('Password').fill(userPassword);
    await button(page, 'Connect').click();
    await page.getByText('Connected: you also sign in with Example Inc').waitFor();
    await button(page, 'Disconnect Example Inc').click();
    await page.getByRole('dialog').getByLabel('Password').fill(userPassword);
    await button(page, 'Disconnect').click();
    await button(page, 'Connect Example Inc').waitFor();
  });

  test('that fails says on the page what to do', async () => {
    const shown = await openAt('/sign-in');
    provider.answerInstead = (req) => req.destroy();
    await button(shown.page, 'Continue with Example Inc').click();
    await shown.page.getByText('Example Inc cannot be reached').waitFor();
    provider.answerInstead = null;
    provider.person = null;
    await button(shown.page, 'Continue with Example Inc').click();
    await shown.page.getByText('Example Inc did not sign you in, as it was refused there').waitFor();
    await shown.open('/sign-on?code=x&state=y');
    await shown.page.getByText('The sign-in began in another browser').waitFor();
  });
});
