import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import type { AddedProject } from '../../server/operations/projects.ts';

import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { addProject as addStoredProject } from '../../test/support/added-project.ts';
import { atLeast, type Bench, type Finding } from '../bench.ts';
import { addProject, startHeadcount, zoneAtNoon } from '../server.ts';
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
  const [groups, fresh] = [await addProjects(dataDir, 'Old'), await addProjects(dataDir, 'New')];
  await using server = await startHeadcount(bench, dataDir, busy);
  for (const group of groups) for (const project of group) await hitYesterday(server.port, project);
  const own = await open(server.port);
  const hitBusy = () => send(own, busy.projectId);
  for (let i = 0; i < 500; i++) await hitBusy();

  const waits: number[] = [];
  const measure = async (all: readonly AddedProject[][]) => {
    const ratios: number[] = [];
    for (const group of all) {
      const ids = group.map(({ projectId }) => projectId);
      const first = await rateOf(server.port, ids, () => timed(hitBusy, waits));
      const next = await rateOf(server.port, ids, hitBusy);
      bench.log(`first ${Math.round(first)}/s, next ${Math.round(next)}/s`);
      ratios.push(first / next);
    }
    return median(ratios);
  };
  const ratio = await measure(groups);
  const ratioOfNew = await measure(fresh);
  own.destroy();
  return [
    {
      what: `first hits of the day of ${projects} projects, as a ratio to the next ones`,
      value: ratio.toFixed(2),
      target: atLeast(ratio, 0.5),
    },
    { what: 'the same of projects that never had a hit', value: ratioOfNew.toFixed(2) },
    { what: 'median of a project whose day is open, meanwhile', value: `${median(waits).toFixed(1)} ms` },
  ];
}

/** The same page and browser as today: what is new is the day. */
async function hitYesterday(port: number, { projectId, ingestKey }: AddedProject): Promise<void> {
  const at = new Date(Date.now() - 20 * 60 * 60 * 1000).toISOString();
  const response = await fetch(`http://127.0.0.1:${port}/v1/hits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      project: projectId,
      hits: [{ url: 'https://example.com/', ip: '127.0.0.1', userAgent, at }],
    }),
  });
  const answer = (await response.json()) as { accepted?: number };
  if (answer.accepted !== 1) throw new Error(`A hit of yesterday was answered ${JSON.stringify(answer)}`);
}

async function addProjects(dataDir: string, name: string): Promise<AddedProject[][]> {
  const store = await openSqliteStore(dataDir);
  const options = { baseUrl: 'http://localhost', now: Date.now() };
  const groups: AddedProject[][] = [];
  for (let round = 0; round < rounds; round++) {
    const group: AddedProject[] = [];
    for (let i = 0; i < projects; i++) {
      // A host that is known already: noting a new one costs more than opening the day.
      const settings = projectSettings.parse({
        ...{ name: `${name} ${round} ${i}`, timeZone: zoneAtNoon() },
        seenHosts: ['example.com'],
      });
      group.push(await addStoredProject(store, settings, options));
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
