import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AddedProject, addProject } from '../../server/commands/project/project.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { startProcess } from '../support/child.ts';
import { makeProject } from '../support/data-folders.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { ReportingSite } from '../support/load/reporting-site.ts';
import { sendLoad } from '../support/load/script-load.ts';

let dataDir: string;
let project: AddedProject;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headcount-kill-'));
  project = await makeProject(dataDir);
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Views by path, as the reports of a fresh start give them. */
async function countedViews(): Promise<Map<string, number>> {
  const store = await openSqliteStore(dataDir);
  const query = {
    projectId: project.projectId,
    dimension: 'path',
    measure: 'views',
    from: null,
    to: null,
  } as const;
  const { rows } = await store.readCounts({ ...query, limit: 1_000_000, offset: 0 });
  await store.close();
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countedBots(): Promise<number> {
  const store = await openSqliteStore(dataDir);
  const all = { projectId: project.projectId, from: null, to: null, limit: 10, offset: 0 };
  const { rows } = await store.readDropped(all);
  await store.close();
  return rows.find(({ reason }) => reason === 'bot')?.hits ?? 0;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('killed twenty times under load, every hit that got its 202 is counted, and none twice', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 20; round++) {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    // The path of each hit is new: 24 connections in such a time stay well below a day's 10,000.
    const load = sendLoad(server.url, project.projectId, 24, `round-${round}`);
    await expect.poll(() => load.answers.has(202), { interval: 1 }).toBe(true);
    await pause(Math.random() * 40);
    server.signal('SIGKILL');
    await server.ended;
    await load.stop();
    acknowledged.push(...(load.answers.get(202) ?? []));
    expect([...load.answers.keys()].filter((status) => status !== 202 && status !== 0)).toEqual([]);
  }
  const counted = await countedViews();
  expect(acknowledged.length).toBeGreaterThan(100);
  expect(counted.has('(other)')).toBe(false);
  expect(acknowledged.filter((path) => counted.get(path) !== 1)).toEqual([]);
  expect([...counted].filter(([, views]) => views !== 1)).toEqual([]);
});

test('killed again and again, a batch that is sent until it is answered counts once, with what was dropped of it', async () => {
  const sites = Array.from({ length: 12 }, (_, i) => new ReportingSite(`site-${i}`, project.ingestKey));
  for (let round = 0; round < 10; round++) {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    const loops = sites.map(async (site) => {
      while (await site.send(server.url));
    });
    const answered = () => sites.reduce((sum, { batches }) => sum + batches, 0);
    for (const before = answered(); answered() < before + sites.length; ) await pause(1);
    await pause(Math.random() * 20);
    server.signal('SIGKILL');
    await server.ended;
    await Promise.all(loops);
  }
  const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
  for (const site of sites) expect(await site.send(server.url)).toBe(true);
  server.signal('SIGTERM');
  await server.ended;
  expect(sites.reduce((sum, { repeated }) => sum + repeated, 0)).toBeGreaterThan(5);
  const batches = sites.reduce((sum, site) => sum + site.batches, 0);
  expect(batches).toBeGreaterThan(50);
  expect(await countedViews()).toEqual(new Map(sites.flatMap(({ views }) => views)));
  expect(await countedBots()).toBe(batches);
});

test('killed as the day of many projects begins, every first hit that got its 202 is counted once, and its visitor is known again', async () => {
  const store = await openSqliteStore(dataDir);
  // Midnight there is hours away; in these names east is negative.
  const timeZone = new Date().getUTCHours() < 12 ? 'Etc/GMT-6' : 'Etc/GMT+6';
  const addSome = async (round: number) => {
    const some: string[] = [];
    for (let i = 0; i < 40; i++) {
      const settings = projectSettings.parse({ name: `${round} ${i}`, timeZone });
      some.push((await addProject(store, settings, { baseUrl: 'http://localhost', now: 0 })).projectId);
    }
    return some;
  };
  const rounds: string[][] = [];
  for (let round = 0; round < 8; round++) rounds.push(await addSome(round));
  await store.close();
  const acknowledged = new Set<string>();
  for (const [round, projects] of rounds.entries()) {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    const answers = projects.map(async (projectId) => {
      const status = await hit(server.url, projectId, '/first').catch(() => 0);
      if (status === 202) acknowledged.add(projectId);
    });
    // As the first answer comes, or whatever is under way a moment later.
    await Promise.race(answers);
    if (round > 0) await pause(Math.random() * 20);
    server.signal('SIGKILL');
    await server.ended;
    await Promise.all(answers);
  }
  const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
  for (const projectId of rounds.flat()) expect(await hit(server.url, projectId, '/next')).toBe(202);
  server.signal('SIGTERM');
  await server.ended;
  expect(acknowledged.size).toBeGreaterThan(0);
  const again = await openSqliteStore(dataDir);
  for (const projectId of rounds.flat()) {
    const all = { projectId, dimension: 'path', from: null, to: null, limit: 10, offset: 0 } as const;
    const { rows, totals } = await again.readCounts({ ...all, measure: 'views' });
    const firsts = rows.find(({ name }) => name === '/first')?.total ?? 0;
    if (acknowledged.has(projectId)) expect([projectId, firsts]).toEqual([projectId, 1]);
    else expect(firsts).toBeLessThanOrEqual(1);
    expect(totals.total).toBe(firsts + 1);
    const visitors = await again.readCounts({ ...all, measure: 'visitors' });
    expect([projectId, visitors.totals.total]).toEqual([projectId, 1]);
  }
  await again.close();
});

async function hit(url: string, p: string, path: string): Promise<number> {
  const response = await fetch(`${url}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p, u: `https://example.com${path}` }),
    headers: { 'user-agent': chromeUserAgent },
  });
  return response.status;
}

test('told to stop under load, it answers what it accepted and cuts no answer off', async () => {
  const acknowledged: string[] = [];
  let refused = 0;
  // On a busy machine it may be that nobody asked between the signal and the end.
  for (let round = 0; refused === 0 && round < 10; round++) {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    const load = sendLoad(server.url, project.projectId, 24, `stop-${round}`);
    while ((load.answers.get(202)?.length ?? 0) < 300) await pause(1);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await load.stop();
    // After the signal: 503, on a connection that is then closed.
    expect([...load.answers.keys()].filter((status) => status !== 202 && status !== 503)).toEqual([]);
    refused += load.answers.get(503)?.length ?? 0;
    acknowledged.push(...(load.answers.get(202) ?? []));
    expect(server.output.stderr).toBe('');
  }
  expect(refused).toBeGreaterThan(0);
  const counted = await countedViews();
  expect(acknowledged.filter((path) => counted.get(path) !== 1)).toEqual([]);
  expect(counted.size).toBe(acknowledged.length);
});
