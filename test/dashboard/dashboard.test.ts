import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ProjectsReply } from '../../shared/accounts/admin.ts';
import type { UsersReply } from '../../shared/accounts/user.ts';
import { type DashboardClient, offerSetup, password, signIn } from '../support/dashboard/dashboard.ts';
import { openPage, settle } from '../support/dashboard/page.ts';
import { join } from '../support/dashboard/people.ts';
import { button, dashboardVisits, field } from '../support/dashboard/visit.ts';
import { userAgentOf } from '../support/identity/user-agents.ts';
import { createLatch } from '../support/latch.ts';

const visit = dashboardVisits();

describe('signing in', () => {
  test('begins with a password that the one-time link sets', async () => {
    const { page, open } = await openPage(visit.browser, { url: visit.headcount.url });
    await open('/');
    await page.getByRole('heading', { name: 'No password has been set yet' }).waitFor();
    await open('/setup');
    await page.getByRole('heading', { name: 'This link is not complete' }).waitFor();
    await open(`/setup#${await offerSetup(visit.headcount)}`);
    await page.reload();
    await field(page, 'Password').fill(password);
    await field(page, 'Repeat the password').fill('something else');
    await button(page, 'Set password and sign in').click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The two passwords differ');
    await field(page, 'Repeat the password').fill(password);
    await button(page, 'Set password and sign in').click();
    await page.waitForURL(`**${visit.base}`);
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });

  test('says that a used link is used', async () => {
    const token = await offerSetup(visit.headcount);
    await visit.signIn();
    const { page, open } = await openPage(visit.browser, { url: visit.headcount.url });
    await open(`/setup#${token}`);
    await field(page, 'Password').fill(password);
    await field(page, 'Repeat the password').fill(password);
    await button(page, 'Set password and sign in').click();
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('This link was used or is too old');
  });

  test('refuses a wrong password in words, and goes to where one wanted', async () => {
    await visit.signIn();
    const { page, open } = await openPage(visit.browser, { url: visit.headcount.url });
    await open(`${visit.base}/keys`);
    await page.waitForURL(`**/sign-in?next=${encodeURIComponent(`${visit.base}/keys`)}`);
    await field(page, 'Password').fill('wrong');
    await button(page, 'Sign in').click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('The password is wrong.');
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    // Where the page of keys is now.
    await page.waitForURL(`**${visit.base}/settings/keys`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  });

  test.each([
    '//evil.example/x',
    '/.//evil.example',
    '/a/..//evil.example',
    '/.\\/evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.\n//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
  ])('goes to no other site afterwards: %j', async (next) => {
    await visit.signIn();
    const { page, open, problems } = await openPage(visit.browser, { url: visit.headcount.url });
    await open(`/sign-in?next=${encodeURIComponent(next)}`);
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(problems).toEqual([]);
  });
});

describe('signing out', () => {
  test('happens by its button', async () => {
    const { page, client } = await visit.look(visit.base);
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await client.send('GET', '/v1/admin/projects')).status).toBe(401);
  });

  test('everywhere ends all sessions', async () => {
    const { page } = await visit.look('/installation');
    const elsewhere = await signIn(visit.headcount.url);
    await button(page, 'Sign out everywhere').click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('Your session has expired').count()).toBe(0);
    expect((await elsewhere.send('GET', '/v1/admin/projects')).status).toBe(401);
  });

  test('in the middle of work leads to the sign-in, which says why, and from there back to the same', async () => {
    await visit.headcount.hit({ u: 'https://docs.example/' });
    const { page, client } = await visit.look(`${visit.base}?range=7d&measure=views`);
    // A page that looks for news by itself would find out before somebody clicks.
    const clicked = Promise.withResolvers<void>();
    await page.route('**/v1/**', async (route) => {
      await clicked.promise;
      await route.continue();
    });
    await client.must('DELETE', '/v1/admin/sessions');
    await page.getByRole('link', { name: '90 days' }).click();
    clicked.resolve();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByText('Your session has expired').waitFor();
    await field(page, 'Password').fill(password);
    await button(page, 'Sign in').click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?range=90d&measure=views');
  });
});

