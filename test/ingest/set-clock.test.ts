import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import type { AddedProject } from '../../server/operations/projects.ts';
import { runHeadcount, type ServerProcess, startProcess } from '../support/child.ts';
import { chromeUserAgent, errorOf } from '../support/headcount.ts';
import { type FakeClock, fakeClock } from '../support/machine/fake-clock.ts';

const minute = 60;
const day = 24 * 60 * minute;
const year = 365 * day;

interface Machine {
  clock: FakeClock;
  env: Record<string, string>;
  project: AddedProject;
  start(): Promise<ServerProcess>;
  /** Days that are open, and how far the project is sealed, as dates. */
  calendar(): { open: string[]; counted: string[]; sealedThrough: string | null };
}

/** A data folder and a clock of its own, which stands at that time at first. */
async function machineAt(context: TestContext, time: string, timeZone = 'UTC'): Promise<Machine> {
  const clock = fakeClock(context);
  clock.set(time);
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-set-clock-'));
  const env = { ...clock.env, HEADCOUNT_DATA_DIR: dataDir };
  const adding = ['project', 'add', '--name', 'Clock', '--time-zone', timeZone, '--json'];
  const project = JSON.parse((await runHeadcount(adding, env)).stdout) as AddedProject;
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const dates = (sql: string) => {
    const db = new Database(join(dataDir, 'headcount.db'), { readonly: true });
    const days = db.prepare<[], number | null>(sql).pluck().all();
    db.close();
    return days.flatMap((at) => (at === null ? [] : [new Date(at * day * 1000).toISOString().slice(0, 10)]));
  };
  return {
    clock,
    env,
    project,
    start: async () => {
      const server = await startProcess(env);
      onTestFinished(async () => {
        server.signal('SIGKILL');
        await server.ended;
      });
      return server;
    },
    calendar: () => ({
      open: dates('select day from days order by day'),
      counted: dates('select distinct day from counts where span = 1 order by day'),
      sealedThrough: dates('select sealed_through from projects')[0] ?? null,
    }),
  };
}

function hit({ url }: ServerProcess, { projectId }: AddedProject): Promise<Response> {
  return fetch(`${url}/v1/hit`, {
    method: 'POST',
    body: JSON.stringify({ p: projectId, u: 'https://example.com/' }),
    headers: { 'user-agent': chromeUserAgent },
  });
}

async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await errorOf(response)).error).toMatch(/clock of the server/);
}

const linesOf = ({ output }: ServerProcess, level: string) =>
  output.stderr.split('\n').filter((line) => line.includes(` ${level} `));

test('while the clock is set to another day, hits are refused and nothing is sealed, and then all goes on', async (context) => {
  const { clock, project, start, calendar } = await machineAt(context, '2026-11-20T12:00:00Z');
  const server = await start();
  expect((await hit(server, project)).status).toBe(202);
  await expect.poll(() => calendar().sealedThrough).toBe('2026-11-18');
  let jumps = 0;
  for (const shift of [400 * day, -400 * day, day, -day, year, -year]) {
    clock.shift(shift);
    await expectRefused(await hit(server, project));
    clock.shift(0);
    expect((await hit(server, project)).status).toBe(202);
    jumps++;
    await expect.poll(() => linesOf(server, 'error')).toHaveLength(jumps);
    await expect.poll(() => linesOf(server, 'info')).toHaveLength(jumps);
  }
  expect(linesOf(server, 'error')[0]).toMatch(
    /The clock was set while the server ran: it shows 2027-12-25T12:\S+, and 2026-11-20T12:\S+ is expected/,
  );
  // Noticed also where nobody asks.
  clock.shift(year);
  await expect.poll(() => linesOf(server, 'error')).toHaveLength(jumps + 1);
  clock.shift(0);
  await expect.poll(() => linesOf(server, 'info')).toHaveLength(jumps + 1);
  expect(calendar()).toEqual({
    open: ['2026-11-20'],
    counted: ['2026-11-20'],
    sealedThrough: '2026-11-18',
  });
});

