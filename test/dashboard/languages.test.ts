import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import arabic from '../../dashboard/texts/ar.json' with { type: 'json' };
import { t as automations } from '../../dashboard/texts/automations.ts';
import { t as common } from '../../dashboard/texts/common.ts';
import german from '../../dashboard/texts/de.json' with { type: 'json' };
import { t as declared } from '../../dashboard/texts/declared.ts';
import { t as frame } from '../../dashboard/texts/frame.ts';
import { t as goals } from '../../dashboard/texts/goals.ts';
import { t as installation } from '../../dashboard/texts/installation.ts';
import { t as jobs } from '../../dashboard/texts/jobs.ts';
import { t as pages } from '../../dashboard/texts/pages.ts';
import { t as report } from '../../dashboard/texts/report.ts';
import { t as settings } from '../../dashboard/texts/settings.ts';
import type { LinkReply } from '../../shared/accounts/admin.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import { startShell } from '../support/browser.ts';
import { type DashboardClient, openDashboard } from '../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  expectNoSideways,
  findSmallTexts,
  findViolations,
  keepPage,
  openPage,
  scrollThrough,
  settle,
} from '../support/dashboard/page.ts';
import { type FilledHeadcount, startFilledHeadcount } from '../support/dataset/dataset.ts';

const automation = {
  name: 'Mondays',
  when: { kind: 'weekly', weekdays: ['monday'], hour: 6 },
  recipe: 'still-true',
};

let headcount: FilledHeadcount;
let browser: Browser;
let client: DashboardClient;
let base: string;
let share: string;
let job: string;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startFilledHeadcount({ dataset: { days: 3 } }), startShell()]);
  client = await openDashboard(headcount);
  base = `/p/${headcount.projectId}`;
  const admin = `/v1/admin/projects/${headcount.projectId}`;
  const { url } = await client.must<LinkReply>('POST', `${admin}/links`, { kind: 'page' });
  share = new URL(url).pathname;
  // Lists whose rows have buttons of their own.
  await headcount.addProject();
  await client.must('POST', `${admin}/keys`, { name: 'edge worker', scope: 'ingest' });
  await client.must('PATCH', admin, {
    settings: {
      ...{ repository: 'https://git.example/ada/site', model: 'compatible/none' },
      ...{ goals: ['Sign up', '/docs/**'], funnels: ['/docs/** > Sign up'] },
    },
  });
  // Nothing works on it here.
  const { id } = await client.must<JobReply>('POST', `/v2/agent/${headcount.projectId}/job`, { prompt: 'x' });
  job = `${base}/jobs/${id}`;
  await client.must('POST', `/v2/agent/${headcount.projectId}/automations`, automation);
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const look = (locale: string, isSignedIn = true, how = openPage) =>
  how(browser, {
    ...{ url: headcount.url, now: headcount.clock.now(), locale },
    ...(isSignedIn && { client }),
  });

const spokenOn = (page: Page) =>
  page.evaluate<string[]>('[document.documentElement.lang, document.documentElement.dir]');

/** English sentences, and other texts that are long enough to be of no other language; names are of all. */
function* sentencesOf(texts: unknown): Generator<string> {
  if (typeof texts === 'string') {
    if (texts.length > 14 && texts.includes(' ') && !texts.includes('{')) yield texts;
  } else for (const text of Object.values(texts as object)) yield* sentencesOf(text);
}

