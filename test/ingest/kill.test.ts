import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { addProject } from '../support/added-project.ts';
import { startProcess } from '../support/child.ts';
import { makeProject, temporaryFolders } from '../support/data-folders.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { ReportingSite } from '../support/load/reporting-site.ts';
import { sendLoad } from '../support/load/script-load.ts';

const newFolder = temporaryFolders();
let dataDir: string;
let project: AddedProject;

async function startAnew(folder: string): Promise<void> {
  dataDir = folder;
  project = await makeProject(dataDir);
}

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

/** Projects whose day begins with their first hit. */
async function addProjects(count: number): Promise<string[]> {
  const store = await openSqliteStore(dataDir);
  // Midnight there is hours away; in these names east is negative.
  const timeZone = new Date().getUTCHours() < 12 ? 'Etc/GMT-6' : 'Etc/GMT+6';
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const settings = projectSettings.parse({ name: `${i}`, timeZone });
    ids.push((await addProject(store, settings, { baseUrl: 'http://localhost', now: 0 })).projectId);
  }
  await store.close();
  return ids;
}

describe('a server that is killed under load, three times', () => {
  const kills = 3;
  const acknowledged: string[] = [];
  const firstAcknowledged = new Set<string>();
  const sites: ReportingSite[] = [];
  const begun: string[] = [];
  let folder: string;
  let views: Map<string, number>;

  beforeAll(async () => {
    folder = await newFolder();
    await startAnew(folder);
    begun.push(...(await addProjects(40 * kills)));
    sites.push(...Array.from({ length: 12 }, (_, i) => new ReportingSite(`site-${i}`, project.ingestKey)));
    const batches = () => sites.reduce((sum, site) => sum + site.batches, 0);
    for (let round = 0; round < kills; round++) {
      const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
      // The path of each hit is new: so few connections in such a time stay well below a day's 10,000.
      const load = sendLoad(server.url, project.projectId, 24, `round-${round}`);
      const loops = sites.map(async (site) => {
        while (await site.send(server.url));
      });
      const before = batches();
      while ((load.answers.get(202)?.length ?? 0) < 40 || batches() < before + sites.length) await pause(1);
      const first = begun.slice(40 * round, 40 * (round + 1)).map(async (projectId) => {
        const status = await hit(server.url, projectId, '/first').catch(() => 0);
        if (status === 202) firstAcknowledged.add(projectId);
      });
      // As the first answer comes, or whatever is under way a moment later.
      await Promise.race(first);
      if (round > 0) await pause(Math.random() * 20);
      server.signal('SIGKILL');
      await server.ended;
      await Promise.all([load.stop(), ...loops, ...first]);
      acknowledged.push(...(load.answers.get(202) ?? []));
      expect([...load.answers.keys()].filter((status) => status !== 202 && status !== 0)).toEqual([]);
    }
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    for (const site of sites) expect(await site.send(server.url)).toBe(true);
    for (const projectId of begun) expect(await hit(server.url, projectId, '/next')).toBe(202);
    server.signal('SIGTERM');
    await server.ended;
    views = await countedViews();
  });
  beforeEach(() => {
    dataDir = folder;
  });

  test('has counted every hit that got its 202, and none twice', () => {
    const reported = new Set(sites.flatMap((site) => site.views.map(([path]) => path)));
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(views.has('(other)')).toBe(false);
    expect(acknowledged.filter((path) => views.get(path) !== 1)).toEqual([]);
    expect([...views].filter(([path, count]) => count !== 1 && !reported.has(path))).toEqual([]);
  });

  test('counts a batch once that is sent until it is answered, with what was dropped of it', async () => {
    const batches = sites.reduce((sum, site) => sum + site.batches, 0);
    expect(sites.reduce((sum, { repeated }) => sum + repeated, 0)).toBeGreaterThan(5);
    expect(batches).toBeGreaterThan(40);
    const reported = sites.flatMap((site) => site.views);
    expect(reported.map(([path]) => [path, views.get(path)])).toEqual(reported);
    expect(await countedBots()).toBe(batches);
  });

  test('has the first hit of a day that got its 202, once, and knows its visitor again', async () => {
    expect(firstAcknowledged.size).toBeGreaterThan(0);
    const store = await openSqliteStore(dataDir);
    for (const projectId of begun) {
      const all = { projectId, dimension: 'path', from: null, to: null, limit: 10, offset: 0 } as const;
      const { rows, totals } = await store.readCounts({ ...all, measure: 'views' });
      const firsts = rows.find(({ name }) => name === '/first')?.total ?? 0;
      if (firstAcknowledged.has(projectId)) expect([projectId, firsts]).toEqual([projectId, 1]);
      else expect(firsts).toBeLessThanOrEqual(1);
      expect(totals.total).toBe(firsts + 1);
      const visitors = await store.readCounts({ ...all, measure: 'visitors' });
      expect([projectId, visitors.totals.total]).toEqual([projectId, 1]);
    }
    await store.close();
  });
});

async function hit(url: string, p: string, path: string): Promise<number> {
  const response = await fetch(`${url}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p, u: `https://example.com${path}` }),
    headers: { 'user-agent': chromeUserAgent },
  });
  return response.status;
}

test('asked to stop under load, it answers what it accepted and cuts no answer off', async () => {
  await startAnew(await newFolder());
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
