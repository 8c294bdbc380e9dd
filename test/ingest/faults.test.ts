import { copyFileSync, mkdirSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { openSqliteStore } from '../../server/store/sqlite/store.ts';
import { runHeadcount, type ServerProcess, startProcess } from '../support/child.ts';
import { chromeUserAgent } from '../support/headcount.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';
import { mountSmallDisk } from '../support/machine/small-disk.ts';

let folder: string;
let server: ServerProcess;
let projectId: string;
let adminKey: string;
let sent: number;
let accepted: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-faults-'));
  sent = 0;
  accepted = 0;
});
afterEach(async () => {
  server.signal('SIGKILL');
  await server.ended;
  await rm(folder, { recursive: true, force: true });
});

async function addProject(dataDir: string): Promise<void> {
  const { stdout } = await runHeadcount(['project', 'add', '--name', 'Faults', '--json'], {
    HEADCOUNT_DATA_DIR: dataDir,
  });
  ({ projectId, adminKey } = JSON.parse(stdout) as AddedProject);
}

async function start(dataDir: string): Promise<void> {
  server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_MAX_JOBS: '0' });
  // The last that a start writes.
  await expect.poll(() => server.output.stdout).toContain('/setup#');
}

/** Sends a hit to a path of its own; answers the status and the path. */
async function hit(): Promise<[number, string]> {
  const path = `/${++sent}`;
  const { status } = await fetch(`${server.url}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p: projectId, u: `https://example.com${path}` }),
    headers: { 'user-agent': chromeUserAgent },
  });
  if (status === 202) accepted++;
  return [status, path];
}

/** Hits one after the other, ten at a time; the paths by status. */
async function hits(count: number): Promise<Record<number, string[]>> {
  const paths: Record<number, string[]> = {};
  const loop = async () => {
    for (let i = 0; i < count / 10; i++) {
      const [status, path] = await hit();
      paths[status] = [...(paths[status] ?? []), path];
    }
  };
  await Promise.all(Array.from({ length: 10 }, loop));
  return paths;
}

/** Views by path, as the reports of a fresh start give them. */
async function countedViews(dataDir: string): Promise<Map<string, number>> {
  const store = await openSqliteStore(dataDir);
  const query = { projectId, dimension: 'path', measure: 'views', from: null, to: null } as const;
  const { rows } = await store.readCounts({ ...query, limit: 1_000_000, offset: 0 });
  await store.close();
  return new Map(rows.map(({ name, total }) => [name, total]));
}

/** Every hit that was answered 202 is counted once, and nothing else is. */
async function expectCounted(dataDir: string, acknowledged: string[]): Promise<void> {
  const counted = await countedViews(dataDir);
  expect([...counted.keys()].toSorted()).toEqual(acknowledged.toSorted());
  expect([...counted.values()].every((views) => views === 1)).toBe(true);
}

/** How many views the log says could not be stored. */
function toldRefusals(): number {
  const told = server.output.stderr.matchAll(/ (\d+) views? could not be stored/g);
  return [...told].reduce((sum, [, views]) => sum + Number(views), 0);
}

const logLines = () => server.output.stderr.trim().split('\n');

