import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { runIn } from '../../test/support/store/postgres-client.ts';
import type { PostgresServer } from '../../test/support/store/postgres-server.ts';
import { openDay } from '../../test/support/views.ts';
import { atLeast, atMost, type Bench, connections, type Finding } from '../bench.ts';
import { Child } from '../child.ts';
import { type FloodResult, flood } from '../load/flood.ts';
import { paceOf, startPacer } from '../load/pacer.ts';
import { addProject, type HeadcountServer, startHeadcount } from '../server.ts';
import { familyCpu } from '../usage.ts';
import type { CounterResult, CounterTask } from './counter.ts';
import { databaseSettings, makeDatabase, onPostgres } from './database.ts';

const counters = 2;
const seconds = 8;
/** Of a counter: more than those of two counters in as many seconds at the rate that is wanted. */
const batches = 320;
const nodeCounts = [1, 2, 4];

/** Nodes on one PostgreSQL, beside SQLite. */
export function measurePostgres(bench: Bench): Promise<Finding[]> {
  return onPostgres(bench, async (database) => {
    const findings: Finding[] = [];
    for (const measure of [measureOne, measureHundred, measureNodes]) {
      const found = await measure(bench, database);
      for (const { what, value } of found) bench.log(`${what}: ${value}`);
      findings.push(...found);
    }
    return findings;
  });
}

const measureOne = (bench: Bench, database: PostgresServer) => measureStore(bench, database, 1, 70_000);
const measureHundred = (bench: Bench, database: PostgresServer) => measureStore(bench, database, 100, 30_000);

/** The store by itself, with batches of 1,024. */
async function measureStore(
  bench: Bench,
  database: PostgresServer,
  projectCount: number,
  target: number,
): Promise<Finding[]> {
  const url = await makeDatabase(database, `store${projectCount}`);
  const projects = Array.from({ length: projectCount }, (_, i) => `p${i}`);
  const day = await openProjects(url, projects);
  const started: Child[] = [];
  for (let i = 0; i < counters; i++) {
    const task: CounterTask = { url, projects, day, seconds, batches, seed: i + 1 };
    const file = join(import.meta.dirname, 'counter.ts');
    const child = new Child(process.execPath, [file, JSON.stringify(task)], { signal: bench.signal });
    started.push(child);
    await child.said(/ready/);
  }
  await runIn(url, 'checkpoint');
  const [from, cpuBefore] = [await walPosition(url), familyCpu(database.pid)];
  for (const child of started) child.send('SIGUSR2');
  const outputs = await Promise.all(started.map((child) => child.ended()));
  const [to, cpuAfter] = [await walPosition(url), familyCpu(database.pid)];
  const counted = outputs.map((output) => JSON.parse(output.replace('ready\n', '')) as CounterResult);
  const views = counted.reduce((sum, each) => sum + each.views, 0);
  const rate = counted.reduce((sum, each) => sum + each.views / each.seconds, 0);
  const wal = (to - from) / views;
  const [cpu, ofNodes] = [cpuAfter - cpuBefore, counted.reduce((sum, each) => sum + each.cpu, 0)];
  const [size] = await runIn<{ bytes: number }>(
    url,
    "select (sum(pg_total_relation_size(inhrelid)) / (select count(*) from seen))::int as bytes from pg_inherits where inhparent = 'seen'::regclass",
  );
  const what = (text: string) => `${projectCount === 1 ? '1 project' : `${projectCount} projects`}: ${text}`;
  return [
    {
      what: what('hits/s of the store alone'),
      value: String(Math.round(rate)),
      target: atLeast(Math.round(rate), target),
    },
    {
      what: what('CPU time a hit, of PostgreSQL and of the nodes'),
      value: `${(cpu / views).toFixed(1)} µs, ${(ofNodes / views).toFixed(1)} µs`,
    },
    {
      what: what('hits/s that two cores have time for'),
      value: String(Math.round(2e6 / ((cpu + ofNodes) / views))),
    },
    {
      what: what('99th percentile of a batch'),
      value: `${Math.max(...counted.map(({ p99 }) => p99)).toFixed(0)} ms`,
    },
    {
      what: what('bytes of WAL a hit'),
      value: wal.toFixed(0),
      ...(projectCount === 1 && { target: atMost(wal, 320) }),
    },
    { what: what('bytes a visitor'), value: String(size?.bytes) },
  ];
}

