import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bench, connections } from '../bench.ts';
import { Child } from '../child.ts';
import type { HeadcountServer, Server } from '../server.ts';
import { type CpuTimes, cpuTimes, since } from '../usage.ts';
import { type Kinds, makeTraffic, rawRequests } from './traffic.ts';

export interface FloodOptions extends Kinds {
  seconds: number;
  /** Floods with the same seed send the same requests. */
  seed: number;
  /** Otherwise as many as the target names. */
  connections?: number;
}

/** What a load generator reports. */
export interface Flood {
  answers: number;
  seconds: number;
  /** Answers that say no, and requests that were not answered. */
  refused: number;
  broken: number;
}

export interface FloodResult {
  answers: number;
  /** Answers per second. */
  rate: number;
  /** Microseconds of CPU time per answer. */
  cpu: CpuTimes;
  /** Share of the time in which the thread that answers requests was running. */
  busy: number;
}

/** Sends as much as the server takes, for so many seconds. @throws Error where a request is not answered 202. */
export async function flood(bench: Bench, server: Server, options: FloodOptions): Promise<FloodResult> {
  const before = cpuTimes(server.pid);
  const { answers, seconds, refused, broken } = await generate(bench, server, options);
  const cpu = since(before, cpuTimes(server.pid));
  if (answers === 0 || refused > 0 || broken > 0) {
    throw new Error(`Of ${answers} requests ${refused} were refused and ${broken} not answered.`);
  }
  const perAnswer = Object.entries(cpu).map(([name, time]) => [name, time / answers]);
  return {
    answers,
    rate: answers / seconds,
    cpu: Object.fromEntries(perAnswer) as CpuTimes,
    busy: cpu.main / (seconds * 1e6),
  };
}

/**
 * The same, and then compares what was answered with what was counted.
 *
 * @throws Error where a view that was answered was not counted, or more were counted than sent.
 */
export async function floodAndCheck(
  bench: Bench,
  server: HeadcountServer,
  options: FloodOptions,
): Promise<FloodResult> {
  const before = await server.countedViews();
  const measured = await flood(bench, server, options);
  const { answers } = measured;
  const counted = (await server.countedViews()) - before;
  // When time is up each connection may have a request under way that is counted, and its answer is not.
  if (counted < answers || counted > answers + connections) {
    throw new Error(`${answers} requests were answered 202, and ${counted} views were counted.`);
  }
  return measured;
}

async function generate(bench: Bench, server: Server, options: FloodOptions): Promise<Flood> {
  const make = bench.generator === 'wrk' ? startWrk : startAutocannon;
  await using child = await make(bench, server, options);
  return JSON.parse((await child.ended()).trim().split('\n').at(-1) ?? '') as Flood;
}

async function startWrk({ folder, signal }: Bench, server: Server, options: FloodOptions): Promise<Child> {
  const traffic = makeTraffic(server.projectId, options);
  const { heads, tails } = rawRequests(traffic);
  const files = ['heads', 'tails', 'draws'].map((name) => join(folder, `${server.projectId}-${name}`));
  const texts = [heads.join('\0'), tails.join('\0'), traffic.draws.join('\n')];
  for (const [i, file] of files.entries()) await writeFile(file, texts[i] ?? '');
  const script = join(import.meta.dirname, 'wrk.lua');
  const how = [
    '-t',
    '1',
    '-c',
    String(options.connections ?? connections),
    '-d',
    `${options.seconds}s`,
    '--timeout',
    '10s',
    '-s',
    script,
  ];
  return new Child(
    'wrk',
    [...how, `http://127.0.0.1:${server.port}/v1/hit`, '--', ...files, String(options.seed)],
    { signal },
  );
}

async function startAutocannon({ signal }: Bench, server: Server, options: FloodOptions): Promise<Child> {
  const { port, projectId } = server;
  const args = [join(import.meta.dirname, 'autocannon.ts'), JSON.stringify({ port, projectId, ...options })];
  return new Child(process.execPath, args, { signal });
}
