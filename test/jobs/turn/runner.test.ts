import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
import { inOrder } from '../../support/jobs/model-server.ts';

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

test('a follow-up adds a commit to the same pull request, after those of people', async () => {
  const { jobs, forge } = await startJobRun();
  const { id, prLink } = await runJob(jobs, 'write a.md one');
  await forge.git.commit(slug, { 'person.md': 'mine\n' }, { branch: `headcount/${id}` });
  await sendMessage(jobs, id, 'write b.md two');
  const job = await finish(jobs, id);

  expect(job).toMatchObject({ status: 'completed', prLink });
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.files(slug, `headcount/${id}`)).toEqual(['a.md', 'b.md', 'index.md', 'person.md']);
  const log = await forge.git.log(slug, `headcount/${id}`);
  expect(log.map(({ author }) => author)).toEqual(['Headcount', 'Ada', 'Headcount', 'Ada']);
});

test('messages that are sent while the job is active are worked off in order', async () => {
  const { jobs, forge } = await startJobRun();
  const { id } = await createJob(jobs, 'write page.md 0');
  await Promise.all([1, 2, 3, 4].map((n) => sendMessage(jobs, id, `write page-${n}.md ${n}`)));
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  const log = await forge.git.log(slug, `headcount/${id}`);
  const turns = log.map(({ message }) => /Headcount-Turn: (\d)/.exec(message)?.[1]);
  expect(turns).toEqual(['4', '3', '2', '1', '0', undefined]);
  expect(await forge.list(slug)).toHaveLength(1);
});

test('twenty messages at once, as a turn ends, are all worked off in order', async () => {
  const { jobs, forge } = await startJobRun();
  const { id } = await createJob(jobs, 'write page.md 0');
  await finish(jobs, id);
  await sendMessage(jobs, id, 'write page-1.md 1');
  const rest = Array.from({ length: 20 }, (_, i) => i + 2);
  await Promise.all(rest.map((n) => sendMessage(jobs, id, `write page-${n}.md ${n}`)));
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  const log = await forge.git.log(slug, `headcount/${id}`);
  const turns = log.map(({ message }) => /Headcount-Turn: (\d+)/.exec(message)?.[1]);
  expect(turns).toEqual([...Array.from({ length: 22 }, (_, i) => String(21 - i)), undefined]);
  expect(await forge.list(slug)).toHaveLength(1);
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

const ends: [string, (run: Awaited<ReturnType<typeof startJobRun>>, branch: string) => Promise<unknown>][] = [
  ['merged', ({ forge }) => forge.merge(slug, 1)],
  ['merged with its branch deleted', ({ forge }) => forge.merge(slug, 1, { deleteBranch: true })],
  ['closed', ({ forge }) => forge.decline(slug, 1)],
  [
    'gone with its branch',
    ({ forge }, branch) => forge.git.git(slug, ['update-ref', '-d', `refs/heads/${branch}`]),
  ],
];

test.each(ends)(
  'after a pull request was %s, a follow-up opens a new one from the base',
  async (_how, end) => {
    const run = await startJobRun();
    const { jobs, forge } = run;
    const first = await runJob(jobs, 'write a.md one');
    await end(run, `headcount/${first.id}`);
    const main = (await forge.git.refs(slug))['refs/heads/main'];
    await sendMessage(jobs, first.id, 'write b.md two');
    const job = await finish(jobs, first.id);

    expect(job.status).toBe('completed');
    expect(job.prLink).not.toBe(first.prLink);
    const pulls = await forge.list(slug);
    expect(pulls.map(({ head }) => head)).toEqual([`headcount/${job.id}-2`, `headcount/${job.id}`]);
    const [commit] = await forge.git.log(slug, `headcount/${job.id}-2`);
    expect(commit?.parents).toEqual([main]);
  },
);

test('passing errors of the forge and of git are waited out', async () => {
  const { jobs, forge } = await startJobRun();
  forge.git.faults.push(
    { on: /^POST .*git-receive-pack/, dropAfter: true },
    { on: /^POST \/api\/v3\/repos\/.*\/pulls/, dropAfter: true },
    { on: /^GET \/api\/v3\/repos\/.*\/pulls/, status: 502 },
  );
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${job.id}`)).toHaveLength(2);
  const events = await eventsOf(jobs, job.id);
  expect(events.filter(({ type }) => type === 'retry').length).toBeGreaterThan(0);
});

test('an error that does not pass is tried three times, and then the job fails with its reason', async () => {
  const { jobs, forge } = await startJobRun();
  for (let i = 0; i < 20; i += 1) forge.git.faults.push({ on: /\/pulls/, status: 502 });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job).toMatchObject({ status: 'failed', prLink: null });
  const events = await eventsOf(jobs, job.id);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'server_error' } });

  // The work is not lost: it is on its branch, and the next message opens the pull request.
  forge.git.faults.length = 0;
  await sendMessage(jobs, job.id, 'write other.md Hello.');
  expect(await finish(jobs, job.id)).toMatchObject({ status: 'completed' });
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${job.id}`)).toHaveLength(3);
});

