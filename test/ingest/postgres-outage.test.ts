import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { runHeadcount, type ServerProcess, startProcess } from '../support/child.ts';
import { temporaryFolders } from '../support/data-folders.ts';
import { chromeUserAgent, projectClient } from '../support/headcount.ts';
import { freePort } from '../support/machine/free-port.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { runIn } from '../support/store/postgres-client.ts';
import { makePostgresFolder } from '../support/store/postgres-folder.ts';
import { PostgresServer, password } from '../support/store/postgres-server.ts';

const newFolder = temporaryFolders();
let folder: string;
let database: PostgresServer | undefined;
let env: Record<string, string>;
let project: AddedProject;
let server: ServerProcess | undefined;

beforeAll(async () => {
  folder = await makePostgresFolder();
  database = await PostgresServer.start(folder);
});
afterAll(async () => {
  await database?.end('SIGINT');
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async (context) => {
  if (!database) return leaveOut(context, 'PostgreSQL is not installed');
  const name = `outage_${randomBytes(4).toString('hex')}`;
  await runIn(database.urlOf('postgres'), `create database ${name}`);
  env = {
    HEADCOUNT_DATA_DIR: await newFolder(),
    HEADCOUNT_DATABASE_URL: database.urlOf(name),
    HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64'),
    HEADCOUNT_PORT: String(await freePort()),
    HEADCOUNT_MAX_JOBS: '0',
  };
  const added = await runHeadcount(['project', 'add', '--name', 'Docs', '--json'], env);
  project = JSON.parse(added.stdout) as AddedProject;
});
afterEach(async () => {
  server?.signal('SIGKILL');
  await server?.ended;
  server = undefined;
});

const address = () => `http://127.0.0.1:${env.HEADCOUNT_PORT}`;

/** 0: nobody answered. */
async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(address() + path, init).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status ?? 0;
}

const visit = (visitor: number) =>
  statusOf('/v1/hit', {
    method: 'POST',
    body: JSON.stringify({ p: project.projectId, u: `https://docs.example.com/${visitor % 7}` }),
    headers: { 'user-agent': chromeUserAgent, 'x-forwarded-for': `10.2.${visitor >> 8}.${visitor & 255}` },
  });

function expectWords({ output }: ServerProcess, words: RegExp): void {
  expect(output.stderr).toMatch(words);
  expect(output.stderr + output.stdout).not.toContain(password);
  expect(output.stderr + output.stdout).not.toContain(encodeURIComponent(password));
}

test('a server that starts before its PostgreSQL answers 503, and begins when it is there', async () => {
  await database?.end('SIGINT');
  const starting = startProcess(env);
  await expect.poll(() => statusOf('/readyz')).toBe(503);
  expect([await statusOf('/healthz'), await visit(1)]).toEqual([200, 503]);
  await database?.start();
  server = await starting;
  expect(await visit(1)).toBe(202);
  expectWords(server, /The start waits for the database: .*The database .* cannot be used: /);
});

test('a PostgreSQL that is killed under load costs no acknowledged hit, and none counts twice', async () => {
  server = await startProcess(env);
  const accepted = new Set<number>();
  const statuses = new Set<number>();
  let next = 0;
  const send = async () => {
    const visitor = next++;
    const status = await visit(visitor);
    statuses.add(status);
    if (status === 202) accepted.add(visitor);
    else await pause(20);
  };
  const moreAccepted = async () => {
    const before = accepted.size;
    await expect.poll(() => accepted.size).toBeGreaterThan(before + 20);
  };
  await meanwhile(
    Array.from({ length: 8 }, () => send),
    async () => {
      for (let kill = 0; kill < 3; kill++) {
        await moreAccepted();
        await database?.end('SIGKILL');
        await expect.poll(() => statusOf('/readyz')).toBe(503);
        await database?.start();
        await expect.poll(() => statusOf('/readyz')).toBe(200);
      }
      await moreAccepted();
    },
  );
  expect([...statuses].filter((status) => status !== 202 && status !== 503)).toEqual([]);
  const client = projectClient(address(), project);
  const [visitors, views] = [await client.visitors(), await client.views()];
  const total = (counts: typeof views) => Object.values(counts).reduce((sum, count) => sum + count.total, 0);
  expect([total(visitors), total(views)]).toEqual([accepted.size, accepted.size]);
  expectWords(server, /The database .* cannot be used: /);
});

test('counts that cannot be added up are reported and read all the same, and added up as soon as they can be', async () => {
  const url = env.HEADCOUNT_DATABASE_URL as string;
  const waiting = () => runIn(url, 'select project from pending_counts');
  await runIn(
    url,
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'No room for counts'; end $$;
     create trigger refuse before insert on counts execute function refuse();`,
  );
  server = await startProcess(env);
  const told = /error What waits to be added to the counts could not be, .*No room for counts/g;
  expect(await visit(1)).toBe(202);
  await expect.poll(() => server?.output.stderr).toMatch(told);
  const client = projectClient(address(), project);
  const visited = { '/1': { human: 1, ai: 0, total: 1 } };
  expect([await client.visitors(), (await waiting()).length]).toEqual([visited, 1]);
  expect(server.output.stderr.match(told), 'once a minute').toHaveLength(1);
  await runIn(url, 'drop trigger refuse on counts');
  await expect.poll(waiting).toEqual([]);
  expect(await client.visitors()).toEqual(visited);
});

test('what cannot be deleted though it is not needed any more is reported', async () => {
  await runIn(
    env.HEADCOUNT_DATABASE_URL as string,
    `create or replace function tidy_batches() returns void language plpgsql as $$ begin raise 'No way'; end $$`,
  );
  server = await startProcess(env);
  await expect
    .poll(() => server?.output.stderr)
    .toMatch(/error What is no longer needed could not be deleted, which is tried again: .*No way/);
});
