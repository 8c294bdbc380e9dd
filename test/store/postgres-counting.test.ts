import { afterEach, beforeEach, expect, test } from 'vitest';
import type { View } from '../../server/counting/view.ts';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { meanwhile } from '../support/meanwhile.ts';
import { connectTo, untilWaiting } from '../support/store/lock-waits.ts';
import { dropDatabase, makeDatabase, runIn } from '../support/store/shared-postgres.ts';
import { anySalt, view as anyView, human, openDay, query } from '../support/views.ts';

let url: string;
let stores: Store[];

beforeEach(async () => {
  url = await makeDatabase();
  stores = [await openPostgresStore(url), await openPostgresStore(url)];
  await addProject('p1');
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await dropDatabase(url);
});

const node = (i: number): Store => stores[i] as Store;
const addProject = (id: string) =>
  node(0).addProject({ id, settings: projectSettings.parse({ name: id }), createdAt: '' }, []);
const view = (visitor: number, changes: Partial<View> = {}) =>
  anyView({ visitor: BigInt(visitor) * 7_919_810_303n - 2n ** 60n, network: visitor, ...changes });
const asAi = { kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } } as const;
const open = (day = 20_000, projectId = 'p1') => openDay(node(0), projectId, day, anySalt());
const visitors = async (changes = {}) => (await node(0).readCounts(query(changes))).totals;
const views = async (changes = {}) => visitors({ measure: 'views', ...changes });

test('a visitor whose views come to two nodes at once counts once, as a person, as AI and in all', async () => {
  await open();
  for (let i = 0; i < 100; i++) {
    await Promise.all([
      node(0).countViews([view(i)], []),
      node(1).countViews([view(i, asAi)], []),
      node(1).countViews([view(i)], []),
    ]);
  }
  const both = { human: 100, ai: 100, total: 100 };
  expect(await visitors()).toEqual(both);
  expect(await visitors({ dimension: 'browser' })).toEqual(both);
  expect((await node(0).readCounts(query({ dimension: 'browser' }))).rows).toEqual([
    { name: 'Firefox', ...both },
  ]);
  expect(await views()).toEqual({ human: 200, ai: 100, total: 300 });
});

test('what a node remembers of visitors holds where another node moves paths, or deletes them', async () => {
  await open();
  const count = () => node(0).countViews([view(1, { path: '/old' }), view(2, { path: '/other' })], []);
  await count();
  await node(1).paths.move('p1', [{ from: '/old', to: '/new' }]);
  await count();
  await node(1).paths.move('p1', [{ from: '/other', to: null }]);
  await count();
  await node(0).countViews([view(1, { path: '/new' })], []);
  const { totals, rows } = await node(1).readCounts(query());
  expect(totals).toEqual(human(2));
  expect(rows).toEqual(['/new', '/old', '/other'].map((name) => ({ name, ...human(1) })));
  expect((await node(0).readCounts(query({ measure: 'views' }))).rows).toEqual([
    { name: '/new', ...human(2) },
    { name: '/old', ...human(2) },
    { name: '/other', ...human(1) },
  ]);
});

test('of more visitors than a node remembers each counts once', async () => {
  await open();
  const all = Array.from({ length: 140 }, (_, i) =>
    Array.from({ length: 1_000 }, (_, j) => view(i * 1_000 + j)),
  );
  for (const views of [...all, ...all.slice(0, 20), ...all.slice(-20)]) await node(0).countViews(views, []);
  expect(await visitors()).toEqual(human(140_000));
  expect(await views()).toEqual(human(180_000));
});

test('two nodes together take in no more new names than the cap of a day allows', async () => {
  await open();
  const send = async (store: Store, first: number) => {
    for (let i = first; i < first + 5_500; i += 500) {
      await store.countViews(
        Array.from({ length: 500 }, (_, j) => view(i + j, { path: `/${i + j}` })),
        [],
      );
    }
  };
  await Promise.all([send(node(0), 0), send(node(1), 5_500)]);
  expect((await node(0).readCounts(query({ limit: 1 }))).rows).toEqual([
    { name: '(other)', ...human(1_000) },
  ]);
  expect((await node(0).readCounts(query({ offset: 10_000 }))).rows).toHaveLength(1);
  expect((await node(0).readCapped(query())).rows).toEqual([
    { names: 'path', cap: 'day', kind: 'human', client: null, views: 1_000 },
  ]);
});