test('minutes are no other day: views are counted on it, and the log reports it', async (context) => {
  const { clock, project, start, calendar } = await machineAt(context, '2026-11-20T12:00:00Z');
  const server = await start();
  for (const shift of [5 * minute, -5 * minute, 90 * minute, 0]) {
    clock.shift(shift);
    expect((await hit(server, project)).status).toBe(202);
  }
  await expect.poll(() => linesOf(server, 'error')).toHaveLength(3);
  expect(calendar().counted).toEqual(['2026-11-20']);
});

test.for([
  ['2026-10-25T00:59:55Z', 'the hour that comes twice'],
  ['2026-03-29T00:59:55Z', 'the hour that is left out'],
  ['2026-06-30T23:59:55Z', 'midnight in UTC, where a leap second would be'],
])('nothing is wrong at %s, %s', async ([time], context) => {
  const { clock, project, start } = await machineAt(context, time as string, 'Europe/Berlin');
  clock.set(time as string);
  const setAt = Date.now();
  const server = await start();
  // Over the hour, with a second that is shown twice, and one that is left out.
  for (let step = 0; Date.now() < setAt + 6500; step = 1 - step) {
    clock.shift(step);
    expect((await hit(server, project)).status).toBe(202);
    await pause(1200);
  }
  clock.shift(0);
  expect((await hit(server, project)).status).toBe(202);
  expect(linesOf(server, 'error')).toEqual([]);
});

test('a start with the clock behind the data says so and refuses hits, until the clock is corrected', async (context) => {
  const { clock, project, start, calendar } = await machineAt(context, '2026-11-20T12:00:00Z');
  const before = await start();
  expect((await hit(before, project)).status).toBe(202);
  await expect.poll(() => calendar().sealedThrough).toBe('2026-11-18');
  before.signal('SIGTERM');
  await before.ended;

  clock.set('2025-10-01T12:00:00Z');
  const server = await start();
  await expect
    .poll(() => linesOf(server, 'error').join())
    .toMatch(/The clock shows 2025-10-01T12:\S+, and the database has days up to 2026-11-20/);
  await expectRefused(await hit(server, project));
  clock.set('2026-11-20T13:00:00Z');
  expect((await hit(server, project)).status).toBe(202);
  expect(linesOf(server, 'error')).toHaveLength(1);
  expect(linesOf(server, 'warn')).toEqual([expect.stringMatching(/The clock is believed from now on/)]);
  expect(calendar().counted).toEqual(['2026-11-20']);
});

test('a start with the clock far ahead is believed, and what it leaves can be repaired', async (context) => {
  const { clock, env, project, start, calendar } = await machineAt(context, '2026-11-20T12:00:00Z');
  clock.set('2027-12-25T12:00:00Z');
  const wrong = await start();
  expect((await hit(wrong, project)).status).toBe(202);
  await expect.poll(() => calendar().sealedThrough).toBe('2027-12-23');
  wrong.signal('SIGTERM');
  await wrong.ended;

  clock.set('2026-11-20T12:00:00Z');
  const server = await start();
  await expectRefused(await hit(server, project));
  const checked = await runHeadcount(['check'], env);
  expect([checked.code, checked.stderr]).toEqual([1, expect.stringMatching(/^3 problems were found/)]);
  const repaired = await runHeadcount(['check', '--repair', '--move-to', '2026-11-20'], env);
  expect([repaired.code, repaired.stderr]).toEqual([0, '']);
  expect((await hit(server, project)).status).toBe(202);
  expect(calendar()).toEqual({
    open: ['2026-11-20'],
    counted: ['2026-11-20'],
    sealedThrough: '2026-11-18',
  });
  expect((await runHeadcount(['check'], env)).stdout).toMatch(/^Nothing is wrong\.\n/);
});
