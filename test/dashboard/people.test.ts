import { describe, expect, test } from 'vitest';
import type { UsersReply } from '../../shared/accounts/user.ts';
import type { DashboardClient } from '../support/dashboard/dashboard.ts';
import { type DashboardPage, findViolations, openPage, settle } from '../support/dashboard/page.ts';
import { join, userPassword } from '../support/dashboard/people.ts';
import { button, dashboardVisits, field } from '../support/dashboard/visit.ts';

const visit = dashboardVisits();

const tabsOf = ({ page }: DashboardPage) =>
  page.getByRole('navigation', { name: 'Project' }).getByRole('link').allInnerTexts();

/** Somebody with a role in the project, who looks at a page. */
async function lookAs(client: DashboardClient, path: string): Promise<DashboardPage> {
  const shown = await openPage(visit.browser, { url: visit.headcount.url, client });
  await shown.open(path);
  return shown;
}

describe('people', () => {
  test('get a role in one of many projects, which are in the order of their names', async () => {
    for (const name of ['Site 10', 'site 9', 'Blog']) await visit.headcount.addProject({ name });
    const { page } = await visit.look('/installation');
    await page.getByText('No other users yet').waitFor();
    const offered = page.getByRole('combobox', { name: 'Project' }).locator('option');
    await expect
      .poll(() => offered.allInnerTexts())
      .toEqual(['All projects', 'Blog', 'Docs', 'site 9', 'Site 10']);
    expect(await page.locator('main').getByRole('link').allInnerTexts()).not.toContain('Blog');
  });

  test('see with the measurements how old the addresses of AI clients are', async () => {
    const { page } = await visit.look(`${visit.base}/measurement`);
    const lists = page.getByRole('region', { name: 'Addresses of AI clients' });
    await lists.getByRole('listitem').filter({ hasText: 'GPTBot' }).locator('time').waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test('stand in the list of changes with their roles in projects as these are called', async () => {
    const { page, client } = await visit.look('/installation');
    await join(visit.headcount, client, 'ada', [{ projectId: visit.headcount.projectId, role: 'editor' }]);
    await page.reload();
    await page.locator('#audit').getByText('editor of Docs').waitFor();
  });

  test('are added where the settings of a project lead to', async () => {
    const { page } = await visit.look(`${visit.base}/settings/keys`);
    await page.locator('main').getByRole('link', { name: 'Installation' }).click();
    await page.waitForURL('**/installation');
    await page.getByRole('button', { name: 'Add user' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
  });

  test('are invited by a link, sign in with their name, and are removed', async () => {
    const { page, client } = await visit.look('/installation');
    await page.getByText('No other users yet').waitFor();
    await field(page, 'Name of the user').fill('Ada');
    await page.getByLabel('Role').selectOption('editor');
    await page.getByRole('combobox', { name: 'Project' }).selectOption('Docs');
    await button(page, 'Add user').click();
    const dialog = page.getByRole('dialog', { name: 'Send them this link' });
    const link = new URL(await dialog.locator('code').innerText());
    await button(page, 'I have copied it').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Editor of Docs', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(link.hash.slice(1, 44));

    const ada = await openPage(visit.browser, { url: visit.headcount.url });
    await ada.open(link.pathname + link.hash);
    await ada.page.getByText('the name ada you sign in').waitFor();
    await field(ada.page, 'Password').fill(userPassword);
    await field(ada.page, 'Repeat the password').fill(userPassword);
    await button(ada.page, 'Set password and sign in').click();
    await ada.page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    await button(ada.page, 'Sign out').click();
    await field(ada.page, 'Name').fill('ada');
    await field(ada.page, 'Password').fill('a wrong one');
    await button(ada.page, 'Sign in').click();
    await ada.page.getByText('The name or the password is wrong.').waitFor();
    await field(ada.page, 'Password').fill(userPassword);
    await button(ada.page, 'Sign in').click();
    await ada.page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();

    await button(page, 'Remove ada').click();
    await button(page, 'Remove user').click();
    await page.getByText('No other users yet').waitFor();
    expect((await client.must<UsersReply>('GET', '/v1/users')).users).toEqual([]);
    await ada.page.reload();
    await ada.page.getByText('Your session has expired').waitFor();
  });

  test('are given other roles, and a new link', async () => {
    const { page, client } = await visit.look('/installation');
    await join(visit.headcount, client, 'ada', [{ projectId: null, role: 'viewer' }]);
    await page.reload();
    await page.getByText('Viewer of all projects', { exact: true }).waitFor();
    await button(page, 'Roles of ada').click();
    const dialog = page.getByRole('dialog', { name: 'Roles of ada' });
    await dialog.waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByLabel('Role').selectOption('owner');
    await dialog.getByRole('combobox', { name: 'Project' }).selectOption('Docs');
    await button(page, 'Add role').click();
    await button(page, 'Remove: Viewer of all projects').click();
    const roles = async () => (await client.must<UsersReply>('GET', '/v1/users')).users[0]?.roles;
    await expect.poll(roles).toEqual([{ projectId: visit.headcount.projectId, role: 'owner' }]);
    await button(page, 'Close').click();
    await page.getByText('Owner of Docs', { exact: true }).waitFor();
    await button(page, 'New link for ada').click();
    const link = page.getByRole('dialog', { name: 'Send them this link' });
    await expect.poll(() => link.locator('code').innerText()).toContain('/invitation#');
    expect(await findViolations(page)).toEqual([]);
  });
});

describe('who changed what', () => {
  test('is told to owners, page by page, and as a file', async () => {
    const { page, client, open } = await visit.look('/installation');
    const audit = page.getByRole('region', { name: 'Audit log' });
    await audit.getByText('The administrator changed the password of administrator').waitFor();
    await client.must('PATCH', visit.admin, { settings: { timeZone: 'Asia/Tokyo' } });
    for (let i = 1; i <= 20; i++) {
      await client.must('POST', `${visit.admin}/keys`, { name: `key ${i}`, scope: 'ingest' });
    }
    await open('/installation');
    await audit.getByText('made the API key key 20 in Docs').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await button(page, 'Older').click();
    await audit.getByText('changed settings of the project Docs').waitFor();
    await audit.getByText('timeZone: UTC → Asia/Tokyo').waitFor();
    await button(page, 'Newer').click();
    const download = page.waitForEvent('download');
    await audit.getByRole('link', { name: 'Audit log as a CSV file' }).click();
    expect((await download).suggestedFilename()).toMatch(/^headcount_audit_\d{4}-\d\d-\d\d\.csv$/);
    await open(`${visit.base}/settings/keys`);
    await audit.getByText('made the API key key 20').waitFor();
  });
});

describe('somebody who shares the installation', () => {
  const projectRole = (role: 'viewer' | 'editor' | 'owner') => [
    { projectId: visit.headcount.projectId, role },
  ];

  const ofNumbers = ['Overview', 'AI', 'Search', 'Conversions', 'Fix', 'Live', 'Measurement'];

  test.each([
    ['viewer', [...ofNumbers, 'AI rules']],
    ['editor', [...ofNumbers, 'Jobs', 'AI rules', 'Install', 'Settings']],
    ['owner', [...ofNumbers, 'Jobs', 'AI rules', 'Install', 'Settings']],
  ] as const)('as %s sees the pages that are for them, and no others', async (role, tabs) => {
    const administrator = await visit.signIn();
    const ada = await join(visit.headcount, administrator, 'ada', projectRole(role));
    const shown = await lookAs(ada, '/');
    await shown.page.getByRole('heading', { name: 'Docs', level: 1 }).waitFor();
    await settle(shown.page);
    await expect.poll(() => tabsOf(shown)).toEqual(tabs);
    const text = role === 'viewer' ? 'No page views yet' : 'Waiting for the first page view';
    await shown.page.getByText(text).waitFor();
    await visit.headcount.hit({ u: 'https://docs.example/' });
    await shown.open(visit.base);
    await shown.page.locator('[data-figure=human]').first().waitFor();
    const notes = button(shown.page, 'Notes on the chart');
    await expect.poll(() => notes.count()).toBe(role === 'viewer' ? 0 : 1);
    await button(shown.page, 'Project Docs, switch').click();
    await shown.page.getByRole('navigation', { name: 'Projects' }).waitFor();
    expect(await button(shown.page, 'New project').count()).toBe(0);
    await shown.open(`${visit.base}/keys`);
    const title = role === 'owner' ? 'Settings' : 'Page not found';
    await expect.poll(() => shown.page.getByRole('heading', { level: 1 }).innerText()).toBe(title);
    await shown.open('/installation');
    expect(await shown.page.getByRole('heading', { name: 'People' }).count()).toBe(0);
    expect(shown.problems).toEqual([]);
  });

  test('as editor sees no settings that are for owners, and saves the others', async () => {
    const administrator = await visit.signIn();
    const ada = await join(visit.headcount, administrator, 'ada', projectRole('editor'));
    const { page, problems } = await lookAs(ada, `${visit.base}/settings`);
    const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    await expect
      .poll(() => links.allInnerTexts())
      .toEqual(['General', 'Goals and sections', 'Reports and alerts', 'Sharing', 'Jobs']);
    await field(page, 'Name').fill('Handbook');
    await button(page, 'Save: General').click();
    await button(page, 'Project Handbook, switch').waitFor();
    const note = 'Only an owner can change this.';
    for (const [name, on] of [
      ['Host names', 'General'],
      ['Public host', 'General'],
      ['Send mail to', 'Reports and alerts'],
      ['Repository', 'Jobs'],
      ['Files that agents may change', 'Jobs'],
    ] as const) {
      await links.filter({ hasText: on }).click();
      const described = await field(page, name).getAttribute('aria-describedby');
      const said = await Promise.all(
        (described ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()),
      );
      expect([name, said.includes(note)]).toEqual([name, true]);
    }
    await expect.poll(() => page.getByText(note).count()).toBeGreaterThan(5);
    await field(page, 'Repository').fill('https://github.com/ada/site');
    await button(page, 'Save: Jobs').click();
    await page.getByText('This needs an owner of this project, and you are an editor').waitFor();
    expect(problems.filter((text) => !text.includes('403'))).toEqual([]);
  });

  test('changes their own password', async () => {
    const administrator = await visit.signIn();
    const ada = await join(visit.headcount, administrator, 'ada', projectRole('viewer'));
    const { page } = await lookAs(ada, '/installation');
    await field(page, 'Current password').fill(userPassword);
    await field(page, 'New password').fill('another of their own');
    await button(page, 'Change password').click();
    await page.getByText('Changed').waitFor();
  });

  test('without a role is told whom to ask', async () => {
    const administrator = await visit.signIn();
    const { projectId } = await visit.headcount.addProject({ name: 'Other' });
    const ada = await join(visit.headcount, administrator, 'ada', [{ projectId, role: 'viewer' }]);
    await administrator.must('DELETE', `/v1/admin/projects/${projectId}`, { name: 'Other' });
    const { page } = await lookAs(ada, '/');
    await page.getByText('You have a role in no project').waitFor();
  });
});
