import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  createJob,
  eventsOf,
  finish,
  type JobRun,
  obey,
  runJob,
  slug,
  startJobRun,
} from '../../support/jobs/job-run.ts';
import { inOrder } from '../../support/jobs/model/model-server.ts';
import { needSandbox } from '../../support/machine/sandbox.ts';
import { listProcesses } from '../../support/processes.ts';

/** The branches and the end of the transcript of a job that failed. */
async function expectFailure(
  { jobs, forge }: JobRun,
  reason: string,
  message: RegExp,
  { keeps = [] as string[] } = {},
): Promise<void> {
  const job = await runJob(jobs, 'write page.md Hello.');
  expect(job).toMatchObject({ status: 'failed', prLink: keeps.length > 0 ? expect.any(String) : null });
  const events = await eventsOf(jobs, job.id);
  const data = { reason, message: expect.stringMatching(message) };
  expect(events.at(-1)).toMatchObject({ type: 'failed', data });
  expect(events.filter(({ type }) => type === 'retry')).toEqual([]);
  const branches = Object.keys(await forge.git.refs(slug));
  if (keeps.length === 0) return expect(branches).toEqual(['refs/heads/main']);
  expect(await forge.git.files(slug, `headcount/${job.id}`)).toEqual(['index.md', ...keeps]);
}

test('a turn that uses up its tokens fails, and the transcript names that limit', async () => {
  const run = await startJobRun({
    script: (_request, index) => ({
      calls: [{ tool: 'write', input: { path: `page-${index}.md`, content: 'Hello.\n' } }],
      tokens: { input: 1_200_000, output: 1_000 },
    }),
  });
  await expectFailure(run, 'tokens', /2000000 tokens.*Ask for less at once\./, {
    keeps: ['page-0.md', 'page-1.md'],
  });
  expect(run.model.requests).toHaveLength(2);
});

test('a turn that takes too long fails, and the transcript names that limit', async () => {
  const run = await startJobRun({
    agentLimits: { timeMs: 2_000 },
    script: ({ body }, index) => (index === 0 ? obey(body) : { hang: true }),
  });
  await expectFailure(run, 'time', /not finish within 2 seconds/, { keeps: ['page.md'] });
});

test('an outside agent that takes too long is ended with all that it started', async (context) => {
  needSandbox(context);
  const command = 'sleep 6174 & echo begun; wait';
  const run = await startJobRun({
    agentLimits: { timeMs: 2_000 },
    project: { agentCommand: ['sh', '-c', command] },
  });
  await expectFailure(run, 'time', /not finish within 2 seconds/);
  const { jobs } = (await (await run.jobs.list('')).json()) as { jobs: { id: string }[] };
  const events = await eventsOf(run.jobs, jobs[0]?.id ?? '');
  expect(events.find(({ type }) => type === 'output')?.data.text).toContain('begun');
  const sleeping = async () =>
    (await listProcesses()).filter(({ commandLine }) => commandLine.includes('sleep 6174'));
  await expect.poll(sleeping).toEqual([]);
});

