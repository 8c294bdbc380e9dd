import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ListedProject } from '../../../server/store/projects.ts';
import { startShell } from '../../support/browser.ts';
import { type DashboardClient, openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  lookAtPanel,
  looks,
  openPage,
  panelOf,
  readRows,
  scrollThrough,
} from '../../support/dashboard/page.ts';
import { startGitServer } from '../../support/git/git-server.ts';
import { chromeUserAgent, type Headcount, startHeadcount } from '../../support/headcount.ts';

let headcount: Headcount;
let browser: Browser;
let client: DashboardClient;

const hit = (person: number, path: string, more: object = {}) => ({
  ...{ url: `https://example.com${path}`, ip: `198.51.100.${person}`, userAgent: chromeUserAgent },
  ...more,
});

beforeAll(async () => {
  const env = { HEADCOUNT_GIT_PROTOCOLS: 'http', HEADCOUNT_PRIVATE_NETWORKS: 'allow' };
  [headcount, browser] = await Promise.all([startHeadcount({ env }), startShell()]);
  client = await openDashboard(headcount);
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

test('goals are set in the settings, line by line, and the report says what they are for until then', async () => {
  const { page, open } = await openPage(browser, { url: headcount.url, client });
  await open(`/p/${headcount.projectId}/conversions`);
  const panel = panelOf(page, 'Goals');
  await scrollThrough(page);
  await panel.getByText('No goal is set.').waitFor();
  await open(`/p/${headcount.projectId}/settings/goals`);
  await page.getByRole('textbox', { name: 'Goals' }).fill('Sign up\n\n /thanks, and more \n');
  await page.getByLabel('Funnels').fill('/, x>/cart');
  await page.getByRole('button', { name: 'Save: Goals and sections' }).click();
  await expect
    .poll(() => headcount.context.registry.project(headcount.projectId)?.settings.goals)
    .toEqual(['Sign up', '/thanks, and more']);
  expect(headcount.context.registry.project(headcount.projectId)?.settings.funnels).toEqual(['/, x > /cart']);
});

const ofThose = '25%\n25% of people whose visits began there';
const between = (from: number, to: number) => `${from}–${to}\nbetween ${from} and ${to}`;

/** Of people who reached the goal; one of four came with a medium that says another channel. */
const groups = [
  ['Devices', 'device', [['Desktop', '1', '4', ofThose]]],
  ['Sections', 'section', [['Home', '1', '4', ofThose]]],
  [
    ...(['Channels', 'channel'] as const),
    [
      ['Other sites', between(0, 1), between(3, 4), '0%–33%\nbetween 0% and 33%'],
      ['Paid', between(0, 1), between(0, 1), '0%–100%\nbetween 0% and 100%'],
    ],
  ],
] as const;

test.each(looks)(
  'goals have their rates, and each leads to where people came from, %s',
  async (_, options) => {
    const { store, registry } = headcount.context;
    const { settings } = registry.project(headcount.projectId) as ListedProject;
    await store.setProject(headcount.projectId, {
      ...settings,
      goals: ['Sign up', '/thanks'],
      funnels: ['/ > Sign up'],
      sections: ['/ Home', '/docs/** Documentation'],
    });
    await registry.refresh();
    await headcount.hits([
      ...[1, 2, 3].map((person) => hit(person, '/', { referrer: 'https://news.example/' })),
      hit(4, '/?utm_medium=cpc', { referrer: 'https://news.example/' }),
      hit(1, '/', { event: { name: 'Sign up' } }),
      ...['/docs/a', '/docs/b'].map((path) => hit(1, path)),
    ]);
    const shown = await openPage(browser, { url: headcount.url, client, ...options });
    const { page } = shown;
    const lookAt = (title: string) => lookAtPanel(page, title);
    await shown.open(`/p/${headcount.projectId}/conversions`);
    const goals = await lookAt('Goals');
    await expect
      .poll(() => readRows(goals))
      .toEqual([
        ['Sign up', '1', '4', '25%\n25% of all people'],
        ['/thanks', '0', '4', '0%\n0% of all people'],
      ]);
    const funnels = await lookAt('Funnels');
    await expect
      .poll(() => readRows(funnels))
      .toEqual([
        ['1. /', '4', '100%\n100% of people in the first step'],
        ['2. Sign up', '1', '25%\n25% of people in the first step'],
      ]);
    await goals.getByRole('link', { name: 'Sign up' }).click();
    await page.waitForURL('**goal=Sign*');
    const sources = await lookAt('Goal: Sign up');
    await expect.poll(() => readRows(sources)).toEqual([['news.example', '1', '4', ofThose]]);
    await panelOf(page, 'Goal: Sign up').getByRole('link', { name: 'Landing pages' }).click();
    await page.waitForURL('**by=path*');
    const pages = await lookAt('Goal: Sign up');
    await expect.poll(() => readRows(pages)).toEqual([['/', '1', '4', ofThose]]);
    for (const [title, by, rows] of groups) {
      await panelOf(page, 'Goal: Sign up').getByRole('link', { name: title }).click();
      await page.waitForURL(`**by=${by}*`);
      await expect.poll(() => readRows(panelOf(page, 'Goal: Sign up'))).toEqual(rows);
    }
    await pages.getByRole('link', { name: 'All goals' }).click();
    await lookAt('Goals');
    const sections = await lookAt('Sections');
    await expect
      .poll(() => readRows(sections))
      .toEqual([
        ['Home', '4', '0', '4'],
        ['Documentation', '1', '0', '1'],
        ['Pages in no section', '0', '0', '0'],
      ]);
    await sections.getByRole('link', { name: 'Documentation' }).click();
    await page.waitForURL(/\/p\/\w+\?.*path=%2Fdocs/);
    expect(shown.problems).toEqual([]);
  },
);

test('parts of the site are added to the sections with a click, and one without pages gets a warning', async () => {
  const { registry } = headcount.context;
  const settings = () => registry.project(headcount.projectId)?.settings;
  await headcount.hits(['/', '/manual/a', '/manual/b'].map((path) => hit(9, path)));
  const { page, open, problems } = await openPage(browser, { url: headcount.url, client });
  await open(`/p/${headcount.projectId}/settings/goals`);
  await page.getByRole('button', { name: 'Add Manual' }).click();
  const sections = page.getByRole('textbox', { name: 'Sections' });
  await sections.fill(`${await sections.inputValue()}\n/nothing/** Nothing`);
  await page.getByRole('button', { name: 'Save: Goals and sections' }).click();
  await expect
    .poll(() => settings()?.sections.slice(-2))
    .toEqual(['/manual/** Manual', '/nothing/** Nothing']);
  await page.getByText('names /nothing/**, which is of no page that was counted so far.').waitFor();
  expect(problems).toEqual([]);
});

test('parts of the repository are added with a click, before anybody has viewed them', async () => {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const pages = ['index', 'api/a', 'api/b', 'guides/a'].map((name) => [`docs/${name}.md`, '# Page\n']);
  const files = { 'mkdocs.yml': 'site_name: Docs\n', ...Object.fromEntries(pages) };
  const repository = await git.createRepository('ada/site', files);
  const project = await headcount.addProject({ repository, forge: 'none' });
  const { page, open, problems } = await openPage(browser, { url: headcount.url, client });
  await open(`/p/${project.projectId}/settings/goals`);
  const look = page.getByRole('button', { name: 'Look in the repository' });
  await look.click();
  await page.getByRole('button', { name: 'Add Api' }).click();
  expect(await page.getByRole('textbox', { name: 'Sections' }).inputValue()).toBe('/api/** Api');
  await page.getByText('No other parts were found.').waitFor();
  expect(problems).toEqual([]);
  await git.commit('ada/site', { 'docs/guides/b.md': '# Page\n' });
  await look.click();
  await page.getByRole('button', { name: 'Add Guides' }).waitFor();
});

test('a goal by section says how many views are beyond the limit of pages', async () => {
  const project = await headcount.addProject({ goals: ['Sign up'], sections: ['/ Home'] });
  for (const start of [0, 1000, 2000]) {
    await project.hits(Array.from({ length: 1000 }, (_, i) => hit(1, `/new/${start + i}`)));
  }
  await project.hits([hit(1, '/', { event: { name: 'Sign up' } })]);
  const { page, open } = await openPage(browser, { url: headcount.url, client });
  await open(`/p/${project.projectId}/conversions?goal=Sign+up&by=section`);
  const panel = panelOf(page, 'Goal: Sign up');
  await panel.getByText('1,000 views count as “All others” and are in no section.').waitFor();
  await open(`/p/${project.projectId}/conversions?goal=Sign+up`);
  await panel.getByText('Those who reached it').waitFor();
  expect(await panel.innerText()).not.toContain('in no section');
});
