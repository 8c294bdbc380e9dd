import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { forgeKinds } from '../../../shared/jobs/forge.ts';
import type { JobReply } from '../../../shared/jobs/job.ts';
import { createClock, dayMs } from '../../support/clock.ts';
import { startHeadcount } from '../../support/headcount.ts';
import {
  createJob,
  eventsOf,
  finish,
  forgeToken,
  obey,
  runJob,
  sendMessage,
  setSecrets,
  slug,
  startJobRun,
  startOutside,
  until,
} from '../../support/jobs/job-run.ts';
import { jobClient } from '../../support/jobs/jobs.ts';
import { inOrder } from '../../support/jobs/model/model-server.ts';

test.each(forgeKinds)('a prompt becomes a pull request on %s', async (kind) => {
  const { jobs, forge } = await startJobRun({ kind });
  const job = await runJob(jobs, 'write docs/page.md Hello.');

  expect(job.status).toBe('completed');
  const [pull, ...others] = await forge.list(slug);
  expect(others).toEqual([]);
  expect(pull).toMatchObject({ title: 'Write the page', base: 'main', head: `headcount/${job.id}` });
  expect(job.prLink).toMatch(new RegExp(`/${pull?.number}$`));
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'docs/page.md')).toBe('Hello.\n');
  const [commit] = await forge.git.log(slug, `headcount/${job.id}`);
  expect(commit?.message).toContain(`Headcount-Job: ${job.id}\nHeadcount-Turn: 0`);
  expect(forge.violations).toEqual([]);
});

test('a turn that changes nothing completes without a branch or pull request', async () => {
  const { jobs, forge } = await startJobRun();
  const job = await runJob(jobs, 'look at the page');

  expect(job).toMatchObject({ status: 'completed', prLink: null });
  expect(Object.keys(await forge.git.refs(slug))).toEqual(['refs/heads/main']);
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)).toMatchObject({ type: 'completed', data: { changed: false } });
});

test('without a forge the branch is pushed and the transcript says where to look', async () => {
  const { jobs, forge } = await startJobRun({ kind: 'none' });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job).toMatchObject({ status: 'completed', prLink: null });
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'page.md')).toBe('Hello.\n');
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)?.data.message).toContain(`headcount/${job.id}`);
  expect(await forge.list(slug)).toEqual([]);
});

test('archiving stops the agent, and nothing is pushed any more', async () => {
  let archived: Promise<unknown> | undefined;
  const { jobs, forge, model } = await startJobRun({
    script: async ({ body }) => {
      archived ??= jobs.archive(id);
      await archived;
      return obey(body);
    },
  });
  const { id } = await createJob(jobs, 'write page.md Hello.');
  const job = await finish(jobs, id);
  expect(job.status).toBe('archived');
  // A second job shows that the runner is free again.
  await runJob(jobs, 'write other.md Hello.');
  expect(model.requests.length).toBeLessThanOrEqual(3);
  expect(Object.keys(await forge.git.refs(slug))).not.toContain(`refs/heads/headcount/${id}`);
});

test('stopping ends the agent, and a message goes on with the job', async () => {
  let stopped: Promise<unknown> | undefined;
  const { jobs, forge, model } = await startJobRun({
    script: async ({ body }) => {
      stopped ??= jobs.stop(id);
      await stopped;
      return obey(body);
    },
  });
  const { id } = await createJob(jobs, 'write page.md Hello.');
  expect(await finish(jobs, id)).toMatchObject({
    status: 'completed',
    stopped: true,
    failure: null,
    prLink: null,
  });
  expect((await eventsOf(jobs, id)).at(-1)).toMatchObject({ type: 'stopped' });
  expect(Object.keys(await forge.git.refs(slug))).not.toContain(`refs/heads/headcount/${id}`);

  const before = model.requests.length;
  await sendMessage(jobs, id, 'write other.md Hello.');
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed', stopped: false });
  expect(await forge.git.read(slug, `headcount/${id}`, 'other.md')).toBe('Hello.\n');
  const heard = JSON.stringify(model.requests[before]?.body);
  expect(heard).toContain('write page.md Hello.');
  expect(heard).toContain('this turn was stopped');
});

