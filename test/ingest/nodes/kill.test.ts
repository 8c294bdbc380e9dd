import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AddedProject } from '../../../server/operations/projects.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { runHeadcount, type ServerProcess, startProcess } from '../../support/child.ts';
import { ReportingSite } from '../../support/load/reporting-site.ts';
import { type Load, sendLoad } from '../../support/load/script-load.ts';
import { meanwhile } from '../../support/meanwhile.ts';
import { dropDatabase, makeDatabase } from '../../support/store/shared-postgres.ts';

/** More with HEADCOUNT_TEST_KILLS. */
const kills = Number(process.env.HEADCOUNT_TEST_KILLS ?? 3);

let dataDir: string;
let database: string;
let project: AddedProject;
let env: Record<string, string>;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headcount-nodes-'));
  database = await makeDatabase();
  env = {
    HEADCOUNT_DATA_DIR: dataDir,
    HEADCOUNT_DATABASE_URL: database,
    HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const { stdout } = await runHeadcount(['project', 'add', '--name', 'Kill', '--json'], env);
  project = JSON.parse(stdout) as AddedProject;
});
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true });
  await dropDatabase(database);
});

async function withStore<T>(read: (store: Store) => Promise<T>): Promise<T> {
  const store = await openPostgresStore(database);
  return read(store).finally(() => store.close());
}

function readCounted() {
  const all = { projectId: project.projectId, from: null, to: null, offset: 0 };
  const counts = { ...all, dimension: 'path', limit: 1_000_000 } as const;
  return withStore(async (store) => {
    const views = await store.readCounts({ ...counts, measure: 'views' });
    const visitors = await store.readCounts({ ...counts, measure: 'visitors' });
    const { rows } = await store.readDropped({ ...all, limit: 10 });
    return {
      views: new Map(views.rows.map(({ name, total }) => [name, total])),
      visitors: new Map(visitors.rows.map(({ name, total }) => [name, total])),
      totalVisitors: visitors.totals.total,
      bots: rows.find(({ reason }) => reason === 'bot')?.hits ?? 0,
    };
  });
}

test('of two nodes one is killed again and again, and every hit that got its 202 is counted, none twice', async () => {
  const sites = Array.from({ length: 8 }, (_, i) => new ReportingSite(`site-${i}`, project.ingestKey));
  const loads: Load[] = [];
  const nodes: ServerProcess[] = [await startProcess(env), await startProcess(env)];
  // Each site goes to whichever node answers, and takes its batch to the other where that one is gone.
  const reporting = sites.map((site, i) => {
    let turn = i;
    return async () => {
      if (!(await site.send((nodes[turn++ % 2] as ServerProcess).url))) await pause(5);
    };
  });
  await meanwhile(reporting, async () => {
    for (let round = 0; round < kills; round++) {
      const started = nodes.map(({ url }, i) => sendLoad(url, project.projectId, 8, `round-${round}-${i}`));
      loads.push(...started);
      await expect.poll(() => started.every(({ answers }) => answers.has(202)), { interval: 5 }).toBe(true);
      await pause(Math.random() * 200);
      const killed = nodes[round % 2] as ServerProcess;
      killed.signal('SIGKILL');
      await killed.ended;
      for (const load of started) await load.stop();
      nodes[round % 2] = await startProcess(env);
    }
  });
  const [first] = nodes as [ServerProcess, ServerProcess];
  for (const site of sites) expect(await site.send(first.url)).toBe(true);
  for (const node of nodes) node.signal('SIGTERM');
  expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual([0, 0]);

  const counted = await readCounted();
  const acknowledged = loads.flatMap(({ answers }) => answers.get(202) ?? []);
  const batches = sites.reduce((sum, site) => sum + site.batches, 0);
  expect(acknowledged.length).toBeGreaterThan(kills * 16);
  expect(batches).toBeGreaterThan(kills * 8);
  expect(sites.some(({ repeated }) => repeated > 0)).toBe(true);
  const reported = new Map(sites.flatMap(({ views }) => views));
  expect(acknowledged.filter((path) => counted.views.get(path) !== 1)).toEqual([]);
  expect([...counted.views].filter(([path, views]) => views !== (reported.get(path) ?? 1))).toEqual([]);
  expect([...reported.keys()].filter((path) => !counted.views.has(path))).toEqual([]);
  expect([...counted.visitors].filter(([, visitors]) => visitors !== 1)).toEqual([]);
  expect(counted.bots).toBe(batches);
  // Of whom something was counted, each is one visitor over both nodes.
  const addresses = new Map([
    ...loads.flatMap((load) => [...load.addresses]),
    ...sites.flatMap((site) => site.views.map(([path]) => [path, site.address] as const)),
  ]);
  const visitors = new Set([...counted.views.keys()].map((path) => addresses.get(path)));
  expect(visitors.has(undefined)).toBe(false);
  expect(counted.totalVisitors).toBe(visitors.size);
});
