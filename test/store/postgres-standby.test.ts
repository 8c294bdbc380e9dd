import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { KeyedBatch } from '../../server/store/receipts.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { runIn } from '../support/store/postgres-client.ts';
import { makePostgresFolder } from '../support/store/postgres-folder.ts';
import { followed, PostgresServer } from '../support/store/postgres-server.ts';
import { anySalt, human, openDay, query, view } from '../support/views.ts';

const at = 20_000 * 86_400_000;

let folders: string[];
let primary: PostgresServer;
/** It has all that the primary acknowledges. */
let standby: PostgresServer;
let url: string;

beforeEach(async (context) => {
  folders = [await makePostgresFolder(), await makePostgresFolder()];
  const started = await PostgresServer.start(folders[0] as string, [...followed, 'fsync=off']);
  if (!started) return leaveOut(context, 'PostgreSQL is not installed');
  primary = started;
  // Without it the primary would acknowledge nothing.
  standby = await PostgresServer.startStandby(folders[1] as string, primary);
  await runIn(primary.urlOf('postgres'), 'create database followed');
  url = primary.urlOf('followed');
});
afterEach(async () => {
  for (const server of [primary, standby]) await server?.end('SIGINT');
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

/** How many of Headcount wait for the standby. */
const waitingForStandby = () => countWaiting("wait_event = 'SyncRep'");

/** The same, and for somebody who does. */
const waiting = () => countWaiting("(wait_event = 'SyncRep' or wait_event_type = 'Lock')");

async function countWaiting(is: string): Promise<number> {
  const rows = await runIn(
    url,
    `select from pg_stat_activity where datname = current_database() and application_name like 'headcount%' and ${is}`,
  );
  return rows.length;
}

/** Its end has everything that it committed, also what no standby has. */
async function restartPrimary(): Promise<void> {
  await primary.end('SIGKILL');
  // Its children notice a moment later.
  const start = () =>
    primary.start().then(
      () => true,
      () => false,
    );
  await expect.poll(start, { interval: 100 }).toBe(true);
}

test('what is asked for again after a crash is answered when the standby has it, as the first time', async () => {
  const store = await open();
  await store.addProject({ id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '' }, []);
  await openDay(store, 'p1', 20_000, anySalt());
  await store.countViews([view()], []);
  const keyed: KeyedBatch = {
    ...{
      projectId: 'p1',
      idempotency: { key: 'key', requestHash: 'request' },
      views: [view({ visitor: 2n })],
    },
    ...{ places: [0], dropped: [], droppedCounters: [], reservations: [], at },
  };
  const job = { projectId: 'p1', id: 'job', prompt: 'do', repository: 'https://example.com/a', ref: 'main' };
  const ask = (from: Store) =>
    from.jobs.createJob({ ...job, model: 'openai/x' }, { key: 'key', requestHash: 'request' });

  await standby.end('SIGINT');
  const answered: string[] = [];
  const watch = <T>(name: string, answer: Promise<T>): Promise<T> => {
    answer.then(
      () => answered.push(name),
      () => undefined,
    );
    return answer;
  };
  const counted = watch('a batch', store.countViews([view({ visitor: 3n })], []));
  const countedOnce = watch('a batch under a key', store.countBatches([keyed]));
  const lost = ask(store).catch((error: Error) => error);
  await expect.poll(waiting).toBe(3);
  await restartPrimary();
  // A server tells its sender to ask again.
  expect(await lost).toMatchObject({ code: 'unavailable' });
  const other = await open();
  const receipt = watch('a receipt', other.findReceipt('p1', 'key', at));
  const repeated = watch('a job', ask(other));
  await expect.poll(async () => answered.length + (await waiting())).toBe(4);
  expect(answered).toEqual([]);

  await standby.start();
  expect(await counted).toEqual([]);
  expect(await countedOnce).toMatchObject([{ dropped: [], isRepeated: false }]);
  expect(await receipt).toEqual({ requestHash: 'request', dropped: [] });
  expect(await repeated).toMatchObject({ kind: 'repeated', job: { id: 'job' } });
  expect((await store.readCounts(query())).totals).toEqual(human(3));
});

test('batches of the same visitor wait for the standby at once, and not for each other', async () => {
  const store = await open();
  await store.addProject({ id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '' }, []);
  await openDay(store, 'p1', 20_000, anySalt());
  await store.countViews([view()], []);
  await standby.end('SIGINT');
  const answered: number[] = [];
  const counted = [1, 2, 3].map(async (number) => {
    await store.countViews([view()], []);
    answered.push(number);
  });
  await expect.poll(waitingForStandby).toBe(3);
  expect(answered).toEqual([]);
  await standby.start();
  await Promise.all(counted);
  expect((await store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(4));
});
