import { execFileSync } from 'node:child_process';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../server/log.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { atThisLoad } from '../support/machine/load.ts';
import { DatabaseProxy } from '../support/store/database-proxy.ts';
import { runIn } from '../support/store/postgres-client.ts';
import { makePostgresFolder } from '../support/store/postgres-folder.ts';
import { PostgresServer, password } from '../support/store/postgres-server.ts';
import { anySalt, human, openDay, query, view } from '../support/views.ts';

/** In which a node finds out that nobody answers. */
const silenceMs = 30_000;

let folder: string;
let server: PostgresServer | undefined;
let url: string;
let made = 0;

beforeAll(async () => {
  folder = await makePostgresFolder();
  // What was committed survives the end of the server, as it does not that of the machine.
  server = await PostgresServer.start(folder, ['fsync=off']);
});
afterAll(async () => {
  await server?.end('SIGINT');
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async (context) => {
  if (!server) return leaveOut(context, 'PostgreSQL is not installed');
  const name = `outage${++made}`;
  await runIn(server.urlOf('postgres'), `create database ${name}`);
  url = server.urlOf(name);
});

async function open(at: string): Promise<{ store: Store; log: string[] }> {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line), Date.now);
  const store = await openPostgresStore(at, { log });
  onTestFinished(() => store.close());
  return { store, log: lines };
}

const addProject = (store: Store, id: string) =>
  store.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);

const idsIn = async (store: Store) => (await store.directory()).projects.map(({ id }) => id);

test('a database that was killed is reported in words, and used again when it is back', async () => {
  const { store, log } = await open(url);
  let told = 0;
  store.onDirectoryChange(() => told++);
  await addProject(store, 'before');
  await expect.poll(() => told).toBe(1);
  await server?.end('SIGKILL');
  const words = /^The database 127\.0\.0\.1:\d+\/outage\d+ cannot be used: /;
  for (const call of [
    () => store.directory(),
    () => addProject(store, 'lost'),
    () => store.admin.endSessions(),
  ]) {
    await expect(call()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(words),
    });
  }
  await server?.start();
  await expect.poll(() => addProject(store, 'after').then(() => 'done', String)).toBe('done');
  expect(await idsIn(store)).toEqual(['before', 'after']);
  await runIn(url, `update versions set version = version + 1 where what = 'directory'`);
  await expect.poll(() => told).toBe(3);
  expect(log.length).toBeGreaterThan(0);
  expect(log.join('')).not.toContain(password);
  expect(log.join('')).not.toContain(encodeURIComponent(password));
});

test('everybody gets the answer that it is down, also who comes while all connections are asked for', async () => {
  const { store } = await open(url);
  await addProject(store, 'p1');
  await server?.end('SIGKILL');
  const asked = Array.from({ length: 20 }, () => [store.directory(), store.readSecrets('p1')]);
  const told = await Promise.allSettled(asked.flat());
  await server?.start();
  for (const one of told) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  await expect.poll(() => idsIn(store).catch(String)).toEqual(['p1']);
});

test('connections that are cut are made again, and what others change meanwhile is heard of', async () => {
  const proxy = await DatabaseProxy.open(server?.port ?? 0);
  onTestFinished(() => proxy.close());
  const [{ store }, { store: other }] = [await open(proxy.urlOf(url)), await open(url)];
  let told = 0;
  store.onDirectoryChange(() => told++);
  await addProject(other, 'p1');
  await expect.poll(() => told).toBe(1);
  proxy.cut();
  await addProject(other, 'p2');
  await expect.poll(() => told).toBe(2);
  expect(await idsIn(store)).toEqual(['p1', 'p2']);
});

test('who waits for a database that fell silent gets an error that says so, and it is used again when it speaks', async () => {
  const proxy = await DatabaseProxy.open(server?.port ?? 0);
  onTestFinished(() => proxy.close());
  const { store } = await open(proxy.urlOf(url));
  let told = 0;
  store.onDirectoryChange(() => told++);
  await runIn(url, `update versions set version = version + 1 where what = 'directory'`);
  await runIn(url, `select pg_notify('headcount', 'directory')`);
  await expect.poll(() => told).toBe(1);
  await addProject(store, 'p1');
  await expect.poll(() => told).toBe(2);
  proxy.fallSilent();
  const begun = performance.now();
  const waiting = [store.directory(), addProject(store, 'p2'), store.admin.readSignedIn()];
  for (const one of await Promise.allSettled(waiting)) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  }
  expect(performance.now() - begun).toBeLessThan(atThisLoad(silenceMs));
  proxy.speakAgain();
  await expect.poll(() => idsIn(store).catch(String)).toEqual(['p1']);
});

