import { describe, expect, onTestFinished, test } from 'vitest';
import { intervalOfChange } from '../../server/insights/worklist/interval.ts';
import { PullWatch } from '../../server/jobs/comments/pull-watch.ts';
import { hourlyUses } from '../../server/store/jobs/requests.ts';
import type { FaultReply, WorklistReply } from '../../shared/reports/faults.ts';
import { gptBot } from '../support/browsers.ts';
import { createClock } from '../support/clock.ts';
import { runHere } from '../support/commands/command.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import {
  chromeUserAgent,
  errorOf,
  type Headcount,
  type ProjectClient,
  startHeadcount,
  statusAndError,
} from '../support/headcount.ts';
import { startAutomationRun, workable } from '../support/jobs/automation-run.ts';
import { finish, obey, slug, startJobRun } from '../support/jobs/job-run.ts';
import { jobClient } from '../support/jobs/jobs.ts';
import type { Script } from '../support/jobs/model/model-server.ts';
import { offlineProofs } from '../support/proof/offline-proofs.ts';
import { startPublicSite } from '../support/sites/public-site.ts';

const newFolder = temporaryFolders();

/** A model that mends a page with a redirect once it may go on, and leaves all else alone. */
function mending(mayGoOn: Promise<void>): Script {
  return async ({ body }) => {
    await mayGoOn;
    const asked = JSON.stringify((body.messages as unknown[]).at(-1));
    return asked.includes('Fix 4') ? { calls: [redirect] } : obey(body);
  };
}

const redirect = { tool: 'write', input: { path: 'gone.md', content: '# It is here again\n' } };

type Served = Pick<Headcount, 'url' | 'context'> & ProjectClient;

function worklistOf(headcount: Served) {
  const base = `/v1/analytics/${headcount.projectId}/worklist`;
  const read = (query = '') => headcount.get<WorklistReply>(base + query);
  const send = (path: string, body?: object, key = headcount.adminKey) =>
    fetch(`${headcount.url}${base}/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    base,
    read,
    send,
    async row(path: string, query = ''): Promise<FaultReply> {
      const { faults } = await read(query);
      const found = faults.find((fault) => fault.path === path);
      if (!found) throw new Error(`${path} is not among ${faults.map((fault) => fault.path)}`);
      return found;
    },
    async statesOf(query = ''): Promise<Record<string, string>> {
      const { faults } = await read(query);
      return Object.fromEntries(faults.map(({ path, state }) => [path, state]));
    },
  };
}

interface Asked {
  times: number;
  status?: number;
  userAgent?: string;
}

async function ask(
  headcount: Served,
  path: string,
  { times, status = 200, userAgent = gptBot }: Asked,
): Promise<void> {
  const hits = Array.from({ length: times }, (_, place) => ({
    ...{ url: `https://example.com${path}`, ip: `198.51.100.${place % 200}`, userAgent, status },
  }));
  expect((await headcount.hits(hits)).status).toBe(202);
  await headcount.context.ingest.drain();
}

