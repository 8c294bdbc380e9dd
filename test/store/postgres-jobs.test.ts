import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClaimLimits, Lease } from '../../server/store/jobs/job.ts';
import type { JobStore } from '../../server/store/jobs/jobs.ts';
import type { JobNews } from '../../server/store/jobs/transcript.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { connectTo } from '../support/store/lock-waits.ts';
import { runIn } from '../support/store/postgres-client.ts';
import { dropDatabase, makeDatabase } from '../support/store/shared-postgres.ts';

const projects = ['p1', 'p2', 'p3', 'p4'];
const limits: ClaimLimits = { total: 5, perProject: 2, leaseMs: 60_000 };
let url: string;
let stores: Store[];

beforeEach(async () => {
  url = await makeDatabase();
  stores = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(stores.map((store) => store.close()));
  await dropDatabase(url);
});

/** One more node. */
async function open(): Promise<Store> {
  const store = await openPostgresStore(url);
  stores.push(store);
  return store;
}

async function addProjects(store: Store): Promise<void> {
  for (const id of projects) {
    await store.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);
  }
}

async function create(jobs: JobStore, id: string, projectId = 'p1'): Promise<void> {
  const source = { repository: 'https://example.com/a/b', ref: '', model: 'openai/x' };
  const { kind } = await jobs.createJob({ id, projectId, ...source, prompt: id }, null);
  expect(kind).toBe('accepted');
}

test('eight nodes share the turns: each once, in order, within the limits, with every event', async () => {
  const nodes = await Promise.all(Array.from({ length: 8 }, open));
  const [first] = nodes as [Store];
  await addProjects(first);
  const names = projects.flatMap((project) => Array.from({ length: 6 }, (_, i) => `job_${project}_${i}`));
  await Promise.all(
    names.map((id, i) => create((nodes[i % 8] as Store).jobs, id, projects[Math.floor(i / 6)])),
  );
  for (const [i, id] of names.entries()) {
    const projectId = projects[Math.floor(i / 6)] as string;
    await (nodes[i % 8] as Store).jobs.addMessage(projectId, id, 'more', null);
  }
  const atWork = new Map<string, string>();
  const done: string[] = [];
  const excess: string[][] = [];
  const work = async ({ jobs }: Store, lease: Lease) => {
    const { jobId, projectId, number } = lease.turn;
    expect(atWork.has(jobId)).toBe(false);
    atWork.set(jobId, projectId);
    const held = [...atWork.values()];
    if (held.length > 5 || held.filter((id) => id === projectId).length > 2) excess.push(held);
    for (const text of ['one', 'two']) {
      expect(await jobs.appendEvents(lease, [{ type: 'text', data: { text } }])).toBe(true);
    }
    // Whoever may claim its place after this finds it free.
    atWork.delete(jobId);
    done.push(`${jobId}/${number}`);
    const event = { type: 'completed', data: {} };
    expect(await jobs.settleTurn(lease, { status: 'completed', prLink: null }, event)).toBe(true);
  };
  const run = async (node: Store) => {
    while (done.length < 2 * names.length) {
      const lease = await node.jobs.claimTurn(limits);
      if (lease) await work(node, lease);
      else await pause(5);
    }
  };
  await Promise.all(nodes.map(run));

  expect(excess).toEqual([]);
  expect(new Set(done).size).toBe(2 * names.length);
  for (const [i, id] of names.entries()) {
    expect(done.indexOf(`${id}/0`)).toBeLessThan(done.indexOf(`${id}/1`));
    const events = await first.jobs.readEvents(projects[Math.floor(i / 6)] as string, id, 0, 100);
    expect(events?.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events?.map(({ type }) => type).join(' ')).toBe(
      'message message text text completed text text completed',
    );
  }
});

test('nodes whose clocks are a minute apart agree on leases, pauses and hours', async () => {
  const [ahead, right] = [await open(), await open()];
  await addProjects(right);
  /** As on a machine whose clock is that much off. */
  const at = async <T>(offMs: number, work: () => Promise<T>): Promise<T> => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
    return await work().finally(() => vi.useRealTimers());
  };
  const minuteMs = 60_000;
  await at(minuteMs, () => create(ahead.jobs, 'job_1'));
  expect(await right.jobs.msUntilDue()).toBeLessThanOrEqual(0);
  const created = await right.jobs.findJob('p1', 'job_1');
  expect(Math.abs(Date.parse(created?.createdAt ?? '') - Date.now())).toBeLessThan(minuteMs / 2);

  const leaseMs = 20_000;
  const lease = (await at(-minuteMs, () => ahead.jobs.claimTurn({ ...limits, leaseMs }))) as Lease;
  expect(lease.turn.jobId).toBe('job_1');
  expect(await at(minuteMs, () => right.jobs.claimTurn(limits))).toBeNull();
  expect(await at(minuteMs, () => ahead.jobs.renewLease(lease, leaseMs))).toBe(true);
  const left = (await at(-minuteMs, () => right.jobs.msUntilDue())) as number;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(leaseMs);
  await at(-minuteMs, () => ahead.jobs.releaseTurn(lease, 0, false, null));
  expect((await right.jobs.claimTurn(limits))?.turn.jobId).toBe('job_1');
});

