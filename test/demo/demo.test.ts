import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { rules } from '../../dashboard/report/declared/declaration.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import type { GoalsReply, VisitorsReply } from '../../shared/reports/analytics.ts';
import type { ChangesReply, EffectReply } from '../../shared/reports/insights.ts';
import { type DashboardClient, signIn } from '../support/dashboard/dashboard.ts';

/** The limit of the test ends what never comes. */
const untilItIs = { timeout: 600_000 };

/** The demo, with a folder of its own for all that it makes. */
async function startDemo() {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-demo-test-'));
  const demo = join(import.meta.dirname, '..', '..', 'demo', 'demo.ts');
  const child = spawn(process.execPath, [demo], { env: { PATH: process.env.PATH, TMPDIR: folder } });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return { child, ended, leftOver: () => readdir(folder) };
}

/** Of what only a flood of made-up names would fill, the demo has nothing. */
const shownEmpty = ['cardinality-limits'];

/** Tables of the dashboard that have no row to show. */
async function findEmpty(dashboard: DashboardClient, base: string): Promise<string[]> {
  const asked = rules.map(async ({ report, route, query = {}, field }) => {
    const reply = await dashboard.must<Record<string, unknown[]>>(
      'GET',
      `${base}/${route}?${new URLSearchParams(query)}`,
    );
    return reply[field]?.length === 0 ? [report] : [];
  });
  return (await Promise.all(asked)).flat();
}

/** What the demo tells of the numbers: since when rules have judged, and what came of a change. */
async function expectAnswers(dashboard: DashboardClient, base: string): Promise<void> {
  const { changes } = await dashboard.must<ChangesReply>('GET', `${base}/changes`);
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['release', 'merge', 'rules']));
  const rules = changes.find(({ kind }) => kind === 'rules');
  expect(rules?.addedViews).toBeGreaterThan(0);
  const effects = await Promise.all(
    changes
      .filter(({ kind }) => kind === 'merge')
      .map(({ id }) => dashboard.must<EffectReply>('GET', `${base}/changes/${id}/effect`)),
  );
  const verdicts = effects.flatMap(({ measures }) => measures.map(({ verdict }) => verdict));
  expect(verdicts.some((verdict) => ['none', 'more', 'less'].includes(verdict))).toBe(true);
  const { operators } = await dashboard.must<{ operators: { ratio: number | null }[] }>(
    'GET',
    `${base}/operators`,
  );
  expect(operators.filter(({ ratio }) => ratio !== null).length).toBeGreaterThan(2);
}

test('without git the demo ends with one sentence', async () => {
  const script = join(import.meta.dirname, '..', '..', 'demo', 'demo.ts');
  const child = spawn(process.execPath, [script], { env: { PATH: import.meta.dirname } });
  const ended = once(child, 'close');
  expect(await text(child.stderr)).toBe(
    'Jobs need git, which is not installed: install git 2.39 or later.\n',
  );
  expect((await ended)[0]).toBe(2);
});

test('the demo goes from a prompt to a pull request, and serves a dashboard with visitors until it is interrupted', async () => {
  const { child, ended, leftOver } = await startDemo();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  await expect.poll(() => output, untilItIs).toContain('Ctrl+C ends the demo');
  expect(output).toContain('The visitors are made up');
  expect(output).toContain('The model is scripted');
  expect(output).toMatch(/Pull request http:\S+\/pulls\/1/);
  expect(output).toContain('+curl https://teapot.example/pots');
  const [, url = '', password] = /dashboard is at (\S+), and its password is (\S+)/.exec(output) ?? [];
  const dashboard = await signIn(url, password);
  const { projects } = await dashboard.must<{ projects: { id: string; name: string }[] }>(
    'GET',
    '/v1/admin/projects',
  );
  expect(projects.map(({ name }) => name).sort()).toEqual(['Documentation', 'Teapot']);
  const id = projects.find(({ name }) => name === 'Teapot')?.id;
  const docs = projects.find(({ name }) => name === 'Documentation')?.id;
  const { cities } = await dashboard.must<{ cities: { city: string }[] }>(
    'GET',
    `/v1/analytics/${id}/cities`,
  );
  expect(cities.map(({ city }) => city)).toContain('Uji, Kyoto, JP');
  const { goals } = await dashboard.must<GoalsReply>('GET', `/v1/analytics/${id}/goals`);
  expect(goals.map(({ goal }) => goal)).toEqual(['Download', 'Subscribe', '/docs/quickstart']);
  for (const { conversions } of goals) expect(conversions).toBeGreaterThan(50);
  expect(await findEmpty(dashboard, `/v1/analytics/${id}`)).toEqual(shownEmpty);
  await expectAnswers(dashboard, `/v1/analytics/${id}`);
  const today = new Date().toISOString().slice(0, 10);
  const { totals } = await dashboard.must<VisitorsReply>('GET', `/v1/analytics/${id}/visitors`);
  expect(totals.human).toBeGreaterThan(5_000);
  expect(totals.ai).toBeGreaterThan(4_000);
  const read = () => dashboard.must<VisitorsReply>('GET', `/v1/analytics/${id}/visitors?dateFrom=${today}`);
  await expect.poll(async () => (await read()).totals.human, untilItIs).toBeGreaterThan(0);
  const { jobs } = await dashboard.must<{ jobs: JobReply[] }>('GET', `/v2/agent/${id}/jobs`);
  // Beside it are those of the worklist.
  const [, link = ''] = /Pull request (http:\S+\/pulls\/1)/.exec(output) ?? [];
  expect(jobs.find(({ prLink }) => prLink === link)?.status).toBe('completed');

  const [, site = ''] = /documentation is at (\S+),/.exec(output) ?? [];
  expect(await (await fetch(site)).text()).toContain(`data-project="${docs}"`);
  const asAi = {
    headers: { 'user-agent': 'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)' },
  };
  expect((await fetch(`${site}operations.md`, asAi)).status).toBe(200);
  const readDocs = () => dashboard.must<VisitorsReply>('GET', `/v1/analytics/${docs}/visitors`);
  await expect.poll(async () => (await readDocs()).totals.ai, untilItIs).toBe(1);

  const page = await (await fetch(link)).text();
  expect(page).toContain('Add an example to the page on pots');
  expect(page).toContain('+curl https://teapot.example/pots');
  const { id: another } = await dashboard.must<JobReply>('POST', `/v2/agent/${id}/job`, {
    prompt: 'Once more.',
  });
  const readJob = () => dashboard.must<JobReply>('GET', `/v2/agent/${id}/job/${another}`);
  await expect.poll(async () => (await readJob()).status, untilItIs).toBe('completed');
  expect((await readJob()).prLink).toMatch(/\/pulls\/2$/);

  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(errors).toBe('');
  expect(output).toContain('Nothing is left behind.');
  expect(await leftOver()).toEqual([]);
});
