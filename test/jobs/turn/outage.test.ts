import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createJob, eventsOf, finish, obey, sendMessage, slug, until } from '../../support/jobs/job-run.ts';
import { prepareNodes } from '../../support/jobs/nodes.ts';
import { createLatch } from '../../support/latch.ts';
import { leaveOut } from '../../support/machine/left-out.ts';
import { connectTo } from '../../support/store/lock-waits.ts';
import { PostgresServer } from '../../support/store/postgres-server.ts';
import { runIn } from '../../support/store/shared-postgres.ts';

let folder: string;
let server: PostgresServer;
let made = 0;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-postgres-'));
  // What was committed survives the end of the server, as it does not that of the machine.
  const started = await PostgresServer.start(folder, ['fsync=off']);
  if (started) server = started;
});
afterAll(async () => {
  await server?.end('SIGINT');
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async (context) => {
  if (!server) return leaveOut(context, 'PostgreSQL is not installed');
  const name = `jobs${++made}`;
  await runIn(server.urlOf('postgres'), `create database ${name}`);
  url = server.urlOf(name);
});

/** A turn whose second answer waits for the latch, with who asks for it. */
async function startTurn() {
  const latch = createLatch();
  const nodes = await prepareNodes({
    url,
    script: async ({ body }, index) => {
      if (index === 1) await latch.opened;
      return obey(body);
    },
  });
  const node = await nodes.start();
  const { id } = await createJob(node.jobs, 'write page.md Hello.');
  await until(async () => nodes.model.requests.length === 2, Boolean);
  return { latch, nodes, node, id };
}

test('a turn whose database is gone for a while goes on from where it was, and blames nobody', async () => {
  const { latch, nodes, node, id } = await startTurn();
  await server.end('SIGKILL');
  latch.open();
  await until(
    async () => node.output.stderr,
    (said) => said.includes('was abandoned'),
  );
  expect((await node.jobs.read(id)).status).toBe(503);
  await server.start();
  await until(
    async () => (await node.jobs.read(id)).status,
    (status) => status === 200,
  );

  expect(await finish(node.jobs, id)).toMatchObject({ status: 'completed' });
  expect(await nodes.forge.list(slug)).toHaveLength(1);
  expect(await nodes.forge.git.log(slug, `headcount/${id}`)).toHaveLength(2);
  // The answer that could not be kept is asked for again, and none before it.
  expect(nodes.model.requests).toHaveLength(3);
  const types = (await eventsOf(node.jobs, id)).map(({ type }) => type);
  expect(types).not.toContain('retry');
});

test('a turn whose connection is cut in the middle of a write is tried again', async () => {
  const { latch, nodes, node, id } = await startTurn();
  const holding = await connectTo(url);
  await holding.query('begin; select from jobs for update');
  latch.open();
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await until(
    () => runIn(url, cut),
    (ended) => ended.length > 0,
  );
  await holding.query('commit');

  expect(await finish(node.jobs, id)).toMatchObject({ status: 'completed' });
  expect(await nodes.forge.git.log(slug, `headcount/${id}`)).toHaveLength(2);
  const retries = (await eventsOf(node.jobs, id)).filter(({ type }) => type === 'retry');
  expect(retries.map(({ data }) => data.message)).toEqual([
    'The database was unavailable for a moment: the turn continues from what was recorded.',
  ]);
});

test('the database is killed again and again under two nodes: no turn is lost, and none is done twice', async () => {
  const nodes = await prepareNodes({
    url,
    script: async ({ body }) => {
      await pause(200);
      return obey(body);
    },
  });
  const [node, other] = await Promise.all([nodes.start(), nodes.start()]);
  const jobs = [];
  for (let n = 0; n < 4; n++) jobs.push(await createJob(node.jobs, `write page-${n}.md first`));
  for (const { id } of jobs) await sendMessage(other.jobs, id, 'write more.md more');
  for (const ms of [300, 900, 1_500]) {
    await pause(ms);
    await server.end('SIGKILL');
    await server.start();
  }
  await until(
    async () => (await node.jobs.list('')).status,
    (status) => status === 200,
  );

  for (const { id } of jobs) {
    expect(await finish(node.jobs, id)).toMatchObject({ status: 'completed' });
    const log = await nodes.forge.git.log(slug, `headcount/${id}`);
    const turns = log.flatMap(({ message }) => /Headcount-Turn: (\d)/.exec(message)?.[1] ?? []);
    expect(turns).toEqual(['1', '0']);
    const numbers = (await eventsOf(node.jobs, id)).map(({ number }) => number);
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  }
  expect(await nodes.forge.list(slug)).toHaveLength(4);
});