test('a turn whose holder is gone goes to another node when its lease has run out, and to one only', async () => {
  const [lost, ...others] = await Promise.all([open(), open(), open(), open()]);
  await addProjects(lost);
  await create(lost.jobs, 'job_1');
  const late = (await lost.jobs.claimTurn(limits)) as Lease;
  const claimAll = () => Promise.all(others.map(({ jobs }) => jobs.claimTurn(limits)));
  expect(await claimAll()).toEqual([null, null, null]);
  // Now it is over soon, and not while the others still find it held.
  const leaseMs = 1;
  expect(await lost.jobs.renewLease(late, leaseMs)).toBe(true);
  await pause(50);
  const leases = (await claimAll()).filter((lease) => lease !== null);
  expect(leases).toHaveLength(1);
  expect(leases[0]).toMatchObject({ fence: 2, turn: { attempt: 2 } });
  expect(await lost.jobs.renewLease(late, leaseMs)).toBe(false);
  expect(await lost.jobs.appendEvents(late, [{ type: 'text', data: {} }])).toBe(false);
});

test('a job that somebody is writing to is passed over, and claimed when that is done', async () => {
  const { jobs, addProject } = await open();
  await addProjects({ addProject } as Store);
  await create(jobs, 'job_1');
  await create(jobs, 'job_2', 'p2');
  const writing = await connectTo(url);
  await writing.query(`begin; select from jobs where public_id = 'job_1' for update`);
  expect((await jobs.claimTurn(limits))?.turn.jobId).toBe('job_2');
  expect(await jobs.claimTurn(limits)).toBeNull();
  await writing.query('commit');
  expect((await jobs.claimTurn(limits))?.turn.jobId).toBe('job_1');
});

test('a project is removed while nodes work on its jobs and people ask for more', async () => {
  const nodes = await Promise.all([open(), open(), open()]);
  const [{ jobs, addProject, removeProject, directory }] = nodes as [Store, Store, Store];
  await addProjects({ addProject } as Store);
  for (let i = 0; i < 6; i++) await create(jobs, `job_${i}`);
  let claimed = 0;
  const working = nodes.map((node) => async () => {
    const lease = await node.jobs.claimTurn({ ...limits, leaseMs: 1 });
    if (!lease) return;
    claimed++;
    await node.jobs.appendEvents(lease, [{ type: 'text', data: {} }]);
    await node.jobs.releaseTurn(lease, 0, true, null);
  });
  const asking = nodes.map((node, i) => () => node.jobs.addMessage('p1', `job_${i}`, 'more', null));
  await meanwhile([...working, ...asking], async () => {
    await expect.poll(() => claimed).toBeGreaterThan(10);
    expect(await removeProject('p1')).toBe(true);
  });
  expect((await directory()).projects.map(({ id }) => id)).toEqual(['p2', 'p3', 'p4']);
  expect(await runIn(url, 'select from jobs')).toEqual([]);
  expect(await jobs.claimTurn(limits)).toBeNull();
});

test('news reach every node, whoever did something, also after the connection was lost', async () => {
  const [node, other] = [await open(), await open()];
  await addProjects(node);
  let heard: (JobNews | null)[] = [];
  const stop = other.jobs.onNews((news) => heard.push(news));
  let trials = 0;
  const hears = async () => {
    await create(node.jobs, `job_trial_${++trials}`);
    await pause(50);
    return heard.some((news) => news?.jobId === `job_trial_${trials}`);
  };
  await expect.poll(hears).toBe(true);
  heard = [];
  await runIn(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await expect.poll(hears, { interval: 200 }).toBe(true);
  expect(heard[0]).toBeNull();
  expect(heard.at(-1)).toEqual({ kind: 'queued', jobId: `job_trial_${trials}` });
  stop();
});