test('of several hosts the one that can be written to is used', async () => {
  const dead = Object.assign(new URL(url), { port: '1' });
  const several = url.replace('@', `@${dead.host},`);
  const { store } = await open(several);
  await addProject(store, 'p1');
  expect(await runIn(url, 'select public_id from projects')).toEqual([{ public_id: 'p1' }]);
});

test('a server that takes no more connections goes on with those that it has', async () => {
  // Only others than the superuser have a limit.
  await runIn(url, `create role small login password 'small'`);
  await runIn(url, `alter database ${new URL(url).pathname.slice(1)} owner to small`);
  const { store } = await open(Object.assign(new URL(url), { username: 'small', password: 'small' }).href);
  let told = 0;
  store.onDirectoryChange(() => told++);
  await addProject(store, 'p1');
  await expect.poll(() => told).toBe(1);
  const holding = new Client({ connectionString: url });
  await holding.connect();
  onTestFinished(() => holding.end());
  await holding.query('begin; lock table projects in exclusive mode');
  const added = addProject(store, 'p2');
  const ofStore = `from pg_stat_activity where usename = 'small'`;
  await expect.poll(() => runIn(url, `select ${ofStore} and wait_event_type = 'Lock'`)).toHaveLength(1);
  // From here on nobody hears notices, and nobody gets a connection for it.
  await runIn(url, 'alter role small connection limit 1');
  await runIn(url, `select pg_terminate_backend(pid) ${ofStore} and wait_event_type is distinct from 'Lock'`);
  const refusals = async () =>
    (await readFile(join(folder, 'log'), 'utf8')).split('too many connections for role').length - 1;
  await expect.poll(refusals).toBeGreaterThan(4);
  await holding.query('commit');
  expect(await added).toBeUndefined();
  expect(await runIn(url, 'select public_id from projects')).toHaveLength(2);
  await runIn(url, 'alter role small connection limit -1');
  await expect.poll(() => told).toBe(2);
});

test('a store that is closed waits for what it was asked for, and keeps no connection', async () => {
  const { store } = await open(url);
  store.onDirectoryChange(() => undefined);
  const asked = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id) => addProject(store, id));
  const answered = Promise.allSettled(asked);
  await store.close();
  const done = (await answered).filter(({ status }) => status === 'fulfilled');
  const [kept] = await runIn<{ projects: number }>(url, 'select count(*)::int as projects from projects');
  expect(kept?.projects).toBe(done.length);
  await expect(store.directory()).rejects.toMatchObject({ code: 'closed' });
  const connections = `select from pg_stat_activity where application_name like 'headcount%'
    and datname = current_database()`;
  await expect.poll(() => runIn(url, connections)).toEqual([]);
});

test('a node counts visitors anew on a database that came back without them', async () => {
  const primary = server as PostgresServer;
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const { store } = await open(url);
  await addProject(store, 'p1');
  await openDay(store, 'p1', 20_000, anySalt());
  const count = () => store.countViews([view({ path: '/a' }), view({ visitor: 2n, path: '/b' })], []);
  await count();
  await primary.end('SIGINT');
  // With all owners, as PostgreSQL is another user where this is root.
  execFileSync('cp', ['-a', data, copy]);
  await primary.start();
  await store.countViews([view({ path: '/b' }), view({ visitor: 3n, path: '/c' })], []);
  await primary.end('SIGKILL');
  await rm(data, { recursive: true });
  await rename(copy, data);
  await primary.start();
  await store.countViews([view({ path: '/b' }), view({ visitor: 3n, path: '/d' })], []);
  expect(await store.readCounts(query())).toMatchObject({
    totals: human(3),
    rows: [
      { name: '/b', ...human(2) },
      { name: '/a', ...human(1) },
      { name: '/d', ...human(1) },
    ],
  });
});
