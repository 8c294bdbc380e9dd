import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import manifest from '../package.json' with { type: 'json' };
import { atMost, type Bench, type Finding } from './bench.ts';
import { Child } from './child.ts';
import { addProject } from './server.ts';
import { median } from './statistics.ts';
import { cpuTimes, proportionalMemory } from './usage.ts';

const home = join(import.meta.dirname, '..');
const binary = join(home, `dist/headcount-${process.platform}-${process.arch}`);
const flags = manifest.config.flags.split(' ');
const starts = 7;
const restMs = 30_000;

/** How soon a start answers, and what a server at rest takes: from the checkout, and as one file. */
export async function measureStart(bench: Bench): Promise<Finding[]> {
  execFileSync(process.execPath, ['build.mjs', '--binary'], { cwd: home, stdio: 'ignore' });
  execFileSync(process.execPath, ['build.mjs', '--warm-up'], { cwd: home, stdio: 'ignore' });
  const dataDir = join(bench.folder, 'start');
  await addProject(bench, dataDir);
  const size = statSync(binary).size / 1e6;
  return [
    { what: 'size of the one file', value: `${size.toFixed(0)} MB` },
    ...(await measureProgram(bench, dataDir, 'the one file', [binary])),
    ...(await measureProgram(bench, dataDir, 'npm start', [process.execPath, ...flags, 'headcount.js'])),
  ];
}

async function measureProgram(
  bench: Bench,
  dataDir: string,
  name: string,
  program: string[],
): Promise<Finding[]> {
  const times: number[] = [];
  const cpu: number[] = [];
  // The first one finds neither the file nor its caches in memory.
  for (let i = 0; i <= starts; i++) {
    await using started = await start(bench, dataDir, program);
    if (i === 0) continue;
    times.push(started.ms);
    cpu.push(started.cpuMs);
  }
  await using resting = await start(bench, dataDir, program);
  await pause(restMs, undefined, { signal: bench.signal });
  const memory = proportionalMemory(resting.child.pid);
  const ms = median(times);
  return [
    {
      what: `${name}: start to first answer`,
      value: `${Math.round(ms)} ms`,
      target: atMost(Math.round(ms), 300, ' ms'),
    },
    { what: `${name}: CPU time until then`, value: `${Math.round(median(cpu))} ms` },
    {
      what: `${name}: memory at rest (PSS)`,
      value: `${Math.round(memory)} MiB`,
      target: atMost(Math.round(memory), 80, ' MiB'),
    },
  ];
}

async function start({ signal }: Bench, dataDir: string, [command = '', ...args]: string[]) {
  const port = await freePort();
  const env = { HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_PORT: String(port), HEADCOUNT_OFFLINE: '1' };
  const begun = performance.now();
  const child = new Child(command, [...args, 'serve'], { signal, cwd: home, env });
  while (!(await answers(port))) await pause(2, undefined, { signal });
  const ms = performance.now() - begun;
  const cpuMs = Object.values(cpuTimes(child.pid)).reduce((sum, us) => sum + us / 1000, 0);
  return { child, ms, cpuMs, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The script, which only a server that has started gives out. */
async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/hc.js`);
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
