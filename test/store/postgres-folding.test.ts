import { Client } from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { leaveOut } from '../support/machine/left-out.ts';
import { dropDatabase, hasPostgres, makeDatabase, runIn } from '../support/store/shared-postgres.ts';
import { anySalt, view as anyView, human, openDay, query } from '../support/views.ts';

// What batches append is added up later (functions/append_visitors.sql); nobody who reads may see that.

const day = 20_000;
let url: string;
let store: Store;

beforeEach(async (context) => {
  if (!(await hasPostgres())) leaveOut(context, 'PostgreSQL is not installed');
  url = await makeDatabase();
  store = await openPostgresStore(url);
});
afterEach(async () => {
  await store.close();
  await dropDatabase(url);
});

async function addProject(id: string): Promise<void> {
  await store.addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);
  await openDay(store, id, day, anySalt());
}

const view = (visitor: number, changes: Partial<View> = {}) =>
  anyView({ visitor: BigInt(visitor), network: visitor, day, ...changes });
const visitorsOf = async (projectId = 'p1') => (await store.readCounts(query({ projectId }))).totals;
const waiting = async () =>
  (await runIn<{ n: number }>(url, 'select count(*)::int as n from pending_counts'))[0]?.n;
const added = async () =>
  (
    await runIn<{ n: number }>(url, 'select coalesce(sum(visitors), 0)::int as n from counts where what = 0')
  )[0]?.n;

async function connect(): Promise<Client> {
  const client = new Client(url);
  // Its connection is cut, or the database dropped before.
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

test('a reader sees each view that was acknowledged exactly once while two nodes add up', async () => {
  await addProject('p1');
  let isOver = false;
  let folded = 0;
  const fold = async () => {
    const node = await connect();
    while (!isOver) {
      const { rows } = await node.query('select sum(fold_shard(s, 2)) as rows from generate_series(0, 63) s');
      folded += Number(rows[0]?.rows);
    }
  };
  const folding = [fold(), fold()];
  for (let i = 1; i <= 60; i++) {
    const path = `/${i % 7}`;
    await Promise.all([store.countViews([view(i, { path })], []), store.countViews([view(i, { path })], [])]);
    const [{ totals, rows }, days] = await Promise.all([
      store.readCounts(query({})),
      store.readSeries({ projectId: 'p1', from: day, to: day + 1, filter: {} }),
    ]);
    expect(totals).toEqual(human(i));
    expect(rows.reduce((sum, row) => sum + row.human, 0)).toBe(i);
    expect(days).toMatchObject([{ day, visitors: human(i), views: human(i * 2) }]);
  }
  isOver = true;
  await Promise.all(folding);
  expect(folded).toBeGreaterThan(60);
});

test('what a node had begun to add up when it was killed is added up by the next, once', async () => {
  await addProject('p1');
  for (let i = 0; i < 5; i++) await store.countViews([view(i), view(i + 1)], []);
  const killed = await connect();
  await killed.query('begin; select sum(fold_shard(s, 100)) from generate_series(0, 63) s');
  const other = await connect();
  const elsewhere = await other.query(
    'select sum(fold_shard(s, 100))::int as rows from generate_series(0, 63) s',
  );
  expect(elsewhere.rows, 'nobody waits for whoever adds up').toEqual([{ rows: 0 }]);
  expect([await visitorsOf(), await added(), await waiting()]).toEqual([human(6), 0, 5]);
  const pid = (await killed.query('select pg_backend_pid() as pid')).rows[0].pid;
  await other.query('select pg_terminate_backend($1::int)', [pid]);
  await expect.poll(() => runIn(url, `select from pg_stat_activity where pid = ${pid}`)).toEqual([]);
  await other.query('select fold_all()');
  await other.query('select fold_all()');
  expect([await visitorsOf(), await added(), await waiting()]).toEqual([human(6), 6, 0]);
  expect(await store.check.findDamage()).toEqual([]);
});

test('many projects of a shard are added up a few rows at a time, and one that is moved or sealed at once', async () => {
  const projects = Array.from({ length: 70 }, (_, i) => `p${i}`);
  for (const id of projects) await addProject(id);
  for (const i of [1, 2, 3]) {
    await store.countViews(
      projects.map((projectId) => view(i, { projectId, path: `/${i}` })),
      [],
    );
  }
  expect(await waiting()).toBe(210);
  const node = await connect();
  const fold = async () =>
    (await node.query('select max(fold_shard(s, 4)) as most from generate_series(0, 63) s')).rows[0].most;
  expect(await fold()).toBe(4);
  await store.paths.move('p1', [{ from: '/1', to: '/2' }]);
  await store.seal('p2', day);
  expect(
    await runIn(
      url,
      "select from pending_counts c join projects p on p.id = c.project where p.public_id in ('p1', 'p2')",
    ),
  ).toEqual([]);
  await expect.poll(fold).toBe(0);
  expect(await waiting()).toBe(0);
  for (const id of projects) expect(await visitorsOf(id)).toEqual(human(3));
  expect((await store.readCounts(query({ projectId: 'p1', dimension: 'path' }))).rows).toEqual([
    { name: '/2', ...human(2) },
    { name: '/3', ...human(1) },
  ]);
});

test('a server adds up what nobody asks for', async () => {
  await addProject('p1');
  await store.countViews([view(1)], []);
  await store.close();
  store = await openPostgresStore(url, { opener: 'server' });
  await expect.poll(waiting).toBe(0);
  expect([await visitorsOf(), await added()]).toEqual([human(1), 1]);
});