test('the secondary rate limit of GitHub is waited out, and then the job is done', async () => {
  const { jobs, forge } = await startJobRun();
  const body = {
    message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    documentation_url: 'https://docs.github.com/rest',
  };
  forge.git.faults.push({
    on: /^POST \/api\/v3\/repos\/.*\/pulls/,
    status: 403,
    headers: { 'Retry-After': '1' },
    body,
  });
  const { id } = await createJob(jobs, 'write page.md Hello.');
  const job = await finish(jobs, id);

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${id}`)).toHaveLength(2);
  const retries = (await eventsOf(jobs, id)).filter(({ type }) => type === 'retry');
  expect(retries).toMatchObject([{ data: { reason: 'rate_limited', waitMs: 1_000 } }]);
  const posts = forge.requestsTo('github').filter((request) => request.startsWith('POST'));
  expect(posts).toHaveLength(2);
});

/** What an attempt that was believed dead may have pushed for turn 0. */
const lateCommit = (id: string) => ({
  message: `Write the page\n\nHeadcount-Job: ${id}\nHeadcount-Turn: 0`,
  author: 'Headcount <headcount@localhost>',
});

test.each([
  ['takes the place of', false],
  ['stays below', true],
] as const)(
  'the version that the turn brings %s one of an earlier attempt, unless people built on that',
  async (_what, isBuiltOn) => {
    let id = '';
    const { jobs, forge } = await startJobRun({
      script: async ({ body }, index) => {
        if (index === 1) {
          const branch = `headcount/${id}`;
          const main = (await forge.git.refs(slug))['refs/heads/main'] ?? '';
          await forge.git.git(slug, ['update-ref', `refs/heads/${branch}`, main]);
          await forge.git.commit(slug, { 'page.md': 'Earlier.\n' }, { branch, ...lateCommit(id) });
          if (isBuiltOn) await forge.git.commit(slug, { 'person.md': 'mine\n' }, { branch });
        }
        while (id === '') await pause(5);
        return obey(body);
      },
    });
    ({ id } = await createJob(jobs, 'write page.md Hello.'));
    const job = await finish(jobs, id);

    expect(job.status).toBe('completed');
    expect(await forge.list(slug)).toHaveLength(1);
    const branch = `headcount/${id}`;
    expect(await forge.git.read(slug, branch, 'page.md')).toBe(isBuiltOn ? 'Earlier.\n' : 'Hello.\n');
    const log = await forge.git.log(slug, branch);
    expect(log.map(({ author }) => author)).toEqual(
      isBuiltOn ? ['Ada', 'Headcount', 'Ada'] : ['Headcount', 'Ada'],
    );
  },
);

test('a mirror that is damaged while the agent works is made again, and the turn is done', async () => {
  let isDamaged = false;
  const { jobs, forge, headcount, model } = await startJobRun({
    script: async ({ results }) => {
      if (!isDamaged) await damageMirror(headcount.dataDir);
      isDamaged = true;
      if (results.length > 1) return { text: 'Write a page\n\nAs it was asked.' };
      const write = { tool: 'write', input: { path: 'page.md', content: 'Hello.\n' } };
      return { calls: [results.length === 0 ? { tool: 'read', input: { path: 'index.md' } } : write] };
    },
  });
  const job = await runJob(jobs, 'write a page');

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  const retries = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'retry');
  expect(retries).toMatchObject([{ data: { reason: 'mirror_damaged' } }]);
  // The answer that asked for the file is carried out again, not asked for again.
  expect(model.requests).toHaveLength(3);
});

/** Overwrites the contents of files, and leaves what git looks at first. */
async function damageMirror(dataDir: string): Promise<void> {
  const mirrors = join(dataDir, 'jobs', 'mirrors');
  for (const entry of await readdir(mirrors, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.name.endsWith('.pack')) continue;
    const bytes = await readFile(path);
    bytes.fill(0xff, 12, bytes.length - 20);
    await chmod(path, 0o644);
    await writeFile(path, bytes);
  }
}

test('a link of the repository is refused to the agent, which then does the rest', async () => {
  const { jobs, forge } = await startJobRun({
    files: { 'index.md': '# Site\n', 'latest.md': { mode: '120000', content: 'index.md' } },
    script: inOrder(
      { calls: [{ tool: 'write', input: { path: 'latest.md', content: 'Hello.\n' } }] },
      { calls: [{ tool: 'write', input: { path: 'page.md', content: 'Hello.\n' } }] },
      { text: 'Write a page\n\nThe link was left alone.' },
    ),
  });
  const job = await runJob(jobs, 'write a page');

  expect(job.status).toBe('completed');
  const [refused, written] = (await eventsOf(jobs, job.id)).filter(({ type }) => type === 'tool');
  expect(refused?.data).toMatchObject({ ok: false, output: expect.stringContaining('is a link') });
  expect(written?.data).toMatchObject({ ok: true });
  expect(await forge.git.read(slug, `headcount/${job.id}`, 'latest.md')).toBe('index.md');
});
