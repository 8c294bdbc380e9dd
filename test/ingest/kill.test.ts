import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AddedProject } from '../../server/commands/project.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { googlebot } from '../support/browsers.ts';
import { runHeadcount, startProcess } from '../support/child.ts';
import { chromeUserAgent } from '../support/headcount.ts';

let dataDir: string;
let project: AddedProject;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'headcount-kill-'));
  const { stdout } = await runHeadcount(['project', 'add', '--name', 'Kill', '--json'], {
    HEADCOUNT_DATA_DIR: dataDir,
  });
  project = JSON.parse(stdout) as AddedProject;
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

interface Load {
  /** Paths whose hit was answered with this status; 0: no whole answer came. Without those that reached no server. */
  answers: Map<number, string[]>;
  /** Stops sending; resolves when every request has its answer or its end. */
  stop(): Promise<void>;
}

/** Connections that send one hit after the other, each to a path of its own. */
function sendLoad(url: string, connections: number, prefix: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers = new Map<number, string[]>();
  let isStopped = false;
  let lastId = 0;
  const sendOne = (path: string) =>
    new Promise<number | undefined>((resolve) => {
      const body = JSON.stringify({ p: project.projectId, u: `https://example.com${path}` });
      // From many networks, as one may not bring in so many paths that are new.
      const address = `203.0.${lastId % 250}.7`;
      const headers = {
        'user-agent': chromeUserAgent,
        'content-length': body.length,
        'x-forwarded-for': address,
      };
      const sending = request(`${url}/v1/hit`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
        response.on('error', () => resolve(0));
      });
      // A server may close a connection on which it waits for a request, while one is on its way.
      sending.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(code === 'ECONNREFUSED' || sending.reusedSocket ? undefined : 0),
      );
      sending.end(body);
    });
  const loop = async () => {
    while (!isStopped) {
      const path = `/${prefix}-${++lastId}`;
      const status = await sendOne(path);
      if (status === undefined) return;
      answers.set(status, [...(answers.get(status) ?? []), path]);
      if (status !== 202) return;
    }
  };
  const loops = Array.from({ length: connections }, loop);
  return {
    answers,
    stop: async () => {
      isStopped = true;
      await Promise.all(loops);
      agent.destroy();
    },
  };
}

/** A site's server: its batch is sent again, under the same key, until it is answered. */
class Site {
  readonly #name: string;
  #made = 0;
  #batch;
  /** Sent more often than once. */
  repeated = 0;
  answered: string[][] = [];

  constructor(name: string) {
    this.#name = name;
    this.#batch = this.#next();
  }

  #next(): { key: string; paths: string[]; tries: number } {
    const paths = Array.from({ length: 5 }, (_, i) => `/${this.#name}-${this.#made}-${i}`);
    return { key: `${this.#name}-${this.#made++}`, paths, tries: 0 };
  }

  /** Answers false where the server is gone. */
  async send(url: string): Promise<boolean> {
    const { key, paths, tries } = this.#batch;
    const hits = ['/bot', ...paths].map((path, i) => ({
      url: `https://example.com${path}`,
      ip: `203.0.${this.#made % 250}.7`,
      userAgent: i === 0 ? googlebot : chromeUserAgent,
    }));
    this.#batch.tries++;
    try {
      const response = await fetch(`${url}/v1/hits`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${project.ingestKey}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ hits }),
      });
      const reply = await response.json();
      expect([response.status, reply]).toEqual([
        202,
        { accepted: paths.length, dropped: [{ index: 0, reason: 'bot' }] },
      ]);
    } catch (error) {
      // Of the connection, and not of what was expected.
      if (error instanceof TypeError) return false;
      throw error;
    }
    if (tries > 0) this.repeated++;
    this.answered.push(paths);
    this.#batch = this.#next();
    return true;
  }
}

/** Views by path, as the reports of a fresh start give them. */
async function countedViews(): Promise<Map<string, number>> {
  const store = await openSqliteStore(dataDir);
  const query = {
    projectId: project.projectId,
    dimension: 'path',
    measure: 'views',
    from: null,
    to: null,
  } as const;
  const { rows } = await store.readCounts({ ...query, limit: 1_000_000, offset: 0 });
  await store.close();
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countedBots(): Promise<number> {
  const store = await openSqliteStore(dataDir);
  const all = { projectId: project.projectId, from: null, to: null, limit: 10, offset: 0 };
  const { rows } = await store.readDropped(all);
  await store.close();
  return rows.find(({ reason }) => reason === 'bot')?.hits ?? 0;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('killed twenty times under load, every hit that got its 202 is counted, and none twice', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 20; round++) {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    // The path of each hit is new: 24 connections in such a time stay well below a day's 10,000.
    const load = sendLoad(server.url, 24, `round-${round}`);
    while (!load.answers.has(202)) await pause(1);
    await pause(Math.random() * 40);
    server.signal('SIGKILL');
    await server.ended;
    await load.stop();
    acknowledged.push(...(load.answers.get(202) ?? []));
    expect([...load.answers.keys()].filter((status) => status !== 202 && status !== 0)).toEqual([]);
  }
  const counted = await countedViews();
  expect(acknowledged.length).toBeGreaterThan(200);
  expect(counted.has('(other)')).toBe(false);
  expect(acknowledged.filter((path) => counted.get(path) !== 1)).toEqual([]);
  expect([...counted].filter(([, views]) => views !== 1)).toEqual([]);
});

test('killed again and again, a batch that is sent until it is answered counts once, with what was dropped of it', async () => {
  const sites = Array.from({ length: 12 }, (_, i) => new Site(`site-${i}`));
  for (let round = 0; round < 10; round++) {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    const loops = sites.map(async (site) => {
      while (await site.send(server.url));
    });
    await pause(100 + Math.random() * 40);
    server.signal('SIGKILL');
    await server.ended;
    await Promise.all(loops);
  }
  const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
  for (const site of sites) expect(await site.send(server.url)).toBe(true);
  server.signal('SIGTERM');
  await server.ended;
  expect(sites.reduce((sum, { repeated }) => sum + repeated, 0)).toBeGreaterThan(20);
  const batches = sites.flatMap(({ answered }) => answered);
  expect(batches.length).toBeGreaterThan(50);
  const counted = await countedViews();
  expect(counted).toEqual(new Map(batches.flatMap((paths) => paths.map((path) => [path, 1]))));
  expect(await countedBots()).toBe(batches.length);
});

test('told to stop under load, it answers what it accepted and cuts no answer off', async () => {
  const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
  const load = sendLoad(server.url, 24, 'stop');
  while ((load.answers.get(202)?.length ?? 0) < 300) await pause(1);
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  await load.stop();
  // After the signal: 503, on a connection that is then closed.
  expect([...load.answers.keys()].sort()).toEqual([202, 503]);
  const counted = await countedViews();
  const acknowledged = load.answers.get(202) ?? [];
  expect(acknowledged.filter((path) => counted.get(path) !== 1)).toEqual([]);
  expect(counted.size).toBe(acknowledged.length);
  expect(server.output.stderr).toBe('');
});
