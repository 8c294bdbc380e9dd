import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresServer } from '../../test/support/store/postgres-server.ts';
import { runIn } from '../../test/support/store/shared-postgres.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { timeJobCalls } from './job-calls.ts';
import { type JobSite, startJobSite, timeJob } from './job-site.ts';

const pairs = 15;
/** What a job may take longer on PostgreSQL. */
const mostMs = 20;

/** The same jobs on SQLite and on a PostgreSQL beside it that keeps every commit, in turns. */
export async function measureJobEngines(bench: Bench): Promise<Finding[]> {
  await using postgres = await startPostgres();
  await using site = await startJobSite(bench);
  const calls = await timeJobCalls(join(bench.folder, 'job-calls'), postgres.url('calls'));
  return [...(await compare(bench, site, postgres.env)), ...describe(calls)];
}

function describe({ sqlite, postgres }: { sqlite: number; postgres: number }): Finding[] {
  return [
    { what: 'of which the store takes, SQLite', value: `${sqlite.toFixed(1)} ms` },
    { what: 'PostgreSQL', value: `${postgres.toFixed(1)} ms` },
  ];
}

async function compare(bench: Bench, site: JobSite, onPostgres: Record<string, string>): Promise<Finding[]> {
  await using sqlite = await startNode(bench, site, 'sqlite', {});
  await using postgres = await startNode(bench, site, 'postgres', onPostgres);
  // The first job of each makes the mirror, and loads the agent's libraries.
  for (const node of [sqlite, postgres]) await node.time(0);
  const times: { sqlite: number; postgres: number }[] = [];
  for (let number = 1; number <= pairs; number++) {
    const time = { sqlite: 0, postgres: 0 };
    const order = number % 2 ? (['sqlite', 'postgres'] as const) : (['postgres', 'sqlite'] as const);
    for (const name of order) time[name] = await (name === 'sqlite' ? sqlite : postgres).time(number);
    bench.log(`SQLite ${time.sqlite.toFixed(3)} s, PostgreSQL ${time.postgres.toFixed(3)} s`);
    times.push(time);
  }
  const seconds = (name: 'sqlite' | 'postgres') => `${median(times.map((time) => time[name])).toFixed(3)} s`;
  const more = 1000 * median(times.map((time) => time.postgres - time.sqlite));
  return [
    { what: `create to completed on SQLite, ${pairs} jobs`, value: seconds('sqlite') },
    { what: 'on PostgreSQL', value: seconds('postgres') },
    {
      what: 'longer on PostgreSQL',
      value: `${more.toFixed(0)} ms`,
      target: atMost(Math.round(more), mostMs, ' ms'),
    },
  ];
}

async function startNode(bench: Bench, site: JobSite, name: string, engine: Record<string, string>) {
  const dataDir = join(bench.folder, `jobs-${name}`);
  await mkdir(dataDir);
  const project = await site.addProject(dataDir, engine);
  const headcount = await startHeadcount(bench, dataDir, project, { ...site.env, ...engine });
  return {
    time: (number: number) => timeJob(bench, headcount, project, number),
    [Symbol.asyncDispose]: () => headcount[Symbol.asyncDispose](),
  };
}

interface Postgres extends AsyncDisposable {
  env: Record<string, string>;
  url(database: string): string;
}

async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-bench-postgres-'));
  const server = await PostgresServer.start(folder);
  if (!server) throw new Error('This machine has no PostgreSQL.');
  for (const name of ['headcount', 'calls']) await runIn(server.urlOf('postgres'), `create database ${name}`);
  const env = {
    HEADCOUNT_DATABASE_URL: server.urlOf('headcount'),
    HEADCOUNT_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const stop = async () => {
    await server.end('SIGINT');
    await rm(folder, { recursive: true, force: true });
  };
  return { env, url: (name) => server.urlOf(name), [Symbol.asyncDispose]: stop };
}