describe('a full disk', () => {
  let disk: string;
  let ballast: string;

  const prepare = async (context: TestContext) => {
    disk = mountSmallDisk(context, 24_000_000);
    ballast = join(disk, 'ballast');
    await addProject(disk);
    await start(disk);
  };
  const leaveRoom = (bytes: number): void => {
    rmSync(ballast, { force: true });
    const { bavail, bsize } = statfsSync(disk);
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      // The server took some of it meanwhile.
      leaveRoom(bytes);
    }
  };

  test('is reported once, with a count, where the first hit of a day cannot be stored', async (context) => {
    await prepare(context);
    leaveRoom(0);
    const refused = await hits(200);
    expect(Object.keys(refused)).toEqual(['503']);
    // Nothing twice: what a start does besides may fail too, on a busy machine, and say so once.
    const said = logLines().map((line) => line.replace(/^\S+ /, '').split(':')[0]);
    expect(said).toEqual([...new Set(said)]);
    expect(server.output.stderr).toContain('database or disk is full');
    rmSync(ballast);
    const accepted = await hits(50);
    expect(Object.keys(accepted)).toEqual(['202']);
    server.signal('SIGTERM');
    await server.ended;
    expect(toldRefusals()).toBe(200);
    expect(logLines().length).toBeLessThanOrEqual(5);
    await expectCounted(disk, accepted[202] ?? []);
  });

  test('makes the server not ready while hits are refused, with the reason, and ready again soon after there is room', async (context) => {
    disk = mountSmallDisk(context, 6_000_000);
    ballast = join(disk, 'ballast');
    await addProject(disk);
    await start(disk);
    const ready = async () => {
      const response = await fetch(`${server.url}/readyz`);
      return [response.status, ((await response.json()) as { error?: string }).error];
    };
    await hits(20);
    expect(await ready()).toEqual([200, undefined]);
    // Each time that it is full the server gives back the room of its log, until there is none.
    let answers: Record<number, string[]> = {};
    do {
      leaveRoom(20_000);
      answers = await hits(100);
    } while (answers[202]);
    await expect.poll(async () => (await ready())[0]).toBe(503);
    for (let asked = 0; asked < 10; asked++) {
      expect(await ready()).toEqual([
        503,
        'The server is not ready: the database has no room left on its disk.',
      ]);
      await hits(50);
    }
    rmSync(ballast);
    // Nobody sends hits to a server that is not ready.
    await expect.poll(async () => (await ready())[0], { timeout: timeoutAtThisLoad(20_000) }).toBe(200);
  });

  test('that fills up under load costs no acknowledged hit, and the server recovers when there is room', async (context) => {
    await prepare(context);
    const acknowledged = (await hits(20))[202] ?? [];
    let refusals = 0;
    for (let round = 0; round < 3; round++) {
      leaveRoom(400_000);
      let answers: Record<number, string[]> = {};
      for (let tries = 0; tries < 20 && !answers[503]; tries++) {
        answers = await hits(300);
        acknowledged.push(...(answers[202] ?? []));
        refusals += answers[503]?.length ?? 0;
      }
      expect(Object.keys(answers)).toContain('503');
      rmSync(ballast);
      const after = await hits(20);
      expect(Object.keys(after)).toEqual(['202']);
      acknowledged.push(...(after[202] ?? []));
    }
    server.signal('SIGTERM');
    await server.ended;
    expect(toldRefusals()).toBe(refusals);
    expect(logLines().length).toBeLessThanOrEqual(6);
    expect(server.output.stderr).not.toMatch(/\n\s+at /);
    await expectCounted(disk, acknowledged);
  });
});

describe('a database that is taken away under the running server', () => {
  const files = ['headcount.db', 'headcount.db-wal', 'headcount.db-shm'];
  let dataDir: string;

  beforeEach(async () => {
    dataDir = join(folder, 'data');
    await addProject(dataDir);
    copyFileSync(join(dataDir, 'headcount.db'), join(folder, 'backup.db'));
    await start(dataDir);
  });

  const reportStatus = async () => {
    const headers = { authorization: `Bearer ${adminKey}` };
    return (await fetch(`${server.url}/v1/analytics/${projectId}/visitors`, { headers })).status;
  };

  test('costs no acknowledged hit: from then on the answer is 503', async () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    const load = hits(2000);
    while (accepted === 0) await pause(5);
    await pause(50);
    for (const name of files) renameSync(join(dataDir, name), join(elsewhere, name));
    const answers = await load;
    expect(Object.keys(answers)).toEqual(['202', '503']);
    server.signal('SIGKILL');
    await server.ended;
    const counted = await countedViews(elsewhere);
    expect((answers[202] ?? []).filter((path) => counted.get(path) !== 1)).toEqual([]);
    expect(toldRefusals()).toBeGreaterThan(0);
  });

  test.each(files)('is reported within a second, also without hits: %s', async (name) => {
    rmSync(join(dataDir, name));
    await expect
      .poll(() => server.output.stderr, { timeout: timeoutAtThisLoad(1500), interval: 20 })
      .toContain('was removed or replaced while it was in use');
    expect((await hit())[0]).toBe(503);
    expect(await reportStatus()).toBe(503);
    expect(server.output.stderr).toContain(`${name} is missing`);
    // Nothing twice: what a start does besides may fail too, on a busy machine, and say so once.
    const said = logLines().map((line) => line.replace(/^\S+ /, '').split(':')[0]);
    expect(said).toEqual([...new Set(said)]);
  });

  test('and put back goes on', async () => {
    const file = join(dataDir, 'headcount.db');
    renameSync(file, `${file}.away`);
    expect((await hit())[0]).toBe(503);
    renameSync(`${file}.away`, file);
    const [status, path] = await hit();
    expect(status).toBe(202);
    server.signal('SIGTERM');
    await server.ended;
    await expectCounted(dataDir, [path]);
  });

  test('and replaced by a backup is counted on after a restart', async () => {
    expect((await hit())[0]).toBe(202);
    for (const name of files) rmSync(join(dataDir, name));
    copyFileSync(join(folder, 'backup.db'), join(dataDir, 'headcount.db'));
    expect([(await hit())[0], await reportStatus()]).toEqual([503, 503]);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await start(dataDir);
    const [status, path] = await hit();
    expect(status).toBe(202);
    server.signal('SIGTERM');
    await server.ended;
    await expectCounted(dataDir, [path]);
  });
});
