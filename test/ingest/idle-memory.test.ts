import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { runHeadcount, type ServerProcess, startProcess, startWithFlags } from '../support/child.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';

/** Long enough for a thread to count as busy, whenever it looks: a fifth of 15 s, twice, and something over. */
const floodMs = 8_000;
/** What a flood has to take before there is anything to give back, in MiB. */
const leastRise = 60;
const connections = 200;
/** Fewer than may wait on one connection. */
const burst = 25;

let dataDir: string;
let project: AddedProject;
let server: ServerProcess;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headcount-flood-'));
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  project = JSON.parse((await runHeadcount(['project', 'add', '--name', 'Flood', '--json'], env)).stdout);
  server = await startProcess(env, startWithFlags);
});
afterEach(async () => {
  server.signal('SIGTERM');
  await server.ended;
  await rm(dataDir, { recursive: true, force: true });
});

/** In MiB: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function memory(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) / 1024;
}

/** Each of a visitor of its own, in 200 networks, to a hundred pages. */
function hit(i: number): string {
  const body = JSON.stringify({ p: project.projectId, u: `https://example.com/${i % 100}` });
  const head = `POST /v1/hit HTTP/1.1\r\nHost: x\r\nUser-Agent: ${chromeUserAgent}\r\nX-Forwarded-For: 203.0.${i % 200}.${Math.floor(i / 200) % 250}`;
  return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Sends a burst of hits at a time on a connection, until it is told to stop. Resolves with how many had which status. */
async function sendHits(socket: Socket, from: number, signal: AbortSignal): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const hits = Array.from({ length: burst }, (_, i) => hit(from + i)).join('');
  let text = '';
  while (!signal.aborted) {
    socket.write(hits);
    for (let answered = 0; answered < burst; ) {
      const [chunk] = (await once(socket, 'data')) as [string];
      text += chunk;
      // The last line may be cut off.
      const cut = text.lastIndexOf('\r\n');
      for (const [, status = ''] of text.slice(0, cut).matchAll(/HTTP\/1\.1 (\d+)/g)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        answered++;
      }
      text = text.slice(cut);
    }
  }
  return statuses;
}

/** Floods the server for some seconds, and for as long as it takes until its memory has grown. */
async function flood(): Promise<void> {
  const atRest = memory();
  const { port, hostname } = new URL(server.url);
  const sockets = Array.from({ length: connections }, () =>
    connect(Number(port), hostname).setEncoding('latin1'),
  );
  const stop = new AbortController();
  const sending = sockets.map((socket, i) => sendHits(socket, i * burst, stop.signal));
  await pause(floodMs);
  await expect.poll(() => memory() - atRest).toBeGreaterThan(leastRise);
  stop.abort();
  for (const statuses of await Promise.all(sending)) expect([...statuses.keys()]).toEqual(['202']);
  for (const socket of sockets) socket.destroy();
}

test('most of the memory that a flood of hits took is given back within a minute', async (context) => {
  if (process.platform !== 'linux') leaveOut(context, 'only Linux tells of the memory of a process');
  const atRest = memory();
  await flood();
  const rise = memory() - atRest;
  expect(rise).toBeGreaterThan(leastRise);
  const timeout = timeoutAtThisLoad(60_000);
  await expect.poll(() => (memory() - atRest) / rise, { interval: 500, timeout }).toBeLessThan(0.5);
});
