import { expect, test } from 'vitest';
import {
  createJob,
  finish,
  obey,
  runJob,
  sendMessage,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';

const bases: [ref: string, baseBranch: string][] = [
  ['', 'main'],
  ['trunk', 'trunk'],
  ['refs/heads/trunk', 'trunk'],
  ['v1', 'main'],
  ['refs/tags/v1', 'main'],
];

test.each(bases)('a job names the base branch of what it began at: %j is %s', async (ref, baseBranch) => {
  const { jobs, forge } = await startJobRun({ project: { ref } });
  await forge.git.git(slug, ['branch', 'trunk', 'main']);
  await forge.git.git(slug, ['tag', 'v1', 'main']);
  const created = await createJob(jobs, 'write page.md Hello.');
  // What a name is short for is asked when the job begins.
  expect(created.source.ref).toBe(ref === 'v1' ? ref : baseBranch);
  const job = await finish(jobs, created.id);
  expect(job).toMatchObject({ status: 'completed', source: { ref: baseBranch } });
  expect(await forge.list(slug)).toMatchObject([{ base: baseBranch }]);
  // The next job of the same source knows it from the start.
  expect((await createJob(jobs, 'look at the page')).source.ref).toBe(baseBranch);
});

test('a job whose repository does not answer says that its base branch is not known', async () => {
  const { jobs } = await startJobRun({
    project: { ref: '', repository: 'http://127.0.0.1:9/ada/site' },
    env: { HEADCOUNT_MAX_JOBS: '0' },
  });
  expect((await createJob(jobs, 'write page.md Hello.')).source.ref).toBe('');
});

test('a job names the model that answered, which may be the one that stands in', async () => {
  const project = { model: 'openai/gpt-4.1', fallbackModel: 'openai/gpt-4.1-mini' };
  let isBusy = true;
  const { jobs } = await startJobRun({
    script: ({ body }) => (isBusy && body.model === 'gpt-4.1' ? { status: 503 } : obey(body)),
    project,
  });
  const created = await createJob(jobs, 'write page.md Hello.');
  expect(created.model).toBe('openai/gpt-4.1');
  expect(await finish(jobs, created.id)).toMatchObject({
    status: 'completed',
    model: 'openai/gpt-4.1-mini',
  });
  isBusy = false;
  await sendMessage(jobs, created.id, 'write page.md Good day.');
  expect(await finish(jobs, created.id)).toMatchObject({ status: 'completed', model: 'openai/gpt-4.1' });
});

test('a job reports the steps and tokens that its turns have used', async () => {
  const tokens = { input: 1_000, output: 10, cached: 400 };
  const { jobs, headcount } = await startJobRun({ script: ({ body }) => ({ ...obey(body), tokens }) });
  const first = await runJob(jobs, 'write page.md Hello.');
  expect(first.usage).toEqual({
    steps: 2,
    inputTokens: 2_000,
    outputTokens: 20,
    cachedTokens: 800,
    cost: null,
  });
  await sendMessage(jobs, first.id, 'look at the page');
  const job = await finish(jobs, first.id);
  expect(job.usage).toEqual({
    steps: 3,
    inputTokens: 3_000,
    outputTokens: 30,
    cachedTokens: 1_200,
    cost: null,
  });

  const authorization = `Bearer ${headcount.rootKey}`;
  const metrics = await (await fetch(`${headcount.url}/metrics`, { headers: { authorization } })).text();
  for (const line of [
    'headcount_agent_steps_total 3',
    'headcount_agent_tokens_total{kind="input"} 3000',
    'headcount_agent_tokens_total{kind="output"} 30',
    'headcount_agent_tokens_total{kind="cached"} 1200',
    'headcount_turns_ended_total{end="completed"} 2',
    'headcount_turn_seconds_count 2',
    'headcount_jobs{state="completed"} 1',
    'headcount_turns{state="waiting"} 0',
  ]) {
    expect(metrics).toContain(`\n${line}\n`);
  }
});

test('a job tells its branch once it is pushed, and why its newest turn failed', async () => {
  let isBroken = false;
  const { jobs } = await startJobRun({
    script: ({ body }) => (isBroken ? { status: 401 } : obey(body)),
  });
  const created = await createJob(jobs, 'write page.md Hello.');
  expect(created).toMatchObject({ status: 'active', branch: null, failure: null, usage: null });
  const done = await finish(jobs, created.id);
  expect(done).toMatchObject({ branch: expect.stringMatching(/^headcount\//), failure: null });
  isBroken = true;
  await sendMessage(jobs, created.id, 'write page.md Good day.');
  const failed = await finish(jobs, created.id);
  expect(failed).toMatchObject({
    status: 'failed',
    branch: done.branch,
    failure: { code: 'model_settings', message: expect.stringContaining('refused the key') },
  });
});
