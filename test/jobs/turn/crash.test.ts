import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type ServerProcess, startProcess } from '../../support/child.ts';
import {
  createJob,
  eventsOf,
  finish,
  type Outside,
  obey,
  type PreparedProject,
  prepareDataDir,
  prepareProjects,
  sendMessage,
  slug,
  startOutside,
  until,
} from '../../support/jobs/job-run.ts';
import { type JobClient, jobClient } from '../../support/jobs/jobs.ts';
import type { ModelReply } from '../../support/jobs/model/model-server.ts';
import {
  expectOneDeliveryOfEach,
  kill,
  makeSites,
  roomForAll,
  silentAt,
  silentAtMoments,
  stopAtMoments,
} from '../../support/jobs/moments.ts';
import { engineEnvironment } from '../../support/store/chosen-engine.ts';

interface Cluster extends Outside {
  /** Starts a server on the same data. */
  start(): Promise<ServerProcess & { jobs: JobClient }>;
  /** Starts a process that works off jobs beside a server. */
  startBeside(): Promise<{ jobs: JobClient }>;
  addProjects(settings: readonly Outside['settings'][]): Promise<PreparedProject[]>;
}

/** Processes in a short time of each other: a lease of two seconds. */
async function prepareCluster(
  options: Parameters<typeof startOutside>[0] = {},
  env: Record<string, string> = {},
): Promise<Cluster> {
  const outside = await startOutside(options);
  const { dataDir, ...project } = await prepareDataDir(outside);
  const settings = { ...outside.env, HEADCOUNT_JOB_LEASE: '2', ...env };
  const engine = await engineEnvironment({ HEADCOUNT_DATA_DIR: dataDir });
  return {
    ...outside,
    addProjects: (added) => prepareProjects(added, outside.env, dataDir),
    startBeside: async () => ({
      jobs: jobClient(await startScript('second-server', dataDir, { ...settings, ...engine }), project),
    }),
    start: async () => {
      const server = await startProcess({ ...settings, HEADCOUNT_DATA_DIR: dataDir });
      onTestFinished(async () => {
        server.signal('SIGKILL');
        await server.ended;
      });
      return { ...server, jobs: jobClient(server.url, project) };
    },
  };
}

/** Runs a server of `test/support/jobs` in a process of its own. @returns its address */
async function startScript(name: string, dataDir: string, env: Record<string, string>): Promise<string> {
  const script = join(import.meta.dirname, '../../support/jobs', `${name}.ts`);
  const child = spawn(process.execPath, [script, dataDir, JSON.stringify(env)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child.stdout, 'data')) as [Buffer];
  return url.toString().trim();
}

test('killed with a turn at each moment, the next process brings one commit and one pull request of each', async () => {
  const cluster = await prepareCluster({ script: silentAtMoments() }, roomForAll);
  const projects = await cluster.addProjects(await makeSites(cluster));
  const first = await cluster.start();
  const ids = await stopAtMoments(first.url, projects, cluster);
  await kill(first);

  const second = await cluster.start();
  await expectOneDeliveryOfEach(second.url, projects, ids, cluster);
  expect(second.output.stderr).not.toContain('error');
});

/** The second and third step build on what the ones before them wrote. */
const steps: ModelReply[] = [
  {
    calls: [
      { tool: 'write', input: { path: 'docs/page.md', content: 'one\n' } },
      { tool: 'read', input: { path: 'index.md' } },
    ],
  },
  {
    calls: [
      { tool: 'edit', input: { path: 'docs/page.md', old: 'no such text', new: 'x' } },
      { tool: 'move', input: { from: 'docs/page.md', to: 'docs/moved.md' } },
      { tool: 'delete', input: { path: 'index.md' } },
    ],
  },
  { calls: [{ tool: 'edit', input: { path: 'docs/moved.md', old: 'one', new: 'three' } }] },
  { text: 'Write and move a page\n\nAs it was asked.' },
];

test('killed at every step of an agent, the next process goes on from there and pays for no step twice', async () => {
  let silent = 0;
  // Each step is asked for twice: the process is killed while it waits for the first answer.
  const { forge, model, start } = await prepareCluster({
    script: ({ body }): ModelReply => {
      const messages = body.messages as { role: string }[];
      const step = messages.filter(({ role }) => role === 'assistant').length;
      if (step < silent) return steps[step] as ModelReply;
      silent += 1;
      return { hang: true };
    },
  });
  let server = await start();
  const { id } = await createJob(server.jobs, 'write a page and move it');
  for (let kills = 1; kills <= steps.length; kills += 1) {
    await until(async () => silent === kills, Boolean);
    await kill(server);
    server = await start();
  }
  const job = await finish(server.jobs, id);

  expect(job).toMatchObject({ status: 'completed', usage: { steps: steps.length, inputTokens: 4_000 } });
  const branch = `headcount/${id}`;
  expect(await forge.git.files(slug, branch)).toEqual(['docs/moved.md']);
  expect(await forge.git.read(slug, branch, 'docs/moved.md')).toBe('three\n');
  // One answer and one silence for each.
  expect(model.requests).toHaveLength(2 * steps.length);
  const tools = (await eventsOf(server.jobs, id)).filter(({ type }) => type === 'tool');
  expect(tools.map(({ data }) => data.ok)).toEqual([true, true, false, true, true, true]);
});

