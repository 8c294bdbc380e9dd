import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { addProject as addStoredProject } from '../../server/commands/project/project.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { atLeast, type Bench, type Finding } from '../bench.ts';
import { addProject, startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';

const projects = 1000;
const rounds = 3;
const senders = 64;
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** The first hit of the day of each of many projects, beside the next ones; and what a project waits whose day is open. */
export async function measureNewDay(bench: Bench): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'new-day');
  const busy = await addProject(bench, dataDir);
  const groups = await addProjects(dataDir);
  await using server = await startHeadcount(bench, dataDir, busy);
  const agent = new Agent({ keepAlive: true, maxSockets: senders + 1 });
  const hit = (projectId: string) => send(agent, server.port, projectId);
  for (let i = 0; i < 500; i++) await hit(busy.projectId);

  const ratios: number[] = [];
  const waits: number[] = [];
  for (const group of groups) {
    const first = await rateOf(group, hit, () => timed(() => hit(busy.projectId), waits));
    const steady = await rateOf(group, hit, () => timed(() => hit(busy.projectId), []));
    bench.log(`first ${Math.round(first)}/s, next ${Math.round(steady)}/s`);
    ratios.push(first / steady);
  }
  agent.destroy();
  const ratio = median(ratios);
  return [
    {
      what: `first hits of the day of ${projects} projects, as a ratio to the next ones`,
      value: ratio.toFixed(2),
      target: atLeast(ratio, 0.5),
    },
    { what: 'median of a project whose day is open, meanwhile', value: `${median(waits).toFixed(1)} ms` },
  ];
}

async function addProjects(dataDir: string): Promise<string[][]> {
  const store = await openSqliteStore(dataDir);
  const options = { baseUrl: 'http://localhost', now: Date.now() };
  const groups: string[][] = [];
  for (let round = 0; round < rounds; round++) {
    const group: string[] = [];
    for (let i = 0; i < projects; i++) {
      const added = await addStoredProject(store, projectSettings.parse({ name: `${round} ${i}` }), options);
      group.push(added.projectId);
    }
    groups.push(group);
  }
  await store.close();
  return groups;
}

/** One hit a project, as fast as the senders get their answers, and another project's one after the other. */
async function rateOf(
  group: string[],
  hit: (projectId: string) => Promise<void>,
  beside: () => Promise<void>,
): Promise<number> {
  const waiting = [...group];
  let isOver = false;
  const other = (async () => {
    while (!isOver) await beside();
  })();
  const startAt = performance.now();
  const all = Promise.all(
    Array.from({ length: senders }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await hit(next);
    }),
  ).then(() => {
    isOver = true;
    return (performance.now() - startAt) / 1000;
  });
  const [seconds] = await Promise.all([all, other]);
  return group.length / seconds;
}

async function timed(act: () => Promise<void>, times: number[]): Promise<void> {
  const startAt = performance.now();
  await act();
  times.push(performance.now() - startAt);
}

/** @throws Error where it is not answered 202 */
function send(agent: Agent, port: number, projectId: string): Promise<void> {
  const body = JSON.stringify({ p: projectId, u: 'https://example.com/' });
  const headers = { 'User-Agent': userAgent, 'Content-Length': body.length };
  return new Promise((resolve, reject) => {
    const req = request(
      { host: '127.0.0.1', port, agent, method: 'POST', path: '/v1/hit', headers },
      (res) => {
        res.on('error', reject).resume();
        if (res.statusCode === 202) res.once('end', resolve);
        else reject(new Error(`A hit was answered ${res.statusCode}.`));
      },
    );
    // The server may close a connection on which it waits while a hit is on its way.
    req.on('error', (error) =>
      req.reusedSocket ? send(agent, port, projectId).then(resolve, reject) : reject(error),
    );
    req.end(body);
  });
}
