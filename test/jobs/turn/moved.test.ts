import { randomBytes } from 'node:crypto';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { runHeadcount, type ServerProcess, startProcess } from '../../support/child.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import {
  createJob,
  eventsOf,
  finish,
  obey,
  prepareDataDir,
  runJob,
  sendMessage,
  slug,
  startOutside,
  until,
} from '../../support/jobs/job-run.ts';
import { type JobClient, jobClient } from '../../support/jobs/jobs.ts';
import { kill } from '../../support/jobs/moments.ts';
import { leaveOut } from '../../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeEmptyDatabase } from '../../support/store/shared-postgres.ts';

const newFolder = temporaryFolders();

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
});

async function startServer(env: Record<string, string>): Promise<ServerProcess> {
  const server = await startProcess(env);
  onTestFinished(() => kill(server));
  return server;
}

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
}

/** What anybody can read of a job. */
async function everythingOf(jobs: JobClient, id: string): Promise<unknown> {
  return { job: await (await jobs.read(id)).json(), events: await eventsOf(jobs, id) };
}

test('jobs that are finished, failed, waiting and at work are moved to PostgreSQL as they are, and go on there', async () => {
  let isSilent = true;
  const outside = await startOutside({
    script: ({ body }) => {
      const isLast =
        isSilent && JSON.stringify(body).includes('stuck') && JSON.stringify(body).includes('"tool"');
      return isLast ? { hang: true } : obey(body);
    },
  });
  const { forge, model } = outside;
  outside.env.HEADCOUNT_SECRET_KEY = randomBytes(32).toString('base64');
  outside.env.HEADCOUNT_JOB_LEASE = '2';
  const { dataDir, ...project } = await prepareDataDir(outside);
  const source = { ...outside.env, HEADCOUNT_DATA_DIR: dataDir };

  const first = await startServer(source);
  const before = jobClient(first.url, project);
  const done = await runJob(before, 'write done.md “Hello” from a\\b');
  expect(done.status).toBe('completed');
  for (let i = 0; i < 40; i += 1) forge.git.faults.push({ on: /git-receive-pack/, status: 403 });
  const failed = await runJob(before, 'write failed.md Hello.');
  expect(failed).toMatchObject({ status: 'failed', failure: { code: 'forbidden' } });
  forge.git.faults.length = 0;
  const asked = model.requests.length;
  const stuck = await createJob(before, 'write stuck.md Hello.');
  await until(async () => model.requests.length === asked + 2, Boolean);
  await kill(first);
  const idle = await startServer({ ...source, HEADCOUNT_MAX_JOBS: '0' });
  const waiting = await createJob(jobClient(idle.url, project), 'write waiting.md Hello.');
  const ids = [done, failed, stuck, waiting].map(({ id }) => id);
  const readAll = (jobs: JobClient) => Promise.all(ids.map((id) => everythingOf(jobs, id)));
  const known = await readAll(jobClient(idle.url, project));
  await stop(idle);

  const url = await makeEmptyDatabase();
  onTestFinished(() => dropDatabase(url));
  const moved = await runHeadcount(['move', '--to', 'postgres'], { ...source, HEADCOUNT_DATABASE_URL: url });
  expect([moved.code, moved.stderr]).toEqual([0, '']);

  isSilent = false;
  const target = { ...outside.env, HEADCOUNT_DATABASE_URL: url };
  const reading = await startServer({
    ...target,
    HEADCOUNT_DATA_DIR: await newFolder(),
    HEADCOUNT_MAX_JOBS: '0',
  });
  expect(await readAll(jobClient(reading.url, project))).toEqual(known);
  const other = { ...target, HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64') };
  expect((await runHeadcount(['project', 'list'], other)).stderr).toContain('is another key');
  await stop(reading);

  const asksBefore = model.requests.length;
  const working = await startServer({ ...target, HEADCOUNT_DATA_DIR: await newFolder() });
  const jobs = jobClient(working.url, project);
  for (const { id } of [stuck, waiting])
    expect(await finish(jobs, id)).toMatchObject({ status: 'completed' });
  // The one that was at work is asked for its end alone.
  expect(model.requests).toHaveLength(asksBefore + 3);
  await sendMessage(jobs, failed.id, 'look at the page');
  expect(await finish(jobs, failed.id)).toMatchObject({ status: 'completed', failure: null });
  expect(await forge.git.read(slug, `headcount/${failed.id}`, 'failed.md')).toBe('Hello.\n');
  await sendMessage(jobs, done.id, 'write more.md Hello.');
  expect(await finish(jobs, done.id)).toMatchObject({ status: 'completed', prLink: done.prLink });
  expect(await forge.git.read(slug, `headcount/${done.id}`, 'done.md')).toBe('“Hello” from a\\b\n');
  expect(await forge.git.read(slug, `headcount/${done.id}`, 'more.md')).toBe('Hello.\n');
  // The conversation of the first message is what the second goes on with.
  expect(JSON.stringify(model.requests.at(-1))).toContain('write done.md');
  expect(await forge.list(slug)).toHaveLength(4);
});
