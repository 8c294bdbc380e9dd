import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toDay } from '../../../server/counting/calendar.ts';
import { what } from '../../../server/counting/what.ts';
import { sealDueDays } from '../../../server/ingest/sealing/sealer.ts';
import type { LinkReply } from '../../../shared/accounts/admin.ts';
import { startShell } from '../../support/browser.ts';
import { createClock, dayMs } from '../../support/clock.ts';
import { openDashboard } from '../../support/dashboard/dashboard.ts';
import {
  type DashboardPage,
  findViolations,
  keepPage,
  panelOf,
  readRows,
  signInTo,
} from '../../support/dashboard/page.ts';
import { openChartTable } from '../../support/dashboard/report.ts';
import { type Headcount, type ProjectClient, startHeadcount } from '../../support/headcount.ts';
import { userAgentOf } from '../../support/identity/user-agents.ts';

const clock = createClock('2026-11-12T10:00:00Z');
let headcount: Headcount;
let browser: Browser;
let shown: DashboardPage;

beforeAll(async () => {
  [headcount, browser] = await Promise.all([startHeadcount({ now: clock.now }), startShell()]);
  shown = await keepPage(browser, { url: headcount.url, viewport: { width: 1280, height: 900 } });
});
afterAll(async () => {
  await browser.close();
  await headcount.stop();
});

const visitByScript = (project: ProjectClient = headcount) => project.hit({ u: 'https://docs.example/' });

const reportAi = (project: ProjectClient = headcount) =>
  project.hits([{ url: 'https://docs.example/', ip: '192.0.2.1', userAgent: userAgentOf('ClaudeBot') }]);

const look = (query: string, on = '', { projectId }: ProjectClient = headcount): Promise<DashboardPage> =>
  lookAt(`/p/${projectId}/${on}?${query}`);

async function lookAt(path: string): Promise<DashboardPage> {
  await signInTo(shown.page.context(), headcount.url, await openDashboard(headcount));
  await shown.page.clock.setFixedTime(clock.now());
  await shown.open(path);
  return shown;
}

test('where the script alone told, no table says that AI did nothing', async () => {
  await visitByScript();
  await headcount.hit({ u: 'https://docs.example/', e: 'Sign up' });
  const isSaid = async (titles: string[], on: DashboardPage) => {
    for (const title of titles) {
      const panel = panelOf(on.page, title);
      await panel.scrollIntoViewIfNeeded();
      await panel
        .getByText('Not measured: only your server or its log sees AI that runs no scripts.')
        .waitFor();
    }
  };
  await isSaid(['AI clients', 'Could not be read', 'Reads per visit'], await look('range=7d', 'ai'));
  await isSaid(['What to fix'], await look('range=7d', 'fix'));
  const dash = expect.stringMatching(/^–\s*not measured$/);
  const events = panelOf((await look('range=7d', 'conversions')).page, 'Events');
  await events.scrollIntoViewIfNeeded();
  await expect
    .poll(() => readRows(events))
    .toEqual([['Sign up', '1', dash, '1', '100%\n100% of all people']]);
  const { page } = await look('range=7d');
  await expect
    .poll(() => page.getByRole('slider').getAttribute('aria-valuetext'))
    .toMatch(/: 1 person, AI not measured, 1 in total$/);
  const today = (await openChartTable(page)).locator('tbody tr').first().locator('td');
  await expect.poll(() => today.allInnerTexts()).toEqual(['1', dash, '1']);
  await expect.poll(() => readRows(panelOf(page, 'Pages'))).toEqual([['/', '1', dash, '1', dash]]);
  await page.getByRole('region', { name: 'Visitors right now' }).getByText('AI not measured').waitFor();
  await panelOf(page, 'Sources').scrollIntoViewIfNeeded();
  const sources = () => readRows(panelOf(page, 'Sources'));
  await expect.poll(sources).toEqual([[expect.any(String), '1', '100%\n100% of all people']]);
  await page.getByRole('navigation', { name: 'Which pages' }).getByRole('link', { name: 'Entry' }).click();
  const entries = () => readRows(panelOf(page, 'Entry pages'));
  await expect.poll(entries).toEqual([['/', '1', dash, '1', '100%\n100% of these visits']]);
});

test('where the script alone told, an AI client that was chosen elsewhere is not said to have read nothing', async () => {
  const { page } = await look('range=7d&client=ClaudeBot');
  for (const name of ['AI visitors', 'Views by AI']) {
    const figure = page.getByRole('region', { name });
    await figure.getByText('Not measured').waitFor();
    expect(await figure.innerText()).not.toContain('0');
  }
  await panelOf(page, 'Pages it visited')
    .getByText('Not measured: only your server or its log sees AI that runs no scripts.')
    .waitFor();
});