test('a key that the model refuses ends the turn at once, and says which one to set', async () => {
  const { jobs, model } = await startJobRun({ script: inOrder({ status: 401 }) });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('failed');
  expect(model.requests).toHaveLength(1);
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)?.data.message).toContain('OPENAI_API_KEY');
});

test('a token that the code host refuses ends the turn at once', async () => {
  const { jobs, forge } = await startJobRun();
  for (let i = 0; i < 20; i += 1) forge.git.faults.push({ on: /info\/refs/, status: 401 });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('failed');
  const events = await eventsOf(jobs, job.id);
  expect(events.at(-1)).toMatchObject({ type: 'failed', data: { reason: 'auth' } });
  expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
  expect(JSON.stringify(events)).not.toContain(forgeToken);
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

test('a job whose project moved to another repository does not take its token along', async () => {
  const { jobs, headcount, forge } = await startJobRun();
  const { id } = await runJob(jobs, 'write a.md one');
  const { context, projectId } = headcount;
  const settings = context.registry.project(projectId)?.settings;
  if (!settings) throw new Error('The project is gone.');
  const repository = `${forge.git.origin}/ada/other.git`;
  await context.store.setProject(projectId, { ...settings, repository });
  await context.registry.refresh();
  const before = forge.git.requests.length;
  await sendMessage(jobs, id, 'write b.md two');

  expect(await finish(jobs, id)).toMatchObject({ status: 'failed' });
  expect(forge.git.requests.length).toBe(before);
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

test('a model that asks to be left alone is asked again later', async () => {
  const { jobs, model } = await startJobRun({
    script: ({ body }, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : obey(body),
  });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job.status).toBe('completed');
  expect(model.requests).toHaveLength(3);
  const events = await eventsOf(jobs, job.id);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(1);
});

test('a model that fails in the middle of a turn is not asked again for what it has answered', async () => {
  let failures = 0;
  const { jobs, model, forge } = await startJobRun({
    agentLimits: { tries: 1 },
    script: ({ body, results }) => {
      if (results.length === 1 && failures < 2) {
        failures += 1;
        return { status: 503 };
      }
      return obey(body);
    },
  });
  const job = await runJob(jobs, 'write page.md Hello.');

  expect(job).toMatchObject({ status: 'completed', usage: { steps: 2 } });
  expect(model.requests).toHaveLength(4);
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'page.md')).toBe('Hello.\n');
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
  const late = await startHeadcount({ dataDir, env: { ...env, HEADCOUNT_JOBS: '0' }, now: clock.now });
  onTestFinished(() => late.stop());
  const jobs = jobClient(late.url, first);
  const read = async () => (await (await jobs.read(id)).json()) as JobReply;
  const job = await until(read, ({ status }) => status !== 'completed');
  expect(job.archivedAt).toBe(new Date(clock.now()).toISOString());
});
