import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AutomationWatch } from '../../server/jobs/automation/automation-watch.ts';
import { PullWatch } from '../../server/jobs/comments/pull-watch.ts';
import type { JobReply, JobsReply } from '../../shared/jobs/job.ts';
import { recipes } from '../../shared/jobs/recipes.ts';
import { startShell } from '../support/browser.ts';
import { type DashboardPage, findViolations, openPage, panelOf } from '../support/dashboard/page.ts';
import { type DashboardWorld, startDashboardWorld } from '../support/dashboard/world.ts';
import { userAgentOf } from '../support/identity/user-agents.ts';
import { obey } from '../support/jobs/job-run.ts';
import { createLatch, type Latch } from '../support/latch.ts';

let world: DashboardWorld;
let browser: Browser;
let base: string;
/** Holds the model back. */
let latch: Latch;

beforeAll(async () => {
  latch = createLatch();
  const script: Parameters<typeof startDashboardWorld>[0]['script'] = async ({ body }) => {
    await latch.opened;
    const asked = JSON.stringify(body);
    if (asked.includes('never end') && !asked.includes('Carry on')) return { hang: true };
    if (asked.includes('Headcount counted for the page') && !asked.includes('"role":"tool"')) {
      return { calls: [{ tool: 'write', input: { path: 'gap.md', content: 'hello\n' } }] };
    }
    return asked.includes('be refused') ? { status: 401 } : obey(body);
  };
  [world, browser] = await Promise.all([
    startDashboardWorld({
      dataset: { days: 1 },
      script,
      slug: 'ada/site',
      files: { 'index.md': '# Site\n' },
    }),
    startShell(),
  ]);
  base = `/p/${world.projectId}`;
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function look(path: string, locale = 'en-GB'): Promise<DashboardPage> {
  const { url, client, clock } = world;
  const shown = await openPage(browser, { url, client, now: clock.now(), locale });
  await shown.open(path);
  return shown;
}

const agent = () => `/v2/agent/${world.projectId}`;

// One after the other, as a person would.
test('a project without a repository says so, leads to where it is named, and keeps the prompt', async () => {
  const { page } = await look(`${base}/jobs?prompt=Fix%20%2Fdocs`);
  await page.getByRole('region', { name: 'The prompt' }).getByText('Fix /docs').waitFor();
  expect(await page.getByRole('button', { name: 'Start job' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Choose them in the settings' }).click();
  await page.waitForURL('**/settings/jobs');
  const { settings, secrets } = world.jobs as {
    settings: Record<string, string>;
    secrets: { forgeToken: string };
  };
  await page.getByLabel('Repository', { exact: true }).fill(settings.repository ?? '');
  await page.getByLabel('Model', { exact: true }).fill(settings.model ?? '');
  await page.getByLabel('Code host').selectOption('gitea');
  await page.getByLabel('API address').fill(settings.forgeUrl ?? '');
  await page.getByLabel('Token for the repository', { exact: true }).fill(secrets.forgeToken);
  await page.getByRole('button', { name: 'Save: Jobs' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Remove: Token for the repository' }).waitFor();
  await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
  await page.getByRole('button', { name: 'Start job' }).waitFor();
  await expect.poll(() => page.getByLabel('New job').inputValue()).toBe('Fix /docs');
});

test('a job goes from a prompt to a pull request while one looks on, and takes a follow-up', async () => {
  const { page, problems } = await look(`${base}/jobs`);
  await page.getByLabel('New job').fill('write page.md hello');
  await page.getByRole('button', { name: 'Start job' }).click();
  await page.waitForURL('**/jobs/job_*');
  const status = page.locator('h1 ~ .page-actions .status');
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByText('Base commit chosen').waitFor();
  await expect.poll(() => transcript.locator('.line-phase').first().innerText()).toMatch(/[0-9a-f]{40}/);
  await expect.poll(() => status.innerText()).toContain('active');
  expect(await transcript.innerText()).not.toContain('Done');
  latch.open();
  await transcript.getByText('Done').waitFor();
  await expect.poll(() => status.innerText()).toContain('completed');

  const id = new URL(page.url()).pathname.split('/').at(-1);
  const job = await world.client.must<JobReply>('GET', `${agent()}/job/${id}`);
  const link = page.getByRole('link', { name: 'Pull request (opens in a new tab)' });
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
    job.prLink,
    'noreferrer',
  ]);
  await transcript.locator('.line-tool summary').click();
  await expect.poll(() => transcript.locator('.line-tool pre').first().innerText()).toContain('"page.md"');
  const change = transcript.locator('.diff details', { hasText: 'page.md' });
  await expect.poll(() => change.locator('summary').innerText()).toContain('1 added, 0 removed');
  await expect.poll(async () => (await change.locator('.diff-added').innerText()).trim()).toBe('+hello');

  await page.getByLabel('Follow-up').fill('write more.md again');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => transcript.getByText('Done').count()).toBe(2);
  await expect.poll(() => status.innerText()).toContain('completed');
  await expect.poll(() => page.getByLabel('Follow-up').inputValue()).toBe('');
  const [pull, ...others] = await world.forge.list('ada/site');
  expect([pull?.title, others.length]).toEqual(['Write the page', 0]);
  expect(await world.forge.git.git('ada/site', ['show', `${job.branch}:more.md`])).toBe('again\n');
  expect(problems).toEqual([]);
});

test('a job that fails says in words what to do', async () => {
  // As a report leads here.
  const { page } = await look(`${base}/jobs?prompt=be+mended`);
  await expect.poll(() => page.getByLabel('New job').inputValue()).toBe('be mended');
  await page.getByLabel('New job').fill('be refused');
  await page.getByRole('button', { name: 'Start job' }).click();
  const failure = page.locator('.line-failed');
  await failure.waitFor();
  const { jobs } = await world.client.must<JobsReply>('GET', `${agent()}/jobs`);
  const { events } = await world.client.must<{ events: { type: string; data: { message: string } }[] }>(
    'GET',
    `${agent()}/job/${jobs[0]?.id}/events`,
  );
  await expect
    .poll(() => failure.innerText())
    .toContain(events.find(({ type }) => type === 'failed')?.data.message);
  await expect.poll(() => failure.innerText()).toMatch(/Check the settings|Send a follow-up to continue/);
});

test('jobs are listed by what was asked for, filtered by status, and archived', async () => {
  const { page } = await look(`${base}/jobs`);
  const rows = page.locator('section:not(#automations) .rows > li');
  await expect.poll(() => rows.first().innerText()).toContain('be refused');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('link', { name: 'Completed' }).click();
  await page.waitForURL('**?status=completed');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByRole('link', { name: 'write page.md hello' }).click();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByRole('button', { name: 'Archive job' }).click();
  await expect.poll(() => page.locator('.page-actions .status').innerText()).toContain('archived');
  expect(await page.getByLabel('Follow-up').count()).toBe(0);
  const { jobs } = await world.client.must<JobsReply>('GET', `${agent()}/jobs?status=archived`);
  expect(jobs.length).toBe(1);
});

test('times of twelve hours are not cut off', async () => {
  const { page } = await look(`${base}/jobs`, 'en-US');
  await page.locator('.rows > li').first().getByRole('link').first().click();
  const times = page.locator('.line-time');
  await times.first().waitFor();
  await expect.poll(() => times.first().innerText()).toMatch(/^\d\d:\d\d:\d\d [AP]M$/);
  const room = await page.evaluate<number[][]>(
    "[...document.querySelectorAll('.line-time')].map((time) => [time.scrollWidth, time.clientWidth])",
  );
  expect(room.filter(([needed = 0, given = 0]) => needed > given)).toEqual([]);
});

test('a job that is not there says so', async () => {
  const { page } = await look(`${base}/jobs/job_nothing`);
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('job');
});

test('what the checks of a change find stands in the transcript', async () => {
  const { page } = await look(`${base}/jobs`);
  await page.getByLabel('New job').fill('write other.mdx Map<a, b>');
  await page.getByRole('button', { name: 'Start job' }).click();
  await page.waitForURL('**/jobs/job_*');
  const told = page.getByRole('region', { name: 'Transcript' }).locator('.line-check');
  await told.waitFor();
  await expect
    .poll(() => told.innerText())
    .toContain('other.mdx:1: it does not compile as MDX: "Unexpected character');
});

test('a schedule is added turned off, turned on, changed and removed, and its job says who started it', async () => {
  const { page, problems } = await look(`${base}/jobs`);
  const section = page.getByRole('region', { name: 'Automations' });
  await section.getByText('No automations yet.').waitFor();
  await section.getByRole('button', { name: 'Add' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Still <b>true</b>?');
  await dialog.getByLabel('Thursday').check();
  await dialog.getByLabel('At', { exact: true }).selectOption('0');
  await dialog.getByLabel('What to do').selectOption({ label: 'Mend broken links' });
  await dialog.getByLabel('Jobs a week, at most').fill('99');
  await dialog.getByLabel('Jobs a week, at most').fill('7');
  await dialog.getByRole('button', { name: 'Save (off)' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = section.locator('.rows > li');
  await expect.poll(() => row.innerText()).toContain('Every Monday and Thursday at 00:00');
  await expect.poll(() => row.innerText()).toContain('Still <b>true</b>?');
  await expect.poll(() => row.locator('.status').innerText()).toBe('Off');
  await row.getByRole('button', { name: 'Turn on: Still <b>true</b>?' }).click();
  await expect.poll(() => row.innerText()).toContain('next ');
  await expect.poll(() => row.locator('.status').innerText()).toBe('On');
  await row.getByRole('button', { name: /^Change/ }).click();
  for (const day of ['Tuesday', 'Wednesday', 'Friday', 'Saturday', 'Sunday'])
    await dialog.getByLabel(day).check();
  await dialog.getByLabel('What to do').selectOption({ label: 'What I write below' });
  await dialog.getByLabel('Prompt').fill('write daily.md hello');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => row.innerText()).toContain('Every day at 00:00');
  world.clock.advance(86_400_000);
  await new AutomationWatch(world.context).look();
  const { jobs } = await world.client.must<JobsReply>('GET', `${agent()}/jobs`);
  expect(jobs[0]?.startedBy).toMatchObject({ name: 'Still <b>true</b>?', kind: 'schedule' });
  await page.reload();
  await row.getByRole('link', { name: 'the job that it started' }).click();
  await page.getByText('by the schedule Still <b>true</b>?').waitFor();
  await page.getByText('The schedule Still <b>true</b>?', { exact: true }).waitFor();
  await page.goBack();
  await row.getByRole('button', { name: /^Remove/ }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await section.getByText('No automations yet.').waitFor();
  expect(problems).toEqual([]);
});

test('a job begins with the words of a recipe, which can be changed', async () => {
  const { page } = await look(`${base}/jobs`);
  await page.getByLabel('Begin with').selectOption({ label: 'Mend broken links' });
  const prompt = () => page.getByLabel('New job').inputValue();
  await expect.poll(prompt).toBe(recipes['broken-links'].prompt);
  await page.getByLabel('Begin with').selectOption({ label: 'An empty prompt' });
  await expect.poll(prompt).toBe('');
});

/** The smallest image that a browser can show. */
const onePixel = [...Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')];

test('images go with a prompt: chosen, pasted, taken out again, and shown', async () => {
  const { page, problems } = await look(`${base}/jobs`);
  await page.getByLabel('New job').fill('Look at these.');
  const buffer = Buffer.from(onePixel);
  const files = ['first.gif', 'second.gif'].map((name) => ({ name, mimeType: 'image/gif', buffer }));
  await page.getByLabel('Images').setInputFiles(files);
  await page.getByLabel('New job').evaluate((area, bytes) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([Uint8Array.from(bytes)], 'pasted.gif', { type: 'image/gif' }));
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, onePixel);
  await page.getByRole('button', { name: 'Remove pasted.gif' }).waitFor();
  await page.getByRole('button', { name: 'Remove second.gif' }).click();
  await page.getByRole('button', { name: 'Start job' }).click();
  await page.waitForURL('**/jobs/job_*');
  const transcript = page.getByRole('region', { name: 'Transcript' });
  for (const name of ['first.gif', 'pasted.gif']) {
    const shown = transcript.getByRole('link', { name });
    const width = shown
      .locator('img')
      .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
    expect(await width).toBe(1);
  }
  await transcript.getByText('Done').waitFor();

  await page.getByLabel('Follow-up').fill('And this?');
  const text = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('no image') };
  await page.getByLabel('Images').setInputFiles(text);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('must be a PNG, JPEG, GIF or WebP image').first().waitFor();
  await page.getByRole('button', { name: 'Remove notes.png' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => page.getByLabel('Follow-up').inputValue()).toBe('');
  expect(problems.filter((text) => !/400/.test(text))).toEqual([]);
});

test('a running job is stopped once that is confirmed, stays in sight, and goes on with a message', async () => {
  const { page, problems } = await look(`${base}/jobs`);
  await page.getByLabel('New job').fill('never end');
  await page.getByRole('button', { name: 'Start job' }).click();
  await page.waitForURL('**/jobs/job_*');
  const status = page.locator('h1 ~ .page-actions .status');
  const transcript = page.getByRole('region', { name: 'Transcript' });
  await transcript.getByText('Base commit chosen').waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => status.innerText()).toContain('stopped');
  await transcript.getByText('Stopped', { exact: true }).waitFor();
  expect(await transcript.getByText('Failed').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
  await page.getByLabel('Follow-up').fill('Carry on.');
  await page.getByRole('button', { name: 'Send' }).click();
  await transcript.getByText('Done').waitFor();
  await expect.poll(() => status.innerText()).toContain('completed');
  expect(problems).toEqual([]);
});

test('what a job has merged is taken back by another job, once that is confirmed', async () => {
  await world.forge.merge('ada/site', 1);
  await new PullWatch(world.context).look();
  const { jobs } = await world.client.must<JobsReply>('GET', `${agent()}/jobs?status=archived`);
  const { page, problems } = await look(`${base}/jobs/${jobs[0]?.id}`);
  await page.getByRole('button', { name: 'Revert', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
  // The transcript, too, may have told of it by now.
  const fact = page.locator('dl.facts > div').filter({ hasText: 'Takes back' });
  await fact.getByRole('link', { name: String(jobs[0]?.prLink) }).waitFor();
  const all = await world.client.must<JobsReply>('GET', `${agent()}/jobs`);
  expect(all.jobs[0]?.reverts).toBe(jobs[0]?.prLink);
  expect(problems).toEqual([]);
});

test('a fault is fixed, assigned, dismissed and brought back by keyboard, and all of a kind at once', async () => {
  const ask = (path: string, status: number) =>
    Array(9).fill({
      ...{ url: `https://teapot.example${path}`, ip: '192.0.2.1', userAgent: userAgentOf('GPTBot'), status },
    });
  const hits = [...ask('/early', 410), ...ask('/gone', 410), ...ask('/lost', 410), ...ask('/left', 410)];
  expect((await world.hits(hits)).status).toBe(202);
  await world.context.ingest.drain();
  latch.open();
  const { page, problems, open } = await look(base);
  const toDo = page.locator('.cards');
  await toDo.getByRole('button', { name: 'Fix /early' }).click();
  await toDo.getByRole('link', { name: 'Job for /early' }).click();
  await page.waitForURL('**/jobs/job_*');
  await open(`${base}/fix`);
  const panel = panelOf(page, 'What to fix');
  const row = (path: string) => panel.locator('li', { has: page.getByTitle(path, { exact: true }) });
  const press = async (name: string) => {
    await panel.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await press('Fix /gone');
  await row('/gone')
    .getByText('Pull request', { exact: true })
    .or(row('/gone').getByText('Job running'))
    .waitFor();
  expect(await panel.getByRole('button', { name: 'Fix /gone', exact: true }).count()).toBe(0);
  await press('Assign /lost');
  await page.keyboard.type('Ann');
  await page.keyboard.press('Enter');
  await row('/lost').getByText('Assigned to Ann').waitFor();
  await press('Dismiss /lost');
  await expect.poll(() => row('/lost').count()).toBe(0);
  await panel.getByLabel('State').selectOption('Dismissed');
  await row('/lost').waitFor();
  await press('Restore /lost');
  await panel.getByText('No fault of this kind and state.').waitFor();
  await panel.getByLabel('State').selectOption('All but dismissed');
  await panel.getByLabel('Kind').selectOption('Not found');
  await panel.getByLabel('State').selectOption('Open');
  await panel.getByRole('button', { name: 'Fix all of this kind' }).click();
  await page.getByRole('button', { name: 'Start jobs' }).click();
  await page.getByText(/^\d+ jobs? started\.$/).waitFor();
  await expect
    .poll(async () => (await world.get<JobsReply>(`${agent()}/jobs?status=active`)).jobs)
    .toEqual([]);
  // Also once no fault is left in the list.
  await panel.getByText('No fault of this kind and state.').waitFor();
  await page.getByText(/^\d+ jobs? started\.$/).waitFor();
  await open(`${base}/fix`);
  await row('/gone')
    .getByRole('link', { name: /^Pull request #\d+ \(opens in a new tab\)$/ })
    .waitFor();
  expect(await findViolations(page)).toEqual([]);
  await row('/gone').getByRole('link', { name: 'Job for /gone' }).click();
  await page.getByRole('heading', { name: 'Fix 410: /gone', level: 1 }).waitFor();
  expect(problems).toEqual([]);
});