const sentences = [automations, common, declared, frame, goals, installation, jobs, pages, report, settings]
  .flatMap((texts) => [...sentencesOf(texts)])
  // A name, a prompt that stands in a command as an example, and examples such as `/docs/v1/** /docs/**`.
  .filter((text) => text !== pages.targets.worker && text !== jobs.findThePagesThatAiClients)
  .filter((text) => !/^\w*\//.test(text));

/** What the server says is in English; no such text is among those of the dashboard. */
async function findEnglish(page: Page): Promise<string[]> {
  const read = await page.evaluate<string>(
    `document.body.innerText + [...document.querySelectorAll('[aria-label],[title],[placeholder]')]
      .map((element) => ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name)).join(' '))`,
  );
  return sentences.filter((sentence) => read.includes(sentence));
}

const where = [
  ['all projects', () => '/', true],
  ['the overview', () => `${base}?range=7d`, true],
  ...['ai', 'search', 'conversions', 'fix', 'live', 'measurement'].map(
    (end) => [end, () => `${base}/${end}`, true] as const,
  ),
  ...['goals', 'reports', 'sharing', 'jobs', 'danger'].map(
    (end) => [`settings of ${end}`, () => `${base}/settings/${end}`, true] as const,
  ),
  ['jobs', () => `${base}/jobs`, true],
  ['a job', () => job, true],
  ['rules', () => `${base}/rules`, true],
  ['install', () => `${base}/install`, true],
  ['keys', () => `${base}/keys`, true],
  ['the settings', () => `${base}/settings`, true],
  ['the installation', () => '/installation', true],
  ['the sign-in page', () => '/sign-in', false],
  ['an invitation', () => '/invitation#token/ada', false],
  ['a shared page', () => share, false],
] as const;

/** What opens over a page, and which button opens it. */
const dialogs = [
  ['other days', () => base, ({ report }) => report.custom],
  ['notes on the chart', () => base, ({ report }) => report.notesOnTheChart],
  ['what starts jobs', () => `${base}/jobs`, ({ automations }) => automations.add],
  ['the end of a job', () => job, ({ jobs }) => jobs.archive],
  ['the end of a key', () => `${base}/keys`, () => 'edge worker'],
  ['a second factor', () => '/installation', ({ installation }) => installation.turnOnTheSecondFactor],
] as const satisfies [string, () => string, (texts: typeof german | typeof arabic) => string][];

describe.each([
  ['de-AT', 'de', 'ltr', german],
  ['ar-EG', 'ar', 'rtl', arabic],
] as const)('where the browser prefers %s', (locale, language, direction, texts) => {
  let ada: DashboardPage;
  let stranger: DashboardPage;
  beforeAll(async () => {
    ada = await look(locale, true, keepPage);
    stranger = await look(locale, false, keepPage);
  });

  async function visit(path: string, shown = ada): Promise<DashboardPage> {
    shown.problems.length = 0;
    await shown.page.emulateMedia({ colorScheme: 'light' });
    await shown.page.setViewportSize({ width: 1280, height: 900 });
    await shown.open(path);
    return shown;
  }

  test.each(dialogs)('the dialog of %s is in that language', async (_name, path, buttonIn) => {
    const { page, problems } = await visit(path());
    await page
      .getByRole('button', { name: buttonIn(texts) })
      .first()
      .click();
    await page.locator('dialog[open] :is(input, button)').first().waitFor();
    await settle(page);
    expect(await findEnglish(page)).toEqual([]);
    expect(await findViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test.each(where)('%s is in that language, on a desk and on a phone', async (_name, path, isSignedIn) => {
    const { page, problems } = await visit(path(), isSignedIn ? ada : stranger);
    await scrollThrough(page);
    expect(await spokenOn(page)).toEqual([language, direction]);
    expect(await findEnglish(page)).toEqual([]);
    expect(await findViolations(page)).toEqual([]);
    await expectNoSideways(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await settle(page);
      await expectNoSideways(page);
    }
    expect(await findViolations(page)).toEqual([]);
    expect(await findSmallTexts(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('where there are no texts in a language of the browser, they are in English, and loaded with the page', async () => {
  const { page, open } = await look('fr-FR');
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await open(base);
  expect(await spokenOn(page)).toEqual(['en', 'ltr']);
  expect(loaded.filter((path) => /\/(de|ar)-/.test(path))).toEqual([]);
});

test('a language that is chosen stays, and is of this browser alone', async () => {
  const { page, open } = await look('en-GB');
  await open(`${base}/settings`);
  const menu = page.getByRole('combobox', { name: 'Language' });
  await expect.poll(() => menu.locator('option').allInnerTexts()).toEqual(['English', 'Deutsch', 'العربية']);
  await menu.selectOption('Deutsch');
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('language');
  await page.reload();
  await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('العربية');
  await page.getByRole('heading', { name: 'الإعدادات', level: 1 }).waitFor();
  expect(await spokenOn(page)).toEqual(['ar', 'rtl']);
  await page.getByRole('combobox', { name: 'اللغة' }).selectOption('English');
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(await spokenOn(page)).toEqual(['en', 'ltr']);
  const other = await look('en-GB');
  await other.open(`${base}/settings`);
  expect(await spokenOn(other.page)).toEqual(['en', 'ltr']);
});

test('English that is chosen is kept although the browser prefers German', async () => {
  const { page, open } = await look('de-DE', false);
  await open('/sign-in');
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a language that cannot be loaded leaves all as it is, and says so', async () => {
  const { page, open } = await look('en-GB', false);
  await page.route(/\/de-/, (route) => route.abort());
  await open('/sign-in');
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
  await page.getByRole('alert').getByText('This language could not be loaded. Try again.').waitFor();
  expect(await spokenOn(page)).toEqual(['en', 'ltr']);
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('where the language of the browser cannot be loaded, the page comes in English', async () => {
  const { page, open } = await look('ar', false);
  await page.route(/\/ar-/, (route) => route.abort());
  await open('/sign-in');
  expect(await spokenOn(page)).toEqual(['en', 'ltr']);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('numbers and days are written as the language has them', async () => {
  const { page, open } = await look('de-DE');
  await open(`${base}?range=2026-11-19..2026-11-20`);
  await expect
    .poll(() => page.locator('.report-days').innerText())
    .toContain('19.11.2026 bis 20.11.2026, Zeitzone');
  const arabic = await look('ar-SA');
  await arabic.open(`${base}?range=2026-11-19..2026-11-20`);
  // Days of the calendar and in the digits that addresses and tables of dates have.
  await expect
    .poll(() => arabic.page.locator('.report-days').innerText())
    .toMatch(/19\D+11\D+2026.+20\D+11\D+2026/);
});

test('what is read from left to right stays so in Arabic', async () => {
  const { page, open } = await look('ar');
  await open(`${base}/keys`);
  const directions = (selector: string) =>
    page.evaluate<string[]>(
      `[...new Set([...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).direction))]`,
    );
  await expect.poll(() => directions('code')).toEqual(['ltr']);
  await open(base);
  await expect.poll(() => directions('.chart-canvas')).toEqual(['ltr']);
  await expect.poll(() => directions('.path bdi')).toEqual(['ltr']);
  expect(await directions('table')).toEqual(['rtl']);
});