test('no view is counted on a day once it is sealed, and none that was acknowledged is lost', async () => {
  for (let day = 20_000; day < 20_012; day++) {
    await open(day);
    let counted = 0;
    let isSealed = false;
    const send = async (store: Store, lane: number) => {
      for (let i = 0; ; i++) {
        const batch = Array.from({ length: 20 }, (_, j) => view(lane * 1e6 + i * 20 + j, { day }));
        const beganAfter = isSealed;
        const refused = await store.countViews(batch, []);
        expect(refused.length === 0 || refused.length === 20).toBe(true);
        if (beganAfter) expect(refused).toHaveLength(20);
        if (refused.length > 0) return;
        counted += 20;
      }
    };
    const lanes = [0, 1, 2, 3].map((lane) => send(node(lane % 2), lane));
    await expect.poll(() => counted, { interval: 1 }).toBeGreaterThanOrEqual(100);
    await Promise.all([node(0).seal('p1', day), node(1).seal('p1', day)]);
    isSealed = true;
    const atOnce = await visitors({ from: day });
    await Promise.all(lanes);
    expect(await visitors({ from: day })).toEqual(atOnce);
    expect(atOnce).toEqual(human(counted));
  }
});

test('partitions of visitors are dropped while others count, and nothing is lost', async () => {
  const [{ today } = { today: 0 }] = await runIn<{ today: number }>(url, 'select today()');
  await addProject('p2');
  await open(today, 'p2');
  let counted = 0;
  const send = async (store: Store) => {
    const batch = Array.from({ length: 50 }, () => view(++counted, { projectId: 'p2', day: today }));
    expect(await store.countViews(batch, [])).toEqual([]);
  };
  const partitions = () =>
    runIn<{ bin: string }>(
      url,
      `select inhrelid::regclass::text as bin from pg_inherits where inhparent = 'seen'::regclass and inhrelid::regclass::text like '%opened%'`,
    );
  await meanwhile([() => send(node(0)), () => send(node(1))], async () => {
    for (let day = 19_000; day < 19_010; day++) {
      await open(day);
      await node(0).countViews([view(1, { day })], []);
      expect(await partitions()).toHaveLength(1);
      await node(day % 2).seal('p1', day);
      await expect
        .poll(async () => {
          await node(0).imports.openDay('p1', 18_000, { salt: anySalt(), forgetAt: 0 });
          await node(0).imports.seal('p1', 0, [18_000]);
          return partitions();
        })
        .toEqual([]);
    }
  });
  expect(await visitors({ projectId: 'p2' })).toEqual(human(counted));
  expect(await visitors()).toEqual(human(10));
});

test('a project that is removed is locked in the order in which all lock it', async () => {
  await open();
  await node(0).countViews([view(1)], []);
  const holding = await connectTo(url);
  await holding.query('begin; select pg_advisory_xact_lock(2, id) from projects');
  const removed = node(1).removeProject('p1');
  await untilWaiting(url, 1);
  // Whoever holds the sealing of a project gets its row, which the removal has not taken before.
  await holding.query('select from projects for no key update nowait');
  await holding.query('commit');
  expect(await removed).toBe(true);
  expect((await node(0).directory()).projects).toEqual([]);
});

test('partitions that no day has any more are dropped one by a transaction', async () => {
  const drop = async () => (await runIn<{ isDropped: boolean }>(url, 'select drop_bin() as "isDropped"'))[0];
  while ((await drop())?.isDropped);
  for (const day of [18_000, 18_001, 18_002]) await runIn(url, `select make_bin(${day})`);
  const left = () =>
    runIn(url, `select from pg_class where relname in ('seen_18000', 'seen_18001', 'seen_18002')`);
  expect(await drop()).toEqual({ isDropped: true });
  expect(await left()).toHaveLength(2);
  // So does what a node of the release before calls.
  await runIn(url, 'select tidy_bins()');
  expect(await left()).toHaveLength(1);
  await open();
  await node(0).seal('p1', 20_000);
  expect(await left()).toEqual([]);
});

