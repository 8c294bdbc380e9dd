import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
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
  const own = await open(server.port);
  const hitBusy = () => send(own, busy.projectId);
  for (let i = 0; i < 500; i++) await hitBusy();

  const ratios: number[] = [];
  const waits: number[] = [];
  for (const group of groups) {
    const first = await rateOf(server.port, group, () => timed(hitBusy, waits));
    const steady = await rateOf(server.port, group, hitBusy);
    bench.log(`first ${Math.round(first)}/s, next ${Math.round(steady)}/s`);
    ratios.push(first / steady);
  }
  own.destroy();
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
      // A host that is known already: noting a new one costs more than opening the day.
      const settings = projectSettings.parse({ name: `${round} ${i}`, seenHosts: ['example.com'] });
      const added = await addStoredProject(store, settings, options);
      group.push(added.projectId);
    }
    groups.push(group);
  }
  await store.close();
  return groups;
}

/** One hit a project, as fast as the senders get their answers, and another project's one after the other. */
async function rateOf(port: number, group: readonly string[], beside: () => Promise<void>): Promise<number> {
  // Made anew each time, as the server closes those that wait.
  const sockets = await Promise.all(Array.from({ length: senders }, () => open(port)));
  const waiting = [...group];
  let isOver = false;
  const other = async () => {
    while (!isOver) await beside();
  };
  const all = async () => {
    const startAt = performance.now();
    try {
      await Promise.all(
        sockets.map(async (socket) => {
          for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await send(socket, next);
        }),
      );
    } finally {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    }
    return (performance.now() - startAt) / 1000;
  };
  const [seconds] = await Promise.all([all(), other()]);
  return group.length / seconds;
}

async function timed(act: () => Promise<void>, times: number[]): Promise<void> {
  const startAt = performance.now();
  await act();
  times.push(performance.now() - startAt);
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

/** @throws Error where it is not answered 202, or the connection ends */
async function send(socket: Socket, projectId: string): Promise<void> {
  const body = JSON.stringify({ p: projectId, u: 'https://example.com/' });
  const head = `POST /v1/hit HTTP/1.1\r\nHost: x\r\nUser-Agent: ${userAgent}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const ended = new AbortController();
  const closed = once(socket, 'close', { signal: ended.signal }).then(() => {
    throw new Error('The server closed a connection.');
  });
  try {
    const answered = once(socket, 'data', { signal: ended.signal });
    socket.write(head + body, 'latin1');
    // An answer without a body fits one packet.
    const [answer] = await Promise.race([answered, closed]);
    if (!/^HTTP\/1\.1 202 .*\r\n\r\n$/s.test(answer)) throw new Error(`A hit was answered ${answer}`);
  } finally {
    closed.catch(() => undefined);
    ended.abort();
  }
}