describe('projects', () => {
  test('are made where there is none yet, and shown how to install', async () => {
    const client = await visit.signIn();
    await client.must('DELETE', visit.admin, { name: 'Docs' });
    const { page, open } = await openPage(visit.browser, { url: visit.headcount.url, client });
    await open('/');
    await field(page, 'Name').fill('Blog');
    await field(page, 'Host name of the site').fill('https://not a host');
    await button(page, 'Create project').click();
    await expect.poll(() => page.locator('.fault').innerText()).toContain('must be a host name');
    await field(page, 'Host name of the site').fill('blog.example');
    await field(page, 'Time zone').fill('Europe/Berlin');
    await button(page, 'Create project').click();
    await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
    const { projects } = await client.must<ProjectsReply>('GET', '/v1/admin/projects');
    expect(projects).toEqual([
      expect.objectContaining({ name: 'Blog', hosts: ['blog.example'], timeZone: 'Europe/Berlin' }),
    ]);
  });

  test('are switched between, and more are made', async () => {
    const { page } = await visit.look(visit.base);
    await button(page, 'Project Docs, switch').click();
    await button(page, 'New project').click();
    await field(page, 'Name').fill('Shop');
    await button(page, 'Create project').click();
    await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
    await button(page, 'Project Shop, switch').click();
    await page.getByRole('navigation', { name: 'Projects' }).getByRole('link', { name: 'Docs' }).click();
    await page.waitForURL(`**${visit.base}`);
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });

  test('are removed by their name only, with three clicks', async () => {
    const { page, client } = await visit.look(visit.base);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Danger', exact: true }).click();
    await field(page, 'Name of the project').fill('Dogs');
    await expect.poll(() => button(page, 'Remove project').isDisabled()).toBe(true);
    await field(page, 'Name of the project').fill('Docs');
    await button(page, 'Remove project').click();
    await page.getByRole('heading', { name: 'Your first project' }).waitFor();
    expect((await client.must<ProjectsReply>('GET', '/v1/admin/projects')).projects).toEqual([]);
  });

  test('that nothing has arrived at show how to install, and see the first hit come', async () => {
    const { page } = await visit.look(visit.base);
    await page.getByText('Waiting for the first page view.').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain(`data-project="${visit.headcount.projectId}"`);
    expect(text).toContain(`/v1/image/${visit.headcount.projectId}`);
    expect(text).toContain(`import access.log --project ${visit.headcount.projectId} --follow`);
    expect(text).toContain('headcount/connect/express');
    expect(text).toContain('headcount/connect/fetch');
    expect(text).toMatch(/npm install http:\/\/[\w.:]+\/connect\.tgz/);
    await visit.headcount.hit({ u: 'https://docs.example/' });
    const ai = page.getByRole('region', { name: 'AI visitors' });
    await ai.getByText('Not measured').waitFor();
    await expect.poll(() => ai.getByRole('link', { name: 'Connect your server or log' }).count()).toBe(1);
    await visit.headcount.hits([
      { url: 'https://docs.example/', ip: '192.0.2.1', userAgent: userAgentOf('ClaudeBot') },
    ]);
    await page.reload();
    await page.getByText('Counted from the script and your server.').waitFor();
    await expect.poll(() => ai.locator('[data-figure=ai]').innerText()).toBe('1');
    await visit.look(`${visit.base}/install`);
    await page.getByText('Page views are arriving').waitFor();
    await page.getByText('Pages were seen on docs.example.').waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Name the hosts of your site' }).count()).toBe(1);
  });
});

