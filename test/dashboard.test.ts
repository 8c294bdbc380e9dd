import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { KeysReply, LinksReply, ProjectReply, ProjectsReply } from '../shared/admin.ts';
import { startBrowser } from './support/browser.ts';
import { type DashboardClient, offerSetup, openDashboard, password, signIn } from './support/dashboard.ts';
import { type DashboardPage, openPage, settle } from './support/dashboard-page.ts';
import { type Headcount, startHeadcount } from './support/headcount.ts';

let browser: Browser;
let headcount: Headcount;
let client: DashboardClient;
let base: string;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  headcount = await startHeadcount({ project: { name: 'Docs' } });
  const { stop } = headcount;
  onTestFinished(stop);
  base = `/p/${headcount.projectId}`;
});

/** Looks as somebody who is signed in. */
async function look(path: string): Promise<DashboardPage> {
  client = await openDashboard(headcount);
  const shown = await openPage(browser, { url: headcount.url, client });
  await shown.open(path);
  return shown;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const admin = () => `/v1/admin/projects/${headcount.projectId}`;
const readProject = () => client.must<ProjectReply>('GET', admin());

describe('signing in', () => {
  test('begins with a password that the one-time link sets', async () => {
    const { page, open } = await openPage(browser, { url: headcount.url });
    await open('/');
    await page.getByRole('heading', { name: 'Nobody has set a password yet' }).waitFor();
    await open('/setup');
    await page.getByRole('heading', { name: 'This link is not complete' }).waitFor();
    await open(`/setup#${await offerSetup(headcount)}`);
    await page.reload();
    await field(page, 'Password').fill(password);
    await field(page, 'The same once more').fill('something else');
    await button(page, 'Set it and sign in').click();
    expect(await page.getByRole('alert').innerText()).toContain('The two passwords differ');
    await field(page, 'The same once more').fill(password);
    await button(page, 'Set it and sign in').click();
    await page.waitForURL(`**${base}`);
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });

  test('says that a used link is used', async () => {
    const token = await offerSetup(headcount);
    await openDashboard(headcount);
    const { page, open } = await openPage(browser, { url: headcount.url });
    await open(`/setup#${token}`);
    await field(page, 'Password').fill(password);
    await field(page, 'The same once more').fill(password);
    await button(page, 'Set it and sign in').click();
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('This link was used or is too old');
  });

  test('refuses a wrong password in words, and goes to where one wanted', async () => {
    await openDashboard(headcount);
    const { page, open } = await openPage(browser, { url: headcount.url });
    await open(`${base}/keys`);
    await page.waitForURL(`**/sign-in?next=${encodeURIComponent(`${base}/keys`)}`);
    await field(page, 'Password').fill('wrong');
    await button(page, 'Sign in').click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The password is wrong.');
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${base}/keys`);
  });

  test('goes to no other site afterwards', async () => {
    await openDashboard(headcount);
    const { page, open, complaints } = await openPage(browser, { url: headcount.url });
    await open('/sign-in?next=//evil.example/x');
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('signing out', () => {
  test('happens by its button', async () => {
    const { page } = await look(base);
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await client.send('GET', '/v1/admin/projects')).status).toBe(401);
  });

  test('everywhere ends all sessions', async () => {
    const { page } = await look(`${base}/settings`);
    const elsewhere = await signIn(headcount.url);
    await button(page, 'Sign out everywhere').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await elsewhere.send('GET', '/v1/admin/projects')).status).toBe(401);
  });

  test('in the middle of work leads to the sign-in, and from there back to the same', async () => {
    const { page } = await look(`${base}?range=7d&measure=views`);
    await client.must('DELETE', '/v1/admin/sessions');
    await page.getByRole('link', { name: '90 days' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=90d&measure=views');
  });
});

describe('projects', () => {
  test('are made where there is none yet, and shown how to install', async () => {
    client = await openDashboard(headcount);
    await client.must('DELETE', admin(), { name: 'Docs' });
    const { page, open } = await openPage(browser, { url: headcount.url, client });
    await open('/');
    await field(page, 'Name').fill('Blog');
    await field(page, 'Host of the site').fill('https://not a host');
    await button(page, 'Make the project').click();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a host name');
    await field(page, 'Host of the site').fill('blog.example');
    await field(page, 'Time zone').fill('Europe/Berlin');
    await button(page, 'Make the project').click();
    await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
    const { projects } = await client.must<ProjectsReply>('GET', '/v1/admin/projects');
    expect(projects).toEqual([
      expect.objectContaining({ name: 'Blog', hosts: ['blog.example'], timeZone: 'Europe/Berlin' }),
    ]);
  });

  test('are switched between, and more are made', async () => {
    const { page } = await look(base);
    await button(page, 'Project Docs, switch').click();
    await button(page, 'New project').click();
    await field(page, 'Name').fill('Shop');
    await button(page, 'Make the project').click();
    await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
    await button(page, 'Project Shop, switch').click();
    await page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name: 'Docs' }).click();
    await page.waitForURL(`**${base}`);
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });

  test('are removed by their name only', async () => {
    const { page } = await look(`${base}/settings`);
    await button(page, 'Remove this project…').click();
    await field(page, 'Name of the project').fill('Dogs');
    expect(await button(page, 'Remove it').isDisabled()).toBe(true);
    await button(page, 'Keep it').click();
    await button(page, 'Remove this project…').click();
    await field(page, 'Name of the project').fill('Docs');
    await button(page, 'Remove it').click();
    await page.getByRole('heading', { name: 'Your first project' }).waitFor();
    expect((await client.must<ProjectsReply>('GET', '/v1/admin/projects')).projects).toEqual([]);
  });

  test('that nothing has arrived at lead to the install page, which sees the first hit come', async () => {
    const { page } = await look(base);
    await page.getByRole('heading', { name: 'Nothing has arrived yet' }).waitFor();
    await page.getByRole('link', { name: 'Install the script' }).click();
    await page.getByText('Waiting for the first hit.').waitFor();
    await headcount.hit({ u: 'https://docs.example/' });
    await page.getByText('Hits arrive.').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain(`data-project="${headcount.projectId}"`);
    expect(text).toContain(`/v1/pixel.gif?p=${headcount.projectId}`);
    expect(text).toContain(`import access.log --project ${headcount.projectId} --follow`);
    expect(text).toContain('headcount/connect/express');
    expect(text).toContain('headcount/connect/fetch');
  });
});

describe('keys', () => {
  test('are shown once, work, and are refused once they are revoked', async () => {
    const { page } = await look(`${base}/keys`);
    await field(page, 'Name').fill('reader');
    await page.getByLabel('It may').selectOption('admin');
    await button(page, 'Make the key').click();
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    const key = await dialog.locator('code').innerText();
    const ask = async () => {
      const path = `/v1/analytics/${headcount.projectId}/visitors`;
      return (await fetch(headcount.url + path, { headers: { authorization: `Bearer ${key}` } })).status;
    };
    expect(await ask()).toBe(200);
    await button(page, 'I have copied it').click();
    await page.getByText('reader', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    await button(page, 'Revoke reader').click();
    await button(page, 'Keep it').click();
    expect(await ask()).toBe(200);
    await button(page, 'Revoke reader').click();
    await button(page, 'Revoke it').click();
    await button(page, 'Revoke reader').waitFor({ state: 'detached' });
    expect(await ask()).toBe(401);
    const { keys } = await client.must<KeysReply>('GET', `${admin()}/keys`);
    expect(keys.map(({ name }) => name)).not.toContain('reader');
  });

  test('stand beside the project id and commands, which are copied', async () => {
    const { page } = await look(`${base}/keys`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: headcount.url });
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
    await button(page, 'Copy the project id').click();
    await expect.poll(copied).toBe(headcount.projectId);
    await button(page, 'Copy the command: Visitors of each page').click();
    await expect.poll(copied).toContain(`${headcount.url}/v1/analytics/${headcount.projectId}/visitors`);
  });

  test('are copied where the browser gives no clipboard, too', async () => {
    const { page } = await look(`${base}/keys`);
    await page.evaluate('delete Navigator.prototype.clipboard');
    await button(page, 'Copy the project id').click();
    await button(page, 'Copy the project id').getByText('Copied').waitFor();
  });
});

describe('settings', () => {
  test('of the site are saved, and faults are told beside their fields', async () => {
    const { page } = await look(`${base}/settings`);
    await field(page, 'Name').fill('Handbook');
    await field(page, 'Hosts').fill('a.example\n*.b.example');
    await field(page, 'Paths that are not counted').fill('admin');
    await button(page, 'Save: Site').click();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a path glob');
    await field(page, 'Paths that are not counted').fill('/admin/**');
    await field(page, 'Addresses that are not counted').fill('192.0.2.0/24, 2001:db8::/32');
    await field(page, 'Kept query parameters').fill('page');
    await field(page, 'Time zone').fill('Asia/Tokyo');
    await button(page, 'Save: Site').click();
    await page.getByText('Saved').waitFor();
    expect(await readProject()).toMatchObject({
      name: 'Handbook',
      hosts: ['a.example', '*.b.example'],
      excludedPaths: ['/admin/**'],
      excludedAddresses: ['192.0.2.0/24', '2001:db8::/32'],
      keptParameters: ['page'],
      timeZone: 'Asia/Tokyo',
    });
    await button(page, 'Project Handbook, switch').waitFor();
  });

  test('of jobs are saved', async () => {
    const { page } = await look(`${base}/settings`);
    await field(page, 'Repository').fill('https://github.com/ada/site');
    await field(page, 'Model').fill('anthropic/claude-opus-4-5');
    await field(page, 'Begins at').fill('main');
    await field(page, 'Code host').selectOption('github');
    await field(page, 'Names of branches begin with').fill('bot/');
    await page.getByLabel('Open pull requests as drafts').check();
    await page.getByText('A GitHub App in place of a token').click();
    await field(page, 'App ID or client ID').fill('12345');
    await field(page, 'Installation ID').fill('678');
    await button(page, 'Save: Jobs').click();
    await page.getByText('Saved').waitFor();
    expect(await readProject()).toMatchObject({
      repository: 'https://github.com/ada/site',
      model: 'anthropic/claude-opus-4-5',
      ref: 'main',
      forge: 'github',
      branchPrefix: 'bot/',
      draft: true,
      githubAppId: '12345',
      githubInstallationId: 678,
    });
  });

  test('that are secrets are written, replaced and removed, and never read back', async () => {
    const { page } = await look(`${base}/settings`);
    const secret = 'sesame-7f3a9c21b8';
    for (const action of ['Set', 'Replace']) {
      await field(page, 'Token for the repository').fill(secret);
      await button(page, `${action}: Token for the repository`).click();
      await expect.poll(() => field(page, 'Token for the repository').inputValue()).toBe('');
      expect((await readProject()).secrets.forgeToken).toBe(true);
    }
    await page.reload();
    await settle(page);
    expect(await page.content()).not.toContain(secret);
    await button(page, 'Remove: Token for the repository').click();
    await button(page, 'Set: Token for the repository').waitFor();
    expect((await readProject()).secrets.forgeToken).toBe(false);
  });

  test('have the password in them', async () => {
    const { page } = await look(`${base}/settings`);
    await field(page, 'Present password').fill('wrong');
    await field(page, 'New password').fill('another good one');
    await button(page, 'Change the password').click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The password is wrong.');
    await field(page, 'Present password').fill(password);
    await button(page, 'Change the password').click();
    await page.getByText('Changed').waitFor();
    await signIn(headcount.url, 'another good one');
  });
});

describe('sharing', () => {
  test('makes a page that everybody with the link may see, until it is revoked', async () => {
    await headcount.hit({ u: 'https://docs.example/start' });
    const { page } = await look(`${base}/settings`);
    await button(page, 'Make a share link').click();
    await button(page, 'Revoke this share link').waitFor();
    const { links } = await client.must<LinksReply>('GET', `${admin()}/links`);
    const path = new URL(links[0]?.url ?? '').pathname;
    const stranger = await openPage(browser, { url: headcount.url });
    await stranger.open(path);
    await stranger.page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    await stranger.page.getByRole('link', { name: '/start' }).waitFor();
    expect(await stranger.page.locator('[data-figure=human]').innerText()).toBe('1');
    expect(await stranger.page.getByRole('heading', { name: 'Not counted' }).count()).toBe(0);
    expect(stranger.complaints).toEqual([]);
    await button(page, 'Revoke this share link').click();
    await button(page, 'Revoke it').click();
    await page.getByText('Nothing of this project is public.').waitFor();
    await stranger.open(path);
    expect(await stranger.page.getByRole('alert').innerText()).toContain('may have been revoked');
  });

  test('makes a badge', async () => {
    const { page } = await look(`${base}/settings`);
    await button(page, 'Make a badge').click();
    const badge = page.getByRole('img', { name: 'Badge of Docs' });
    await badge.waitFor();
    await expect
      .poll(() => page.evaluate<number>('document.querySelector(".badge").naturalWidth'))
      .toBeGreaterThan(50);
    expect(await page.locator('.rows code').innerText()).toMatch(/^!\[Visitors\]\(http.*\.svg\)$/);
    await button(page, 'Revoke this badge').click();
    await button(page, 'Revoke it').click();
    await badge.waitFor({ state: 'detached' });
  });
});

describe('when something is wrong', () => {
  test('without a connection a banner says so, until it is back', async () => {
    const { page } = await look(base);
    const banner = page.locator('.offline');
    await page.context().setOffline(true);
    await banner.waitFor();
    expect(await banner.innerText()).toContain('You are offline.');
    await page.getByRole('link', { name: '90 days' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  test('a server that does not answer is asked again by a button', async () => {
    const { page } = await look(base);
    await page.route('**/v1/**', (route) => route.abort());
    await page.getByRole('link', { name: '7 days' }).click();
    await expect.poll(() => page.locator('.offline').innerText()).toContain('The server does not answer.');
    await page.unroute('**/v1/**');
    await button(page, 'Try now').click();
    await page.locator('.offline').waitFor({ state: 'detached' });
  });

  test('a report that fails says why, and is read again by a button', async () => {
    const { page } = await look(base);
    const refusal = { status: 503, json: { error: 'Too many reports are being made: ask again.' } };
    await page.route('**/sources?**', (route) => route.fulfill(refusal));
    await page.getByRole('link', { name: '7 days' }).click();
    const panel = page.getByRole('region', { name: 'Sources' });
    await expect.poll(() => panel.innerText()).toContain('Too many reports are being made: ask again.');
    await page.unroute('**/sources?**');
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('Nothing in this time.').waitFor();
  });

  test('before anything is read, its place is held free', async () => {
    const { page } = await look(`${base}/keys`);
    await page.route('**/visitors?**', async (route) => {
      await page.locator('.skeleton').first().waitFor();
      await route.continue();
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  });

  test('an address without a page says so', async () => {
    const { page, open } = await look(`${base}/nothing`);
    await page.getByText('The project has no such page.').waitFor();
    await open('/p/nothing');
    await page.getByText('No project has this address.').waitFor();
    await page.getByRole('link', { name: 'To the first project' }).click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });
});

test('colours are those of the system, or those that somebody chose', async () => {
  const { page } = await look(base);
  const background = () =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background();
  expect(dark).not.toBe(light);
  await button(page, 'Colours: as the system').click();
  expect(await background()).toBe(light);
  await page.reload();
  await settle(page);
  expect(await background()).toBe(light);
  await button(page, 'Colours: light').click();
  expect(await background()).toBe(dark);
});
