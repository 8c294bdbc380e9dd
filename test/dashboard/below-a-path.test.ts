import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import { startShell } from '../support/browser.ts';
import { offerSetup, openDashboard, password } from '../support/dashboard/dashboard.ts';
import { type DashboardPage, openPage } from '../support/dashboard/page.ts';
import { invite } from '../support/dashboard/people.ts';
import { button, field } from '../support/dashboard/visit.ts';
import { needProgram } from '../support/machine/left-out.ts';
import { startProvider, type TestProvider } from '../support/sign-on/provider.ts';
import { type ProxiedHeadcount, type ProxyName, startBelowPath } from '../support/sites/proxied.ts';

let browser: Browser;
let provider: TestProvider;
beforeAll(async () => {
  [browser, provider] = await Promise.all([startShell(), startProvider()]);
});
afterAll(async () => {
  await browser.close();
  await provider.stop();
});

async function start(proxy: ProxyName): Promise<ProxiedHeadcount & DashboardPage> {
  const proxied = await startBelowPath(proxy, { project: { name: 'Docs' }, env: provider.env });
  onTestFinished(proxied.stop);
  provider.know(proxied.url);
  const shown = await openPage(browser, { url: proxied.origin, ignoreHTTPSErrors: true });
  return { ...proxied, ...shown };
}

type SetUp = Pick<ProxiedHeadcount & DashboardPage, 'headcount' | 'page' | 'open' | 'url'>;

async function setUp({ headcount, page, open, url }: SetUp): Promise<void> {
  await open(`/analytics/setup#${await offerSetup({ ...headcount, url })}`);
  await field(page, 'Password').fill(password);
  await field(page, 'Repeat the password').fill(password);
  await button(page, 'Set password and sign in').click();
  await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
}

describe.each<[ProxyName, string]>([
  ['nginx', 'nginx'],
  ['nginx that takes the path away', 'nginx'],
  ['Caddy', 'caddy'],
])('below a path, behind %s', (proxy, program) => {
  test('set-up, sign-in, the dashboard, a counted page, a file and a shared page work', async (context) => {
    needProgram(context, program);
    const { headcount, page, open, origin, url, problems } = await start(proxy);
    const isAt = (path: string) => page.waitForURL(url + path);

    await setUp({ headcount, page, open, url });
    await page.waitForURL(`${url}/p/${headcount.projectId}`);
    await page.getByRole('navigation').getByRole('link', { name: 'Install' }).click();
    const snippet = `<script defer src="${url}/hc.js" data-project="${headcount.projectId}"></script>`;
    await page.getByText(snippet).waitFor();
    const cookies = await page.context().cookies();
    expect(cookies).toEqual([
      expect.objectContaining({
        name: origin.startsWith('https') ? '__Secure-headcount_session' : 'headcount_session',
        path: '/analytics',
        httpOnly: true,
      }),
    ]);

    await button(page, 'Sign out').click();
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.waitForURL(`${url}/p/${headcount.projectId}/install`);

    // The page of the host counts.
    await open('/page');
    await expect.poll(() => headcount.views()).toEqual({ '/page': { human: 1, ai: 0, total: 1 } });

    await open(`/analytics/p/${headcount.projectId}`);
    await page.getByRole('link', { name: '/page', exact: true }).first().click();
    await isAt(`/p/${headcount.projectId}?path=%2Fpage`);
    await page.reload();
    await page.goBack();
    await isAt(`/p/${headcount.projectId}`);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Pages as a CSV file' }).click();
    expect((await download).url()).toContain(`${url}/v1/analytics/`);

    const link = await page.evaluate<LinkReply>(`
      fetch('/analytics/v1/admin/projects/${headcount.projectId}/links', {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"kind":"page"}',
      }).then((response) => response.json())`);
    expect(link.url).toMatch(new RegExp(`^${url}/share/\\w{28}$`));
    // Panels that come into sight would still ask, without the cookie.
    await page.goto('about:blank');
    await page.context().clearCookies();
    await open(link.url.slice(origin.length));
    await page.getByText('Read-only').waitFor();
    await page.getByRole('link', { name: '/page', exact: true }).first().waitFor();
    // Reports that have no numbers of one page refuse the filter.
    expect(problems.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  });
});

test('a shared page in a frame, and the stream of a job, are below the path', async (context) => {
  needProgram(context, 'caddy');
  const { headcount, page, open, url, origin } = await start('Caddy');
  const client = await openDashboard(headcount);
  const admin = `/v1/admin/projects/${headcount.projectId}`;
  const settings = {
    ...{ embedOrigins: [origin], repository: 'https://code.example/ada/site', forge: 'gitea' },
    model: 'anthropic/claude-sonnet-4-5',
  };
  await client.must('PATCH', admin, { settings, secrets: { forgeToken: 'f', modelKey: 'm' } });
  const link = await client.must<LinkReply>('POST', `${admin}/links`, { kind: 'page' });
  await open('/page');
  await page.evaluate(
    `document.body.append(Object.assign(document.createElement('iframe'), { src: '${link.url}' }))`,
  );
  await page.frameLocator('iframe').getByText('Read-only').waitFor();

  const jobs = `/v2/agent/${headcount.projectId}/job`;
  const job = await client.must<{ id: string }>('POST', jobs, { prompt: 'Mend it' });
  await setUp({ headcount, page, open, url });
  const stream = page.waitForResponse((response) =>
    (response.headers()['content-type'] ?? '').startsWith('text/event-stream'),
  );
  await open(`/analytics/p/${headcount.projectId}/jobs/${job.id}`);
  expect((await stream).url().split('?')[0]).toBe(`${url}${jobs}/${job.id}/events`);
});

test('sign-on comes back below the path', async (context) => {
  needProgram(context, 'caddy');
  const { headcount, page, open, url, origin } = await start('Caddy');
  const { link } = await invite(await openDashboard(headcount), 'ada', [{ projectId: null, role: 'viewer' }]);
  expect(link).toContain(`${url}/invitation#`);
  provider.person = 'ada at example';
  await open(link.slice(origin.length));
  await button(page, 'Continue with Example Inc').click();
  await page.waitForURL(`${url}/p/${headcount.projectId}`);
  await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  await button(page, 'Sign out').click();
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
  await open(`/analytics/p/${headcount.projectId}/rules`);
  await button(page, 'Continue with Example Inc').click();
  await page.waitForURL(`${url}/p/${headcount.projectId}/rules`);
});