test('where the script alone told, people from an assistant are not said to come without any reads', async () => {
  const project = await headcount.addProject();
  await project.hit({ u: 'https://docs.example/', r: 'https://chatgpt.com/' });
  const { operators } = await project.get<{ operators: object[] }>(
    `/v1/analytics/${project.projectId}/operators`,
  );
  expect(operators).toEqual([{ date: null, operator: 'OpenAI', aiViews: 0, visits: 1, ratio: null }]);
  const { page } = await look('range=7d', 'ai', project);
  const panel = panelOf(page, 'Reads per visit');
  await panel.scrollIntoViewIfNeeded();
  const dash = expect.stringMatching(/^–\s*not measured$/);
  await expect.poll(() => readRows(panel)).toEqual([[expect.any(String), dash, '1', '–']]);
});

test('where the server told of AI alone, people are not said to be none', async () => {
  const project = await headcount.addProject();
  await reportAi(project);
  const { page } = await look('range=7d', '', project);
  const people = page.getByRole('region', { name: 'People', exact: true });
  await expect
    .poll(() => people.innerText())
    .toMatch(/Not measured\s+Neither your server nor your log reported people./);
  const dash = expect.stringMatching(/^–\s*not measured$/);
  await expect.poll(() => readRows(panelOf(page, 'Pages'))).toEqual([['/', dash, '1', '1', dash]]);
  const slider = page.getByRole('slider');
  await expect
    .poll(() => slider.getAttribute('aria-valuetext'))
    .toMatch(/: People not measured, 1 AI, 1 in total$/);
  for (const title of ['Sources', 'Countries', 'Devices']) {
    const panel = panelOf(page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel.getByText('People are not measured.').waitFor();
    await panel.getByRole('link', { name: 'Install the script' }).waitFor();
  }
});

test('before the first hit, tables say that nothing was measured, and lead to what is missing', async () => {
  const project = await headcount.addProject();
  const isSaid = async (query: string, on: string, titles: string[], link?: string) => {
    const { page } = await look(query, on, project);
    for (const title of titles) {
      const panel = panelOf(page, title);
      await panel.scrollIntoViewIfNeeded();
      await panel.getByText('Nothing was measured: there were no hits.').waitFor();
      expect(await panel.locator('.empty a').allInnerTexts()).toEqual(link ? [link] : []);
    }
    expect(await findViolations(page)).toEqual([]);
    return page;
  };
  const server = 'Connect your server or log';
  await isSaid('range=7d', 'ai', ['AI clients', 'Could not be read', 'Stopped coming'], server);
  await isSaid('range=7d', 'ai', ['From assistants'], 'Install the script');
  await isSaid('range=7d', 'fix', ['What to fix'], server);
  await isSaid('range=7d', 'conversions', ['Events'], 'Install the script');
  await isSaid('range=7d', 'measurement', ['Not counted'], 'Install the script');
  await visitByScript(project);
  const dropped = panelOf((await look('range=7d', 'measurement', project)).page, 'Not counted');
  await dropped.scrollIntoViewIfNeeded();
  await dropped.getByText('Every hit was counted.').waitFor();
  // The script is there now.
  const before = 'range=2026-11-01..2026-11-07';
  const page = await isSaid(before, '', ['Pages', 'Sources', 'Countries']);
  const cards = page.locator('.cards .empty', { hasText: 'Nothing was measured' });
  await expect.poll(() => cards.count()).toBe(2);
  await isSaid(`${before}&pages=time`, '', ['Time on page']);
});

test('a client is not said to come as ever, nor a page to be unread, where nobody saw it', async () => {
  for (const [title, on] of [
    ['Stopped coming', 'ai'],
    ['Freshness', 'fix'],
  ] as const) {
    const panel = panelOf((await look('range=7d', on)).page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel
      .getByText('Not measured: only your server or its log sees AI that runs no scripts.')
      .waitFor();
  }
});

test('a server that joins is named with its first day, and AI is not told of on days before it, nor compared', async () => {
  clock.advance(8 * dayMs);
  await visitByScript();
  clock.advance(dayMs);
  await visitByScript();
  await reportAi();
  const { page } = await look('range=7d');
  await page.getByText('Counted from the script and your server (since 21 Nov 2026).').waitFor();
  const dash = expect.stringMatching(/^–\s*not measured$/);
  const table = await openChartTable(page);
  const newest = () => table.locator('tbody tr');
  await expect.poll(() => newest().nth(1).locator('td').allInnerTexts()).toEqual(['1', dash, '1']);
  await expect.poll(() => newest().first().locator('td').allInnerTexts()).toEqual(['1', '1', '2']);
  await page.getByRole('slider').press('ArrowLeft');
  const point = () => page.getByRole('slider').getAttribute('aria-valuetext');
  await expect.poll(point).toMatch(/: 1 person, AI not measured, 1 in total$/);
  await expect
    .poll(() => page.getByRole('region', { name: 'People', exact: true }).innerText())
    .toContain('The same as in the 6 days before. Today is left out.');
  for (const name of ['AI visitors', 'All visitors']) {
    expect(await page.getByRole('region', { name }).innerText()).not.toContain('days before');
  }
});

test('the only day on which AI was measured is seen among many', async () => {
  const project = await headcount.addProject();
  await visitByScript(project);
  clock.advance(dayMs);
  await Promise.all([visitByScript(project), reportAi(project)]);
  const { page } = await look('range=90d', '', project);
  await page.getByText(/Counted from the script and your server/).waitFor();
  // Above the line of zeros of the days before the first hit.
  const inkOfAi = `(() => {
    const canvas = document.querySelector('.chart canvas');
    const probe = document.body.appendChild(Object.assign(document.createElement('i'), { className: 'ink-ai' }));
    const ink = getComputedStyle(probe).color.match(/[0-9]+/g).slice(0, 3).join();
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, Math.floor(canvas.height * 0.75));
    return Array.from({ length: data.length / 4 }, (_, i) => data.slice(4 * i, 4 * i + 3).join()).filter((one) => one === ink).length;
  })()`;
  await expect.poll(() => page.evaluate(inkOfAi)).toBeGreaterThan(5);
});

test('among all projects, the line of AI has a gap on the day before the server joined', async () => {
  const project = await headcount.addProject({ name: 'Joined' });
  await visitByScript(project);
  clock.advance(dayMs);
  await Promise.all([visitByScript(project), reportAi(project)]);
  // Today is not drawn, as it is not over.
  clock.advance(dayMs);
  const { page } = await lookAt('/?search=Joined');
  const piecesOf = async (kind: 'human' | 'ai') =>
    (await page.locator(`.spark-${kind}`).getAttribute('d'))?.split('M').slice(1);
  await expect.poll(() => piecesOf('human')).toHaveLength(1);
  const [before, ...joined] = (await piecesOf('ai')) ?? [];
  // Of 29 days, 27 without any hit are before it, and the last one is a point by itself.
  expect(before?.split('L')).toHaveLength(27);
  expect(joined).toEqual(['98,1L100,1']);
});

test('AI of today is compared with the same hours of a yesterday on which it was measured, too', async () => {
  const project = await headcount.addProject();
  const noteOf = async (name: string) => {
    const { page } = await look('range=today', '', project);
    const figure = page.getByRole('region', { name, exact: true });
    await figure.getByText('of all visitors').waitFor();
    return figure.innerText();
  };
  const compared = 'by 10:00 on the day before';
  clock.set('2026-12-01T08:00:00Z');
  await visitByScript(project);
  clock.set('2026-12-02T08:00:00Z');
  await Promise.all([visitByScript(project), reportAi(project)]);
  clock.set('2026-12-02T10:00:00Z');
  await expect.poll(() => noteOf('People')).toContain(compared);
  expect(await noteOf('AI visitors')).not.toContain(compared);
  clock.set('2026-12-03T08:00:00Z');
  await Promise.all([visitByScript(project), reportAi(project)]);
  clock.set('2026-12-03T10:00:00Z');
  await expect.poll(() => noteOf('AI visitors')).toContain(compared);
});

test('days that another tool counted are named with the tool, and AI is not measured on them', async () => {
  const project = await headcount.addProject();
  const { history } = headcount.context.store;
  clock.set('2026-12-10T10:00:00Z');
  await sealDueDays(headcount.context);
  const site = { visitors: 3, views: 5 };
  for (const date of ['2026-12-03', '2026-12-04']) {
    const day = toDay(Temporal.PlainDate.from(date));
    const sums = [{ what: what.path, text: '/', ...site }];
    expect(await history.addDay(project.projectId, { day, tool: 'Plausible', site, sums })).toBe('added');
  }
  const alone = await look('range=2026-12-01..2026-12-07', '', project);
  await alone.page
    .getByText(/^Imported from Plausible, 3\s–\s4 Dec 2026\. AI that runs no scripts is not measured\.\s*$/)
    .waitFor();
  await visitByScript(project);
  const { page } = await look('range=30d', '', project);
  const told = /Counted from the script \(since 10 Dec 2026\)\. Imported from Plausible, 3\s–\s4 Dec 2026\./;
  await page.getByText(told).waitFor();
  expect(await findViolations(page)).toEqual([]);
});

test('rows of goals, funnels, events and tables named by several columns say how they changed', async () => {
  const project = await headcount.addProject({ goals: ['Sign up'], funnels: ['/ > Sign up'] });
  const come = (from: string) => project.hit({ u: 'https://docs.example/', r: `https://${from}/` });
  const signUp = () => project.hit({ u: 'https://docs.example/', e: 'Sign up' });
  const fail = (client: string) => ({
    ...{ url: 'https://docs.example/gone', ip: '192.0.2.1', status: 404, userAgent: userAgentOf(client) },
  });
  clock.set('2026-12-11T08:00:00Z');
  await Promise.all([visitByScript(project), signUp(), project.hits([fail('ClaudeBot')])]);
  for (const from of ['perplexity.ai', 'perplexity.ai', 'perplexity.ai', 'chatgpt.com']) await come(from);
  clock.set('2026-12-12T08:00:00Z');
  await visitByScript(project);
  await Promise.all([signUp(), signUp(), project.hits([fail('ClaudeBot'), fail('GPTBot')])]);
  await Promise.all([come('chatgpt.com'), come('chatgpt.com')]);
  clock.set('2026-12-13T10:00:00Z');
  const days = 'range=2026-12-12..2026-12-12&compare=before';
  for (const [on, title, expected] of [
    ['conversions', 'Goals', ['no change', 'no change']],
    ['conversions', 'Funnels', ['no change']],
    ['conversions', 'Events', ['no change', 'no change', '100%']],
    ['ai', 'Could not be read', ['100%']],
    ['ai', 'From assistants', ['no change', '100%']],
  ] as const) {
    const { page } = await look(days, on, project);
    const panel = panelOf(page, title);
    await panel.scrollIntoViewIfNeeded();
    const changes = panel.locator('tbody tr').first().locator('.row-change > span > [aria-hidden]');
    await expect.poll(() => changes.allInnerTexts()).toEqual(expected);
    expect(await findViolations(page)).toEqual([]);
  }
});

test('a site known by its imported history alone leads to that, and not to what is to be installed', async () => {
  const project = await headcount.addProject();
  const { history } = headcount.context.store;
  const site = { visitors: 3, views: 5 };
  const sums = [{ what: what.path, text: '/', ...site }];
  const day = toDay(Temporal.PlainDate.from('2026-05-04'));
  clock.advance(2 * dayMs);
  await sealDueDays(headcount.context);
  expect(await history.addDay(project.projectId, { day, tool: 'Plausible', site, sums })).toBe('added');
  const { page } = await look('range=7d', '', project);
  const panel = panelOf(page, 'Pages');
  await panel.getByText('Nothing was measured: there were no hits.').waitFor();
  const figures = page.locator('.figure-number:not([data-figure=now])');
  expect(await figures.allInnerTexts()).toEqual(['Not measured', 'Not measured', 'Not measured']);
  expect(await page.locator('.figures').getByText('Nothing to compare').count()).toBe(0);
  expect(await panel.locator('.empty a').allInnerTexts()).toEqual(['All time']);
  await panel.getByRole('link', { name: 'All time' }).click();
  await expect.poll(() => readRows(panel)).toHaveLength(1);
  await expect.poll(() => figures.first().innerText()).toBe('3');
  const ofAi = panelOf((await look('range=7d', 'ai', project)).page, 'AI clients');
  await ofAi.getByRole('link', { name: 'All time' }).waitFor();
  const admin = await openDashboard(headcount);
  const links = `/v1/admin/projects/${project.projectId}/links`;
  const link = await admin.must<LinkReply>('POST', links, { kind: 'page' });
  await page.goto(`${link.url}?range=7d`);
  await expect.poll(() => figures.allInnerTexts()).toEqual(['Not measured', 'Not measured', 'Not measured']);
  await page.goto(`${link.url}?range=all`);
  await expect.poll(() => figures.first().innerText()).toBe('3');
});

test('on a day without hits of a site that had some, no table offers to install what is there', async () => {
  const project = await headcount.addProject();
  await visitByScript(project);
  clock.advance(dayMs);
  const { page } = await look('range=today', '', project);
  for (const title of ['Pages', 'Sources']) {
    const panel = panelOf(page, title);
    await panel.scrollIntoViewIfNeeded();
    await panel.getByText('Nothing was measured: there were no hits.').waitFor();
    expect(await panel.locator('.empty a').count()).toBe(0);
  }
});
