import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ProjectReply } from '../../shared/accounts/admin.ts';
import { panelOf, readRows } from '../support/dashboard/page.ts';
import { button, dashboardVisits } from '../support/dashboard/visit.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { userAgentOf } from '../support/identity/user-agents.ts';

const visit = dashboardVisits();

/** Three: "Docs" with two people whom the script saw, "Site 10" with a person and an AI client, and "Site 9" without any. */
async function lookAtAll() {
  const { headcount } = visit;
  const ten = await headcount.addProject({ name: 'Site 10' });
  await headcount.addProject({ name: 'Site 9' });
  for (const agent of [
    chromeUserAgent,
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  ]) {
    await headcount.hit({ u: 'https://docs.example/' }, { 'user-agent': agent });
  }
  const hit = { url: 'https://site.example/', ip: '192.0.2.1' };
  await ten.hits([
    { ...hit, userAgent: chromeUserAgent },
    { ...hit, userAgent: userAgentOf('ClaudeBot') },
  ]);
  return visit.look('/');
}

const table = (page: Page) => panelOf(page, 'Projects');
const numbersOf = async (page: Page) =>
  (await readRows(table(page))).map(([name, ...numbers]) => [name, ...numbers]);
const namesOf = async (page: Page) => (await readRows(table(page))).map(([name]) => name);

describe('all projects', () => {
  test('are on one page, the one with the most visitors first, each with the course of its days', async () => {
    const { page } = await lookAtAll();
    await page.getByRole('heading', { name: 'All projects', level: 1 }).waitFor();
    await expect
      .poll(() => numbersOf(page))
      .toEqual([
        ['Docs', '2', '–\nnot measured', '2'],
        ['Site 10', '1', '1', '2'],
        ['Site 9', '0', '0', '0'],
      ]);
    await expect.poll(() => table(page).locator('tbody svg').count()).toBe(3);
    await table(page).getByRole('link', { name: 'Site 10' }).click();
    await page.getByRole('heading', { name: 'Site 10', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Headcount, home' }).click();
    await page.getByRole('heading', { name: 'All projects', level: 1 }).waitFor();
  });

  test('are read by one request, whatever their number', async () => {
    const { page, open } = await lookAtAll();
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/v1/analytics')) asked.push(pathname);
    });
    await open('/');
    expect(asked).toEqual(['/v1/analytics']);
  });

  test('are sorted by their name or a number, and searched, all of it in the address', async () => {
    const { page, open } = await lookAtAll();
    await button(page, 'Project').click();
    await expect.poll(() => namesOf(page)).toEqual(['Docs', 'Site 9', 'Site 10']);
    await button(page, 'AI').click();
    await expect.poll(() => namesOf(page)).toEqual(['Site 10', 'Docs', 'Site 9']);
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'AI' }).getAttribute('aria-sort'))
      .toBe('descending');
    await open('/?sort=name&search=SITE');
    await expect.poll(() => namesOf(page)).toEqual(['Site 9', 'Site 10']);
    await page.getByRole('searchbox', { name: 'Search in projects' }).fill('shop');
    await page.getByText('No project has this name.').waitFor();
  });

  test('get another one by a button', async () => {
    const { page, client } = await lookAtAll();
    await button(page, 'New project').click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Shop');
    await button(page, 'Create project').click();
    await page.getByRole('heading', { name: 'Install', level: 1 }).waitFor();
    const { projects } = await client.must<{ projects: ProjectReply[] }>('GET', '/v1/admin/projects');
    expect(projects.map(({ name }) => name).sort()).toEqual(['Docs', 'Shop', 'Site 10', 'Site 9']);
  });
});

describe('the menu of projects', () => {
  test('is in the order of names, and leads to all of them', async () => {
    await visit.headcount.addProject({ name: 'site 10' });
    await visit.headcount.addProject({ name: 'Site 9' });
    await visit.headcount.addProject({ name: 'Blog' });
    const { page } = await visit.look(visit.base);
    await button(page, 'Project Docs, switch').click();
    const links = page.getByRole('navigation', { name: 'Projects' }).getByRole('link');
    await expect.poll(() => links.allInnerTexts()).toEqual(['Blog', 'Docs', 'Site 9', 'site 10']);
    await page.getByRole('link', { name: 'All projects' }).click();
    await page.getByRole('heading', { name: 'All projects', level: 1 }).waitFor();
  });

  test('of 200 projects is searched without the mouse, and begins anew each time', async () => {
    await Promise.all(
      Array.from({ length: 200 }, (_, number) => visit.headcount.addProject({ name: `Site ${number}` })),
    );
    const { page } = await visit.look(visit.base);
    await button(page, 'Project Docs, switch').press('Enter');
    const search = page.getByRole('searchbox', { name: 'Search projects' });
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.type('site 137');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Site 137', level: 1 }).waitFor();
    await button(page, 'Project Site 137, switch').click();
    await expect.poll(() => search.inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
  });
});