describe('a fault', () => {
  test('is open, at work, waits as a pull request, is merged, and counts show whether it improved', async () => {
    const clock = createClock('2026-11-19T12:00:00Z');
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    const run = await startJobRun({ now: clock.now, script: mending(mayGoOn) });
    const { headcount, forge } = run;
    const { row, send, read } = worklistOf(headcount);
    await ask(headcount, '/gone', { times: 38, status: 404 });
    await ask(headcount, '/gone', { times: 14 });
    await ask(headcount, '/busy', { times: 6, status: 429 });
    const found = await row('/gone');
    expect(found).toMatchObject({
      ...{ kind: 'not_found', state: 'open', severity: 'medium', readers: 38, detail: '404 · GPTBot' },
      ...{ title: 'Fix 404: /gone', assignee: null, job: null, outcome: null, says: null },
    });
    expect(await row('/busy')).toMatchObject({ kind: 'refused', severity: 'low', title: 'Fix 429: /busy' });

    clock.set('2026-11-20T12:00:00Z');
    const started = await send(`${found.id}/fix`);
    expect(started.status).toBe(201);
    const { id: jobId } = (await started.json()) as { id: string };
    expect(started.headers.get('location')).toBe(`/v2/agent/${headcount.projectId}/job/${jobId}`);
    expect(await row('/gone')).toMatchObject({ state: 'job_running', job: { id: jobId } });
    expect(await statusAndError(send(`${found.id}/fix`))).toEqual([
      400,
      `The job ${jobId} is already working on it.`,
    ]);

    goOn();
    const { prLink } = await finish(run.jobs, jobId);
    expect(await row('/gone')).toMatchObject({ state: 'pull_request', job: { prLink } });
    expect(await statusAndError(send(`${found.id}/fix`))).toEqual([
      400,
      `The pull request ${prLink} of job ${jobId} waits for it: merge it, or archive the job first.`,
    ]);

    await forge.merge(slug, 1);
    await new PullWatch(headcount.context).look();
    expect(await row('/gone')).toMatchObject({
      state: 'merged',
      says: 'Not enough visits yet: 0 of 0 failed since 20 Nov (before: 38 of 52).',
    });
    expect((await send(`${found.id}/fix`)).status).toBe(400);

    clock.set('2026-11-22T12:00:00Z');
    await ask(headcount, '/gone', { times: 41 });
    expect(await row('/gone')).toMatchObject({
      state: 'improved',
      outcome: { since: '2026-11-20', hits: 0, of: 41, hitsBefore: 38, ofBefore: 52, isKnown: true },
      says: 'AI clients read it again: 0 of 41 failed since 20 Nov (before: 38 of 52; 95% interval of the change −83 to −57 points).',
    });
    expect((await read()).states).toMatchObject({ open: 1, improved: 1 });
  });

  test('that a merge did not mend says so, and may be fixed again', async () => {
    const clock = createClock('2026-11-19T12:00:00Z');
    const run = await startJobRun({ now: clock.now, script: mending(Promise.resolve()) });
    const { headcount } = run;
    const { row, send } = worklistOf(headcount);
    await ask(headcount, '/gone', { times: 30, status: 404 });
    clock.set('2026-11-20T12:00:00Z');
    const { id } = await row('/gone');
    const first = (await (await send(`${id}/fix`)).json()) as { id: string };
    await finish(run.jobs, first.id);
    await run.forge.merge(slug, 1);
    await new PullWatch(headcount.context).look();
    clock.set('2026-11-22T12:00:00Z');
    await ask(headcount, '/gone', { times: 40, status: 404 });
    expect(await row('/gone')).toMatchObject({
      state: 'no_change',
      says: expect.stringMatching(
        /^No change: 40 of 40 failed since 20 Nov \(before: 30 of 30; .* −9 to \+11 points\)\.$/,
      ),
    });
    expect((await send(`${id}/fix`)).status).toBe(201);
    expect((await row('/gone')).job?.id).not.toBe(first.id);
  });

  test('of a page that was moved counts by all names of the page', async () => {
    const clock = createClock('2026-11-19T12:00:00Z');
    const run = await startJobRun({ now: clock.now, script: mending(Promise.resolve()) });
    const { headcount } = run;
    const { row, send } = worklistOf(headcount);
    await ask(headcount, '/was', { times: 20, status: 404 });
    await ask(headcount, '/was', { times: 5 });
    await ask(headcount, '/here', { times: 10, status: 404 });
    const { id } = await row('/was');
    clock.set('2026-11-20T12:00:00Z');
    const job = (await (await send(`${id}/fix`)).json()) as { id: string };
    await finish(run.jobs, job.id);
    await run.forge.merge(slug, 1);
    await new PullWatch(headcount.context).look();
    clock.set('2026-11-22T12:00:00Z');
    const moved = await fetch(`${headcount.url}/v1/analytics/${headcount.projectId}/renames`, {
      method: 'POST',
      headers: { authorization: `Bearer ${headcount.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: '/was', to: '/here' }),
    });
    expect(moved.status).toBe(201);
    await ask(headcount, '/here', { times: 40 });
    await ask(headcount, '/was', { times: 2, status: 404 });
    expect(await row('/was')).toMatchObject({
      state: 'improved',
      outcome: { hits: 2, of: 42, hitsBefore: 30, ofBefore: 35 },
    });
  });

  test('that two editors fix at once has one job', async () => {
    const { headcount, jobs } = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
    const { row, send } = worklistOf(headcount);
    await ask(headcount, '/gone', { times: 9, status: 404 });
    const { id } = await row('/gone');
    const answers = await Promise.all([1, 2, 3].map(() => send(`${id}/fix`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    expect(await jobs()).toHaveLength(1);
  });

  test('that an automation or the prompt of a gap started a job for is not offered again', async () => {
    const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
    const { row, send, statesOf } = worklistOf(run.headcount);
    await ask(run.headcount, '/gone', { times: 20, status: 404 });
    const when = { kind: 'missing_page', requests: 10 };
    await run.add({ name: 'Missing', when, recipe: 'missing-pages', enabled: true });
    await run.look();
    await ask(run.headcount, '/busy', { times: 6, status: 429 });
    const { prompt } = await row('/busy');
    expect((await run.send('POST', 'job', { prompt })).status).toBe(201);
    expect(await statesOf()).toEqual({ '/gone': 'job_running', '/busy': 'job_running' });
    const { id } = await row('/gone');
    expect((await send(`${id}/fix`)).status).toBe(400);
    for (const job of await run.jobs()) await run.archive(job.id);
    expect(await statesOf()).toEqual({ '/gone': 'open', '/busy': 'open' });
  });
});

test('a page that people miss is found by the event of the script, and said to be found again', async () => {
  const clock = createClock('2026-11-19T12:00:00Z');
  const run = await startJobRun({ now: clock.now, script: mending(Promise.resolve()) });
  const { headcount } = run;
  const { row, send } = worklistOf(headcount);
  const view = async (times: number, isMissing: boolean) => {
    for (let place = 0; place < times; place++) {
      const from = { 'user-agent': `${chromeUserAgent} ${place}` };
      const u = 'https://example.com/lost/';
      await headcount.hit({ u }, from);
      if (isMissing) await headcount.hit({ u, e: '404', v: { path: '/lost/' } }, from);
    }
  };
  await view(7, true);
  const found = await row('/lost');
  expect(found).toMatchObject({
    ...{ kind: 'not_found', readers: 7, detail: '404', title: 'Fix 404: /lost' },
    evidence: 'People met a 404 there 7 times.',
  });
  clock.set('2026-11-20T12:00:00Z');
  const { id } = (await (await send(`${found.id}/fix`)).json()) as { id: string };
  await finish(run.jobs, id);
  await run.forge.merge(slug, 1);
  await new PullWatch(headcount.context).look();
  clock.set('2026-11-22T12:00:00Z');
  await view(9, false);
  expect(await row('/lost')).toMatchObject({
    state: 'improved',
    says: expect.stringMatching(/^It is found again: 0 of 9 failed since 20 Nov \(before: 7 of 7; /),
  });
});

test('of a kind all are fixed, the worst first, within limits that it names', async () => {
  const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z', project: { repository: null } });
  const { read, send, statesOf } = worklistOf(run.headcount);
  for (const [place, path] of ['/a', '/b', '/c'].entries())
    await ask(run.headcount, path, { times: 6 + place, status: 404 });
  await ask(run.headcount, '/busy', { times: 6, status: 429 });
  const fixAll = async (body: object) => (await (await send('fix', body)).json()) as { started: object[] };
  expect(await fixAll({ kind: 'not_found' })).toMatchObject({
    started: [],
    left: ['/c', '/b', '/a'].map((path) => ({ path, reason: expect.stringContaining('has no repository') })),
  });
  await run.set({ repository: workable.repository });
  expect(await fixAll({ kind: 'not_found', limit: 2 })).toMatchObject({
    started: [{ path: '/c' }, { path: '/b' }],
    left: [{ path: '/a', reason: 'One request starts 2: send it again for more.' }],
  });
  expect(await statesOf()).toEqual({
    ...{ '/a': 'open', '/busy': 'open', '/b': 'job_running', '/c': 'job_running' },
  });
  expect(await fixAll({ kind: 'not_found' })).toMatchObject({ started: [{ path: '/a' }], left: [] });
  expect((await send('fix', { kind: 'not_found', limit: 11 })).status).toBe(400);
  expect((await send('fix', { kind: 'other' })).status).toBe(400);
  const { faults, kinds } = await read('?kind=refused&state=open');
  expect([faults.map(({ path }) => path), kinds]).toEqual([['/busy'], { refused: 1 }]);
});

test('after the jobs of an hour a fix is refused, with the time when it may start', async () => {
  const { headcount } = await startAutomationRun({ start: '2026-11-20T12:00:00Z', project: workable });
  const { row, send, statesOf } = worklistOf(headcount);
  await ask(headcount, '/gone', { times: 6, status: 404 });
  const { id } = await row('/gone');
  const jobs = jobClient(headcount.url, headcount);
  await Promise.all(Array.from({ length: hourlyUses.limit }, () => jobs.mustCreate()));
  const refused = await send(`${id}/fix`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
  expect((await errorOf(refused)).error).toContain('A project may have 100 jobs within 60 minutes');
  expect(await statesOf()).toEqual({ '/gone': 'open' });
});

test('a dismissed fault stays so after a restart and in an archive, until it is restored', async () => {
  const clock = createClock('2026-11-20T12:00:00Z');
  const dataDir = await newFolder();
  const start = (goOnWith?: Headcount) =>
    startHeadcount({ now: clock.now, dataDir, ...(goOnWith && { goOnWith }) });
  const first = await start();
  const list = worklistOf(first);
  await ask(first, '/gone', { times: 9, status: 404 });
  const { id } = await list.row('/gone');
  const dismissed = await (await list.send(`${id}/dismiss`)).json();
  expect(dismissed).toMatchObject({ state: 'dismissed', dismissedBy: 'first admin key' });
  expect((await list.send(`${id}/assign`, { assignee: 'Ann' })).status).toBe(200);
  expect(await list.statesOf()).toEqual({});
  expect((await list.send(`${id}/fix`)).status).toBe(400);
  await first.stop();

  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const archive = `${await newFolder()}/project.jsonl`;
  expect(await runHere(['export', '--project', first.projectId, archive], env)).toMatchObject({ code: 0 });
  const other = { HEADCOUNT_DATA_DIR: await newFolder() };
  expect(await runHere(['project', 'import', archive], other)).toMatchObject({ code: 0 });
  const { stdout } = await runHere(['worklist', 'list', first.projectId, '--json'], other);
  expect(JSON.parse(stdout)).toMatchObject([{ path: '/gone', state: 'dismissed', assignee: 'Ann' }]);

  const second = await start(first);
  onTestFinished(() => second.stop());
  const again = worklistOf(second);
  await ask(second, '/gone', { times: 9, status: 404 });
  expect(await again.statesOf('?state=dismissed')).toEqual({ '/gone': 'dismissed' });
  const restored = await again.send(`${id}/restore`);
  expect(await restored.json()).toMatchObject({ state: 'open', dismissedBy: null, assignee: 'Ann' });
  expect(await again.statesOf()).toEqual({ '/gone': 'open' });
  expect((await again.send('fault_unknown/dismiss')).status).toBe(404);
  const { rows: entries } = await second.context.store.audit.listEntries({
    ...{ projectId: second.projectId, limit: 10, offset: 0 },
  });
  expect(entries.map(({ action, subject, changes }) => [action, subject, ...changes])).toEqual([
    ['fault.restored', '/gone', 'kind: not_found'],
    ['fault.assigned', '/gone', 'kind: not_found', 'assignee: none → Ann'],
    ['fault.dismissed', '/gone', 'kind: not_found'],
  ]);
});

test('pages that AI clients have not read for long, or not since a change, are found by the sitemap', async () => {
  const site = await startPublicSite();
  onTestFinished(() => site.close());
  site.answers['/robots.txt'] = 'Sitemap: /map.xml\n';
  const listed = ['read', 'unread', 'changed'].map((page) => {
    const lastmod = page === 'changed' ? '<lastmod>2026-09-20</lastmod>' : '';
    return `<url><loc>https://${site.host}/${page}</loc>${lastmod}</url>`;
  });
  site.answers['/map.xml'] = `<urlset>${listed.join('')}</urlset>`;
  const { headcount, clock } = await startAutomationRun({
    start: '2026-08-01T12:00:00Z',
    project: { siteHost: site.host },
    env: { HEADCOUNT_OFFLINE: '0' },
    siteOptions: { get: site.get, everyMs: 10 },
    proofs: offlineProofs(),
  });
  const { read, row } = worklistOf(headcount);
  const view = (path: string, userAgent: string) =>
    headcount.hits([{ url: `https://${site.host}${path}`, ip: '198.51.100.1', userAgent }]);
  const pages = async () =>
    (await headcount.get<{ pages: object[] }>(`/v1/analytics/${headcount.projectId}/freshness`)).pages.length;
  await expect.poll(pages).toBe(3);
  await view('/unread', gptBot);
  clock.set('2026-09-10T12:00:00Z');
  await view('/changed', gptBot);
  clock.set('2026-10-10T12:00:00Z');
  await view('/read', gptBot);
  await view('/unread', chromeUserAgent);
  expect((await read()).faults.map(({ path, kind }) => [path, kind]).sort()).toEqual([
    ['/changed', 'outdated'],
    ['/unread', 'unread'],
  ]);
  expect(await row('/unread')).toMatchObject({ readers: 1, title: 'Lead AI to: /unread' });
  expect((await row('/changed')).evidence).toBe(
    'Changed on 2026-09-20, and no AI client has read it since: they know an older version.',
  );
});

test('it is there as a file, on the command line, and without jobs for those who may not see them', async () => {
  const run = await startAutomationRun({ start: '2026-11-20T12:00:00Z' });
  const { headcount } = run;
  const { base, row, send } = worklistOf(headcount);
  await ask(headcount, '/gone', { times: 9, status: 404 });
  const { id } = await row('/gone');
  await send(`${id}/fix`);
  const file = await fetch(`${headcount.url}${base}?format=csv`, {
    headers: { authorization: `Bearer ${headcount.adminKey}` },
  });
  expect((await file.text()).split('\r\n').slice(0, 2)).toEqual([
    '"id","path","kind","state","severity","readers","detail","evidence","assignee","dismissedBy","dismissedAt","says"',
    `"${id}","/gone","not_found","job_running","low",9,"404 · GPTBot","9 requests of AI clients were answered 404 (GPTBot).",,,,`,
  ]);
  expect((await send(`${id}/dismiss`, undefined, headcount.ingestKey)).status).toBe(403);
});

test('the interval of a change is the one that Newcombe published', () => {
  // 56 of 70 against 48 of 80: https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I, table II.
  const interval = intervalOfChange({ hits: 48, of: 80 }, { hits: 56, of: 70 });
  expect([interval?.low.toFixed(4), interval?.high.toFixed(4)]).toEqual(['0.0524', '0.3339']);
  expect(intervalOfChange({ hits: 1, of: 3 }, { hits: 0, of: 0 })).toBeNull();
});
