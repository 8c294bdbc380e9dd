import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { startShell } from '../support/browser.ts';
import {
  type DashboardPage,
  expectNoSideways,
  findSmallTexts,
  findViolations,
  keepPage,
  openPage,
  panelOf,
  readRows,
  scrollThrough,
  settle,
} from '../support/dashboard/page.ts';
import { join } from '../support/dashboard/people.ts';
import { type DashboardWorld, startDashboardWorld } from '../support/dashboard/world.ts';
import { finish, obedient } from '../support/jobs/job-run.ts';
import { jobClient } from '../support/jobs/jobs.ts';

let world: DashboardWorld;
let browser: Browser;
let pages: Record<string, string>;
let owner: DashboardPage;
/** Somebody who is not signed in. */
let stranger: DashboardPage;

/** A few days of visitors, among them such that want to harm who looks; a job, keys and links. */
beforeAll(async () => {
  const dataset = { days: 3, hostile: true };
  [world, browser] = await Promise.all([
    startDashboardWorld({ dataset, script: obedient, slug: 'ada/site', files: { 'index.md': '# Site\n' } }),
    startShell(),
  ]);
  const { client, projectId, jobs } = world;
  const admin = `/v1/admin/projects/${projectId}`;
  await client.must('PATCH', admin, jobs);
  // With names in them, the sign-in and the page of the installation have all that they can have.
  await join(world, client, 'ada@example.com', [{ projectId, role: 'editor' }]);
  const { url } = await client.must<LinkReply>('POST', `${admin}/links`, { kind: 'page' });
  await client.must('POST', `${admin}/links`, { kind: 'badge' });
  const prompt = 'write <b>page</b>.md \u202Eevil <script>alert(20)</script>';
  const { id } = await client.must<JobReply>('POST', `/v2/agent/${projectId}/job`, { prompt });
  await finish(jobClient(world.url, world), id);
  await world.addProject({ name: '<b>Second</b> \u202Eevil' });
  const base = `/p/${projectId}`;
  pages = {
    'all projects': '/',
    overview: `${base}?range=7d`,
    AI: `${base}/ai?range=7d`,
    search: `${base}/search?range=7d`,
    conversions: `${base}/conversions?range=7d`,
    fix: `${base}/fix`,
    measurement: `${base}/measurement?range=7d`,
    'overview of one AI client': `${base}?range=7d&client=GPTBot`,
    'overview of one page': `${base}?range=7d&path=/docs/faq&measure=views`,
    'overview without anything': `${base}?range=2020-01-01..2020-01-02`,
    jobs: `${base}/jobs`,
    job: `${base}/jobs/${id}`,
    install: `${base}/install`,
    rules: `${base}/rules`,
    keys: `${base}/keys`,
    settings: `${base}/settings`,
    'settings of goals': `${base}/settings/goals`,
    'settings of reports': `${base}/settings/reports`,
    'settings of sharing': `${base}/settings/sharing`,
    'settings of jobs': `${base}/settings/jobs`,
    'settings of danger': `${base}/settings/danger`,
    installation: '/installation',
    'a page that is not there': `${base}/nothing`,
    share: new URL(url).pathname,
    'a share link that is not there': '/share/nothing',
    'sign-in': '/sign-in',
    'one-time link': '/setup#some-token',
    invitation: '/invitation#some-token/ada',
  };
  const options = { url: world.url, now: world.clock.now() };
  owner = await keepPage(browser, { ...options, client });
  stranger = await keepPage(browser, options);
  // A job, a browser and some days of visits, beside other work on the machine. The limit tells a hang.
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const isPublic = (name: string) => /^(sign-in|share|one-time|invitation|a share)/.test(name);

interface Looks {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce' | 'no-preference';
}

const phone = { width: 360, height: 740 };

async function look(name: string, looks: Looks = {}): Promise<DashboardPage> {
  const shown = isPublic(name) ? stranger : owner;
  const {
    viewport = { width: 1280, height: 900 },
    colorScheme = 'light',
    reducedMotion = 'no-preference',
  } = looks;
  await shown.page.setViewportSize(viewport);
  await shown.page.emulateMedia({ colorScheme, reducedMotion });
  const path = pages[name] ?? name;
  // Between two fragments of an address nothing is loaded. Else a page goes on in its process, which about:blank would end.
  if (path.includes('#')) await shown.page.goto('about:blank');
  shown.problems.length = 0;
  await shown.open(path);
  await scrollThrough(shown.page);
  return shown;
}

const names = [
  'all projects',
  'overview',
  'overview of one AI client',
  'overview of one page',
  'overview without anything',
  'AI',
  'search',
  'conversions',
  'fix',
  'measurement',
  'jobs',
  'job',
  'install',
  'rules',
  'keys',
  'settings',
  'settings of goals',
  'settings of reports',
  'settings of sharing',
  'settings of jobs',
  'settings of danger',
  'installation',
  'a page that is not there',
  'share',
  'a share link that is not there',
  'sign-in',
  'one-time link',
  'invitation',
];

test.each(names)(
  '%s has nothing that axe-core objects to, and fits phones and wide screens',
  async (name) => {
    // Colours change at once where nothing may move.
    const { page } = await look(name, { viewport: { width: 1920, height: 1080 }, reducedMotion: 'reduce' });
    expect(await findViolations(page)).toEqual([]);
    await expectNoSideways(page);
    // Light and dark differ in their colours only.
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findViolations(page, ['color-contrast'])).toEqual([]);
    expect(await findSmallTexts(page)).toEqual([]);
    await page.setViewportSize(phone);
    await settle(page);
    await expectNoSideways(page);
    expect(await findViolations(page)).toEqual([]);
  },
);

describe('what is opened in a page', () => {
  test.each([
    ['keys', 'Revoke first ingest key', 'dialog'],
    ['settings of sharing', 'Revoke this share link', 'dialog'],
    ['installation', 'Roles of ada@example.com', 'dialog'],
    ['installation', 'Remove ada@example.com', 'dialog'],
    ['job', 'Archive', 'dialog'],
    ['overview', 'Project Teapot, switch', 'navigation', 'Projects'],
  ] as const)('in %s by "%s" has nothing that axe-core objects to', async (name, button, role, title?) => {
    const { page } = await look(name, { viewport: phone });
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole(role, title === undefined ? {} : { name: title }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await expectNoSideways(page);
  });

  test('gives the focus back when it is closed by Escape', async () => {
    const { page } = await look('keys');
    const button = page.getByRole('button', { name: 'Revoke first ingest key' });
    await button.click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label")');
    await expect.poll(focused).toBe('Revoke first ingest key');
  });
});

describe('the keyboard', () => {
  test('comes first to a link that skips to the content', async () => {
    const { page } = await look('overview');
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to content' });
    await expect.poll(async () => (await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await expect.poll(() => skip.getAttribute('href')).toBe('#main');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => page.evaluate('document.querySelector("main").contains(document.activeElement)'))
      .toBe(true);
  });

  test('goes from page to page, and begins at the heading there', async () => {
    const { page } = await look('overview');
    await page.getByRole('link', { name: 'Install', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Install', exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('Install');
    await expect.poll(() => page.title()).toBe('Install · Headcount');
  });

  test('shows where it is', async () => {
    const { page } = await look('overview');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const outline: string = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
  });
});

test('leads viewers to no page that is not for them', async () => {
  const ada = await join(world, world.client, 'viewer', [{ projectId: world.projectId, role: 'viewer' }]);
  const viewer = await openPage(browser, { url: world.url, now: world.clock.now(), client: ada });
  const linksOf = async ({ page, open }: DashboardPage) => {
    await open(pages.overview as string);
    await scrollThrough(page);
    const paths: string[] = await page.evaluate('[...document.links].map(({ pathname }) => pathname)');
    return new Set(paths.filter((path) => path.startsWith('/p/')).map((path) => path.split('/')[3]));
  };
  expect(await linksOf(owner)).toContain('jobs');
  expect(await linksOf(viewer)).toEqual(
    new Set([undefined, 'live', 'ai', 'search', 'conversions', 'fix', 'measurement', 'rules']),
  );
  expect(viewer.problems).toEqual([]);
});

test('nothing moves for who wants it so', async () => {
  const { page } = await look('overview', { reducedMotion: 'reduce' });
  const running: number = await page.evaluate('document.getAnimations().length');
  expect(running).toBe(0);
});

describe('texts that are meant to harm', () => {
  test.each(['overview', 'share'])('are nothing but text in the %s', async (name) => {
    const { page, problems } = await look(name);
    const expected: Record<string, RegExp> = {
      Pages: /<script>alert\(1\)<\/script>/,
      Sources: /<script>alert\(6\)<\/script>/,
    };
    for (const [title, text] of Object.entries(expected)) {
      const panel = panelOf(page, title);
      await panel.getByRole('searchbox').fill('script>alert');
      await expect.poll(async () => (await readRows(panel)).flat().join('\n')).toMatch(text);
    }
    expect(await page.locator('main script, main img, main svg[onload], main [onerror]').count()).toBe(0);
    expect(problems.filter((text) => !/404/.test(text))).toEqual([]);
  });

  test('that would turn their surroundings around are shown escaped, or isolated', async () => {
    const { page } = await look('overview');
    const panel = panelOf(page, 'Pages');
    await panel.getByRole('searchbox').fill('invoice');
    await expect.poll(async () => (await readRows(panel))[0]?.[0]).toBe('/invoice%E2%80%AEfdp.exe');
    await panel.getByRole('searchbox').fill('שלום');
    await expect.poll(async () => (await readRows(panel))[0]?.[0]).toBe('/שלום/%E2%80%8F');
    await expect.poll(() => panel.locator('tbody th bdi').getAttribute('dir')).toBe('ltr');
  });

  test('are told from pictures and words that need what is not seen', async () => {
    const { page } = await look('overview');
    const panel = panelOf(page, 'Pages');
    await panel.getByRole('searchbox').fill('🫖');
    await expect.poll(async () => (await readRows(panel))[0]?.[0]).toBe('/🫖/👩‍👩‍👧');
    await panel.getByRole('searchbox').fill('می');
    await expect.poll(async () => (await readRows(panel))[0]?.[0]).toBe('/می\u200cخواهم/pay%E2%80%8Cpal');
  });

  test('are never addresses of links', async () => {
    const { page } = await look('overview');
    await panelOf(page, 'Pages').getByRole('searchbox').fill('javascript');
    await expect
      .poll(async () => (await readRows(panelOf(page, 'Pages')))[0]?.[0])
      .toBe('/javascript:alert(5)');
    const schemes: string[] = await page.evaluate('[...document.links].map(({ protocol }) => protocol)');
    expect(new Set(schemes)).toEqual(new Set(['http:']));
  });

  test('are nothing but text in a job', async () => {
    const { page, problems } = await look('job');
    const said = await page.locator('.line-message').innerText();
    expect(said).toContain('write <b>page</b>.md \u{fffd}evil <script>alert(20)</script>');
    expect(problems).toEqual([]);
  });

  test('of 1,000 characters leave a phone’s page as wide as it is', async () => {
    const { page } = await look('overview', { viewport: phone });
    await panelOf(page, 'Pages').getByRole('searchbox').fill('long-long');
    await expect.poll(async () => (await readRows(panelOf(page, 'Pages')))[0]?.[0]).toContain('/long-long');
    await panelOf(page, 'Pages').locator('tbody').getByRole('link').first().click();
    await page.waitForURL('**path=%2Flong-long*');
    await settle(page);
    await expectNoSideways(page);
  });
});