/** Through HTTP: SQLite, and so many nodes on one PostgreSQL. */
async function measureNodes(bench: Bench, database: PostgresServer): Promise<Finding[]> {
  const findings: Finding[] = [];
  const onSqlite = await floodNodes(bench, 'sqlite', {}, 1);
  bench.log(`SQLite: ${describe(onSqlite)}`);
  findings.push({ what: 'HTTP, SQLite: hits/s, CPU time a hit', value: describe(onSqlite) });
  for (const count of nodeCounts) {
    const url = await makeDatabase(database, `nodes${count}`);
    const before = familyCpu(database.pid);
    const measured = await floodNodes(bench, `nodes${count}`, databaseSettings(url), count);
    const ofDatabase = (familyCpu(database.pid) - before) / answersOf(measured);
    findings.push({
      what: `HTTP, ${count === 1 ? '1 node' : `${count} nodes`} on PostgreSQL: hits/s, CPU time a hit`,
      value: `${describe(measured)} and ${ofDatabase.toFixed(0)} µs of PostgreSQL`,
    });
    bench.log(`${count} nodes: ${findings.at(-1)?.value}`);
    if (count === 1) findings.push(await measureLatency(bench, url, rateOf(measured) / 2));
  }
  return findings;
}

async function floodNodes(
  bench: Bench,
  name: string,
  env: Record<string, string>,
  count: number,
): Promise<FloodResult[]> {
  const dataDir = join(bench.folder, `postgres-${name}`);
  const project = await addProject(bench, dataDir, env);
  await using nodes = new AsyncDisposableStack();
  const servers: HeadcountServer[] = [];
  for (let i = 0; i < count; i++) {
    servers.push(nodes.use(await startHeadcount(bench, i === 0 ? dataDir : `${dataDir}-${i}`, project, env)));
  }
  const floodAll = (seconds: number, seed: number) =>
    Promise.all(
      servers.map((server, i) =>
        flood(bench, server, { seconds, seed: seed + i, connections: connections / count }),
      ),
    );
  const warmUp = await floodAll(4, 100);
  const measured = await floodAll(6, 200);
  const counted = await (servers[0] as HeadcountServer).countedViews();
  const answers = answersOf(warmUp) + answersOf(measured);
  if (counted < answers)
    throw new Error(`${answers} requests were answered 202, and ${counted} views were counted.`);
  return measured;
}

async function measureLatency(bench: Bench, url: string, full: number): Promise<Finding> {
  const dataDir = join(bench.folder, 'postgres-latency');
  const env = databaseSettings(url);
  const project = await addProject(bench, dataDir, env);
  await using server = await startHeadcount(bench, dataDir, project, env);
  const task = {
    port: server.port,
    projectId: project.projectId,
    rate: Math.round(full),
    seconds: 10,
    warmUpSeconds: 3,
    seed: 3,
  };
  await using pacer = startPacer(bench, task);
  const { p99 } = await paceOf(pacer);
  return {
    what: `99th percentile of a hit at ${task.rate} hits/s, 1 node`,
    value: `${p99.toFixed(0)} ms`,
    target: atMost(p99, 120, ' ms'),
  };
}

async function openProjects(url: string, projects: readonly string[]): Promise<number> {
  const day = Math.floor(Date.now() / 86_400_000);
  const store = await openPostgresStore(url);
  for (const id of projects) {
    await store.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);
    await openDay(store, id, day, randomBytes(45));
  }
  await store.close();
  return day;
}

async function walPosition(url: string): Promise<number> {
  const [row] = await runIn<{ at: string }>(url, `select pg_current_wal_insert_lsn() - '0/0' as at`);
  return Number(row?.at);
}

const rateOf = (measured: readonly FloodResult[]) => measured.reduce((sum, { rate }) => sum + rate, 0);
const answersOf = (measured: readonly FloodResult[]) =>
  measured.reduce((sum, { answers }) => sum + answers, 0);

function describe(measured: readonly FloodResult[]): string {
  const cpu = measured.reduce(
    (sum, each) => sum + each.answers * Object.values(each.cpu).reduce((all, time) => all + time, 0),
    0,
  );
  return `${Math.round(rateOf(measured))}, ${(cpu / answersOf(measured)).toFixed(0)} µs`;
}