test('killed after the pull request was recorded and before the turn was settled, a job only needs its end', async () => {
  const outside = await startOutside();
  const { dataDir, ...project } = await prepareDataDir(outside);
  const engine = await engineEnvironment({ HEADCOUNT_DATA_DIR: dataDir });
  const env = { ...outside.env, HEADCOUNT_JOB_LEASE: '2', ...engine };
  const script = join(import.meta.dirname, '../../support/jobs/unsettled-server.ts');
  const stuck = spawn(process.execPath, [script, dataDir, JSON.stringify(env)], { stdio: 'pipe' });
  const ended = once(stuck, 'close');
  onTestFinished(() => void stuck.kill('SIGKILL'));
  const [url] = (await once(stuck.stdout, 'data')) as [Buffer];
  const jobs = jobClient(url.toString().trim(), project);
  const { id } = await createJob(jobs, 'write page.md Hello.');
  await until(
    () => eventsOf(jobs, id),
    (events) => events.some(({ data }) => data.phase === 'opened'),
  );
  stuck.kill('SIGKILL');
  await ended;

  const { forge, model } = outside;
  const before = { git: forge.git.requests.length, model: model.requests.length };
  const server = await startProcess({ ...env, HEADCOUNT_DATA_DIR: dataDir });
  onTestFinished(() => kill(server));
  const job = await finish(jobClient(server.url, project), id);
  expect(job.status).toBe('completed');
  expect(job.prLink).toMatch(/\/1$/);
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${id}`)).toHaveLength(2);
  expect({ git: forge.git.requests.length, model: model.requests.length }).toEqual(before);
});

test('a process that was paused past its lease changes nothing when it goes on', async () => {
  let answerLate: (reply: ModelReply) => void = () => {};
  const late = new Promise<ModelReply>((resolve) => {
    answerLate = resolve;
  });
  const { forge, model, start, startBeside } = await prepareCluster(
    { script: ({ body }, index) => (index === 1 ? late : obey(body)) },
    // So long that it is lost by the pause alone, and not on a busy machine before.
    { HEADCOUNT_JOB_LEASE: '5' },
  );
  const first = await start();
  const { id } = await createJob(first.jobs, 'write page.md Hello.');
  await until(async () => model.requests.length === 2, Boolean);
  const second = await startBeside();
  first.signal('SIGSTOP');
  const job = await finish(second.jobs, id);
  first.signal('SIGCONT');
  answerLate({ text: 'Too late\n\nAnd yet it speaks.' });
  await pause(1_500);

  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  expect(await forge.git.log(slug, `headcount/${id}`)).toHaveLength(2);
  const events = await eventsOf(second.jobs, id);
  expect(events.filter(({ type }) => type === 'completed')).toHaveLength(1);
});

test('told to stop, a server hands its turn back, and the next one goes on at once', async () => {
  const { forge, model, start } = await prepareCluster(
    { script: silentAt(0) },
    { HEADCOUNT_JOB_LEASE: '600', HEADCOUNT_JOB_GRACE: '0' },
  );
  const first = await start();
  const { id } = await createJob(first.jobs, 'write page.md Hello.');
  await until(async () => model.requests.length === 1, Boolean);
  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = await start();
  const job = await finish(second.jobs, id);
  expect(job.status).toBe('completed');
  expect(await forge.list(slug)).toHaveLength(1);
  const events = await eventsOf(second.jobs, id);
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(1);
});

test('told to stop, a server lets a turn end that needs only a moment', async () => {
  const { start } = await prepareCluster(
    {
      script: async ({ body }) => {
        await pause(500);
        return obey(body);
      },
    },
    // A moment lasts longer than the usual five seconds where others want the machine.
    { HEADCOUNT_JOB_GRACE: '60' },
  );
  const first = await start();
  const { id } = await createJob(first.jobs, 'write page.md Hello.');
  await until(
    () => eventsOf(first.jobs, id),
    (events) => events.some(({ data }) => data.phase === 'pinned'),
  );
  first.signal('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = await start();
  expect(await finish(second.jobs, id, 1)).toMatchObject({ status: 'completed' });
});

test('two processes share twelve jobs: every turn once, in order, within the limit', async () => {
  let atWork = 0;
  let most = 0;
  const { forge, model, start, startBeside } = await prepareCluster(
    {
      script: async ({ body }) => {
        atWork += 1;
        most = Math.max(most, atWork);
        await pause(50);
        atWork -= 1;
        return obey(body);
      },
    },
    { HEADCOUNT_MAX_JOBS: '3', HEADCOUNT_MAX_JOBS_PER_PROJECT: '3', HEADCOUNT_JOB_LEASE: '30' },
  );
  const servers = [await start(), await startBeside()];
  const jobs = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      createJob(servers[n % 2]?.jobs as JobClient, `write page-${n}.md first`),
    ),
  );
  const followed = jobs.slice(0, 3);
  await Promise.all(
    followed.map(({ id }, n) =>
      sendMessage(servers[(n + 1) % 2]?.jobs as JobClient, id, 'write more.md more'),
    ),
  );
  for (const { id } of jobs) {
    expect(await finish(servers[0]?.jobs as JobClient, id)).toMatchObject({ status: 'completed' });
  }

  expect(await forge.list(slug)).toHaveLength(12);
  for (const { id } of jobs) {
    const log = await forge.git.log(slug, `headcount/${id}`);
    const turns = log.flatMap(({ message }) => /Headcount-Turn: (\d)/.exec(message)?.[1] ?? []);
    expect(turns).toEqual(followed.some((job) => job.id === id) ? ['1', '0'] : ['0']);
  }
  expect(model.requests).toHaveLength(30);
  expect(most).toBeLessThanOrEqual(3);
  expect(most).toBeGreaterThan(1);
});