describe('when something is wrong', () => {
  test('without a connection a banner says so, until it is back', async () => {
    await visit.headcount.hit({ u: 'https://docs.example/' });
    const { page } = await visit.look(visit.base);
    const banner = page.locator('.offline');
    await page.context().setOffline(true);
    await banner.waitFor();
    await expect.poll(() => banner.innerText()).toContain('You are offline.');
    await page.getByRole('link', { name: '90 days' }).click();
    // What was there before is of other days.
    await page.locator('[data-figure=human] .placeholder').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await page.locator('[data-figure=human] .placeholder').waitFor({ state: 'detached' });
  });

  test.each([
    ['that does not answer', (route: Route) => route.abort()],
    [
      'for which a proxy answers',
      (route: Route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    ],
  ])('a server %s is told of by one banner, and asked again by its button', async (_how, answer) => {
    await visit.headcount.hit({ u: 'https://docs.example/' });
    const { page } = await visit.look(visit.base);
    await page.route('**/v1/**', answer);
    await page.getByRole('link', { name: '7 days' }).click();
    await expect.poll(() => page.locator('.offline').innerText()).toContain('The server does not respond.');
    await page.locator('[data-figure=human] .placeholder').waitFor();
    expect([await page.locator('.offline').count(), await page.getByRole('alert').count()]).toEqual([1, 0]);
    await page.unroute('**/v1/**');
    await button(page, 'Try now').click();
    await page.locator('.offline').waitFor({ state: 'detached' });
  });

  test('a report that fails says why, and is read again by a button', async () => {
    await visit.headcount.hit({ u: 'https://docs.example/' });
    const { page } = await visit.look(visit.base);
    const refusal = { status: 503, json: { error: 'Too many reports are being made: ask again.' } };
    await page.route('**/sources?**', (route) => route.fulfill(refusal));
    await page.getByRole('link', { name: '7 days' }).click();
    const panel = page.getByRole('region', { name: 'Sources' });
    await panel.scrollIntoViewIfNeeded();
    await expect.poll(() => panel.innerText()).toContain('Too many reports are being made: ask again.');
    await page.unroute('**/sources?**');
    await panel.getByRole('button', { name: 'Try again' }).click();
    await panel.getByText('Direct or unknown').waitFor();
  });

  test.each([
    ['was removed', (client: DashboardClient) => client.must('DELETE', visit.admin, { name: 'Docs' })],
    [
      'is no longer for the user',
      async (client: DashboardClient, projectId: string) => {
        const { users } = await client.must<UsersReply>('GET', '/v1/users');
        await client.must('PATCH', `/v1/users/${users[0]?.id}`, { roles: [{ projectId, role: 'viewer' }] });
      },
    ],
  ])('a project that %s meanwhile fails to be read, and is left by "Try again"', async (_how, take) => {
    await visit.headcount.hit({ u: 'https://docs.example/' });
    const administrator = await visit.signIn();
    const other = await visit.headcount.addProject({ name: 'Blog' });
    const ada = await join(visit.headcount, administrator, 'ada', [
      { projectId: visit.headcount.projectId, role: 'viewer' },
    ]);
    const { page, open } = await openPage(visit.browser, { url: visit.headcount.url, client: ada });
    await open(visit.base);
    await take(administrator, other.projectId);
    await page.getByRole('link', { name: '90 days' }).click();
    const pages = page.getByRole('region', { name: 'Pages' });
    await pages.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(/There is no project at this address|You have a role in no project/).waitFor();
  });

  test('before anything is read, its place is held free', async () => {
    const { page } = await visit.look(`${visit.base}/keys`);
    const seen = createLatch();
    await page.route('**/visitors?**', async (route) => {
      await seen.opened;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.skeleton').first().waitFor();
    seen.open();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  });

  test('an address without a page says so', async () => {
    const { page, open } = await visit.look(`${visit.base}/nothing`);
    await page.getByText('This project has no such page.').waitFor();
    await open('/p/nothing');
    await page.getByText('There is no project at this address.').waitFor();
    await page.getByRole('link', { name: 'Go to the first project' }).click();
    await page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
  });
});

test('colours are those of the system, or those that somebody chose', async () => {
  const { page } = await visit.look(visit.base);
  const background = () =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await background();
  expect(dark).not.toBe(light);
  await button(page, 'Theme: system').click();
  await expect.poll(background).toBe(light);
  await page.reload();
  await settle(page);
  await expect.poll(background).toBe(light);
  await button(page, 'Theme: light').click();
  await expect.poll(background).toBe(dark);
});