test('buckets of visitors and slots of nodes add up, and sealing leaves one row of each bucket', async () => {
  await runIn(url, `update projects set buckets = 8 where public_id = 'p1'`);
  await open();
  const batch = (first: number) =>
    Array.from({ length: 200 }, (_, i) => view(first + i, i % 3 === 0 ? asAi : { path: `/${i % 7}` }));
  await Promise.all([node(0), node(1), node(0)].map((store, i) => store.countViews(batch(i * 100), [])));
  const before = await node(0).readCounts(query());
  expect(before.totals).toMatchObject({ total: 400 });
  expect(await views()).toMatchObject({ total: 600 });
  const rows = (where: string) =>
    runIn<{ n: number }>(url, `select count(*)::int as n from counts where ${where}`);
  expect(await runIn(url, 'select distinct shard from seen')).toHaveLength(8);
  await runIn(url, 'select fold_all()');
  expect((await rows('slot <> 0'))[0]?.n).toBeGreaterThan(0);
  await node(0).seal('p1', 20_000);
  expect(await rows('slot <> 0')).toEqual([{ n: 0 }]);
  expect(await rows('what = 0 and span = 1')).toEqual([{ n: 8 }]);
  expect(await rows('what = 0 and span = 256')).toEqual([{ n: 8 }]);
  expect(await node(0).readCounts(query())).toEqual(before);
});

test('all that counts of a project is in one shard', async () => {
  await open();
  await node(0).countViews(
    Array.from({ length: 300 }, (_, i) => view(i, { path: `/${i}`, ...(i % 2 && asAi) })),
    [{ projectId: 'p1', day: 20_000, reason: 'bot', family: 'seo', hits: 1 }],
  );
  const shards = await runIn(
    url,
    'select distinct shard from (select shard from seen union all select shard from counts union all select shard from dropped) x',
  );
  expect(shards).toHaveLength(1);
});

test('a node that remembers a name which another has moved looks for it again, and loses no view', async () => {
  await open();
  await node(1).countViews([view(1, { path: '/old' }), view(1, { path: '/other' })], []);
  await node(0).paths.move('p1', [{ from: '/old', to: '/new' }]);
  expect(await node(1).countViews([view(1, { path: '/old' }), view(2, { path: '/new' })], [])).toEqual([]);
  const { rows } = await node(0).readCounts(query({ measure: 'views' }));
  expect(rows).toEqual([
    { name: '/new', ...human(2) },
    { name: '/old', ...human(1) },
    { name: '/other', ...human(1) },
  ]);
  expect(await visitors()).toEqual(human(2));
});

test('it does so, too, where it first counts again on a day that was opened after the move', async () => {
  await open();
  await node(1).countViews([view(1, { path: '/old' })], []);
  await node(0).paths.move('p1', [{ from: '/old', to: '/new' }]);
  await open(20_001);
  expect(await node(1).countViews([view(2, { day: 20_001, path: '/old' })], [])).toEqual([]);
  const both = [view(3, { path: '/old' }), view(3, { day: 20_001, path: '/old' })];
  expect(await node(1).countViews(both, [])).toEqual([]);
  const { rows } = await node(0).readCounts(query({ measure: 'views' }));
  expect(rows).toEqual([
    { name: '/old', ...human(3) },
    { name: '/new', ...human(1) },
  ]);
  expect(await node(0).check.findDamage()).toEqual([]);
});

test('texts that PostgreSQL does not take are counted under what it does', async () => {
  await open();
  const texts = ['a\0b', 'a\uFFFDb', 'c\uD800', 'c\uFFFD', 'x'.repeat(8_000)];
  await node(0).countViews(
    texts.map((source) => view(1, { source })),
    [],
  );
  const { rows } = await node(0).readCounts(query({ dimension: 'source', measure: 'views' }));
  expect(rows).toEqual([
    { name: 'a\uFFFDb', ...human(2) },
    { name: 'c\uFFFD', ...human(2) },
    { name: 'x'.repeat(8_000), ...human(1) },
  ]);
});
