import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import type { AddedProject } from '../server/operations/projects.ts';
import type { Count } from '../shared/reports/analytics.ts';
import type { Bench } from './bench.ts';
import { Child } from './child.ts';

const home = join(import.meta.dirname, '..');

/** What `npm start` runs: `node` with these flags, the program and a command. */
const program = [...manifest.config.flags.split(' '), 'headcount.js'];
let warmedUp: Promise<unknown> | undefined;

/** A server under load, in a process of its own. */
export interface Server extends AsyncDisposable {
  pid: number;
  port: number;
  projectId: string;
}

export interface HeadcountServer extends Server {
  get<T>(report: string): Promise<T>;
  /** All views that it has counted, asked when no more are coming. */
  countedViews(): Promise<number>;
}

export async function startBare({ signal }: Bench): Promise<Server> {
  const child = new Child(process.execPath, [join(import.meta.dirname, 'load/bare.ts')], { signal });
  const [, port] = await child.said(/port (\d+)/);
  return {
    pid: child.pid,
    port: Number(port),
    projectId: 'none',
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** A zone in which midnight is half a day away. */
export function zoneAtNoon(): string {
  const hoursToNoon = 12 - new Date().getUTCHours();
  // In these names east is negative: https://data.iana.org/time-zones/tzdb/etcetera
  return `Etc/GMT${hoursToNoon > 0 ? '-' : '+'}${Math.abs(hoursToNoon)}`;
}

/** Adds a project by the command line. */
export async function addProject(
  { signal }: Bench,
  dataDir: string,
  settings: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<AddedProject> {
  const args = [
    'headcount.js',
    'project',
    'add',
    '--name',
    'Bench',
    '--time-zone',
    zoneAtNoon(),
    '--json',
    ...options,
  ];
  const child = new Child(process.execPath, args, {
    signal,
    cwd: home,
    env: { HEADCOUNT_DATA_DIR: dataDir, ...settings },
  });
  return JSON.parse(await child.ended()) as AddedProject;
}

/** Starts Headcount as people do, on a free port, with more settings where a part needs some. */
export async function startHeadcount(
  { signal }: Bench,
  dataDir: string,
  { projectId, adminKey }: AddedProject,
  settings: Record<string, string> = {},
): Promise<HeadcountServer> {
  const env = { HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_PORT: '0', HEADCOUNT_OFFLINE: '1', ...settings };
  warmedUp ??= new Child(process.execPath, [...program, 'warm-up'], { signal, cwd: home }).ended();
  await warmedUp;
  const child = new Child(process.execPath, [...program, 'serve'], { signal, cwd: home, env });
  const port = Number((await child.said(/port (\d+)/))[1]);
  const get = async <T>(report: string): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/analytics/${projectId}/${report}`, {
      headers: { authorization: `Bearer ${adminKey}` },
      signal,
    });
    if (response.status !== 200) throw new Error(`${report} was answered ${response.status}.`);
    return (await response.json()) as T;
  };
  return {
    pid: child.pid,
    port,
    projectId,
    get,
    countedViews: () => settled(async () => (await get<{ totals: Count }>('views?limit=1')).totals.total),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** Asks until twice in a row the answer is the same: requests that a generator gave up on are still counted. */
async function settled(ask: () => Promise<number>): Promise<number> {
  let before = await ask();
  for (;;) {
    await pause(200);
    const now = await ask();
    if (now === before) return now;
    before = now;
  }
}