test('a message that arrives while a job is being stopped is of its next turn, which knows of the stop', async () => {
  let stopped: Promise<unknown> | undefined;
  const { jobs, headcount, forge, model } = await startJobRun({
    script: async ({ body }) => {
      stopped ??= jobs.stop(id).then(async (answer) => ({
        status: answer.status,
        job: ((await answer.json()) as JobReply).status,
      }));
      await stopped;
      return obey(body);
    },
  });
  const { id } = await createJob(jobs, 'write page.md Hello.');
  await sendMessage(jobs, id, 'write dropped.md Hello.');
  const { store } = headcount.context;
  const list = store.jobs.listOpenTurns;
  vi.spyOn(store.jobs, 'listOpenTurns').mockImplementationOnce(async (...args) => {
    const turns = await list(...args);
    await sendMessage(jobs, id, 'write late.md Hello.');
    return turns;
  });
  expect(await finish(jobs, id)).toMatchObject({ status: 'completed', stopped: false, failure: null });
  expect(await stopped).toEqual({ status: 200, job: 'active' });
  const branch = `headcount/${id}`;
  expect(await forge.git.read(slug, branch, 'late.md')).toBe('Hello.\n');
  for (const path of ['page.md', 'dropped.md'])
    await expect(forge.git.read(slug, branch, path)).rejects.toThrow();
  const heard = JSON.stringify(model.requests.at(-1)?.body);
  for (const text of ['write page.md', 'write dropped.md', 'write late.md', 'this turn was stopped'])
    expect(heard).toContain(text);
  const events = await eventsOf(jobs, id);
  expect(events.filter(({ type }) => type === 'stopped')).toMatchObject([{ turn: 1 }]);
});

test('the agent reads the analytics of its own project', async () => {
  const { jobs, headcount, model } = await startJobRun({
    script: inOrder(
      {
        calls: [
          { tool: 'visitors', input: {} },
          { tool: 'ai_clients', input: {} },
        ],
      },
      { text: 'Read the numbers' },
    ),
  });
  await headcount.hit({ u: 'https://example.com/most-read' });
  const job = await runJob(jobs, 'which page is read most?');

  expect(job.status).toBe('completed');
  expect(model.requests[1]?.results[0]).toContain('"path":"/most-read","human":1');
  expect(model.requests[1]?.results[1]).toContain('"measured":{"people":true,"ai":false,"ways":["script"]}');
});

test('a GitHub App opens pull requests with short-lived tokens of its own', async () => {
  const { jobs, headcount, forge } = await startJobRun({ project: { githubAppId: '4711' } });
  await setSecrets(headcount, { forgeToken: null, githubAppKey: forge.app.privateKey });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  const [made] = [...forge.app.tokens.values()];
  expect(made).toMatchObject({ repositories: ['site'], permissions: { contents: 'write' } });
  expect(forge.violations).toEqual([]);
});

test('jobs that rest for long enough are archived when a server starts, also by one that runs none', async () => {
  const clock = createClock(new Date().toISOString());
  const outside = await startOutside();
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-idle-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = { ...outside.env, HEADCOUNT_JOB_ARCHIVE_DAYS: '3' };
  const first = await startHeadcount({ dataDir, env, now: clock.now, project: outside.settings });
  await setSecrets(first, { forgeToken });
  const { id } = await runJob(jobClient(first.url, first), 'look at the page');
  await first.stop();

  clock.advance(2 * dayMs);
  const early = await startHeadcount({ dataDir, env, now: clock.now });
  await early.stop();

  clock.advance(2 * dayMs);
  const late = await startHeadcount({ dataDir, env: { ...env, HEADCOUNT_MAX_JOBS: '0' }, now: clock.now });
  onTestFinished(() => late.stop());
  const jobs = jobClient(late.url, first);
  const read = async () => (await (await jobs.read(id)).json()) as JobReply;
  const job = await until(read, ({ status }) => status !== 'completed');
  expect(job.archivedAt).toBe(new Date(clock.now()).toISOString());
});
