import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { View } from '../../../server/counting/view.ts';
import { joinProperty } from '../../../server/counting/what.ts';
import type { CombinedQuery } from '../../../server/store/counts/reports/combined.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import type { Condition } from '../../../shared/reports/pairs.ts';
import { listWorkers } from '../../support/store/citus-cluster.ts';
import {
  listenToCoordinator,
  type RemoteCommand,
  serversOf,
  tablesIn,
} from '../../support/store/remote-commands.ts';
import { dropDatabase, makeDatabase, runIn } from '../../support/store/shared-postgres.ts';
import { anySalt, view as anyView, gptBot, human, openDay, query } from '../../support/views.ts';

let url: string;
let heard: () => RemoteCommand[];
let stores: Store[];

beforeEach(async () => {
  url = await makeDatabase();
  heard = await listenToCoordinator(url);
  stores = [await openPostgresStore(url), await openPostgresStore(url)];
  await node(0).addProject({ id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '' }, []);
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const store of stores) await store.close();
  await dropDatabase(url);
});

const node = (i: number): Store => stores[i] as Store;
const open = (day: number) => openDay(node(0), 'p1', day, anySalt());
const view = (visitor: number, changes: Partial<View> = {}) =>
  anyView({ visitor: BigInt(visitor) * 7_919_810_303n - 2n ** 60n, network: visitor, ...changes });
const batch = (first: number, size = 50, changes: Partial<View> = {}) =>
  Array.from({ length: size }, (_, i) => view(first + i, { path: `/${i % 7}`, ...changes }));

test('a batch is one call to the server of its shard', async () => {
  await open(20_000);
  const dropped = [{ projectId: 'p1', day: 20_000, reason: 'bot' as const, family: 'seo', hits: 1 }];
  await node(0).countViews(batch(0), dropped);
  for (let i = 1; i < 10; i++) {
    heard();
    await node(0).countViews(batch(i * 25), dropped);
    const commands = heard().filter(
      ({ text }) => !/tallies_\d+/.test(text) || /^(INSERT|UPDATE|DELETE)/.test(text),
    );
    expect(commands).toEqual([
      { text: expect.stringMatching(/^SELECT public\.count_traced_batch\(/), server: expect.any(String) },
    ]);
  }
});

test('a report asks one server, of one shard, whichever names it has', async () => {
  for (const day of [20_000, 20_001, 20_002]) {
    await open(day);
    await node(0).countViews(batch(day, 50, { day }), []);
  }
  await node(0).seal('p1', 20_001);
  heard();
  for (const read of [
    () => node(0).readCounts(query()),
    () => node(0).readCounts(query({ search: '/1', measure: 'views', order: 'ai' })),
    () => node(0).readClients(query()),
    () => node(0).readSeries({ projectId: 'p1', from: 20_000, to: 20_003, filter: { path: '/1' } }),
    () => node(0).readDropped(query()),
    () => node(0).readCapped(query()),
    () => node(0).firstDay('p1'),
  ]) {
    await read();
    const commands = heard();
    expect(serversOf(commands)).toHaveLength(1);
    expect(['counts', 'dropped', 'name_caps'].flatMap((table) => tablesIn(commands, table))).toHaveLength(1);
  }
});

test('a batch and a report of a project with many buckets ask the servers of all, and add up', async () => {
  await runIn(url, `update projects set buckets = 64 where public_id = 'p1'`);
  await open(20_000);
  heard();
  await node(0).countViews(batch(0, 200), []);
  expect(serversOf(heard()).length).toBeGreaterThan(1);
  expect((await node(0).readCounts(query())).totals).toEqual(human(200));
  expect(serversOf(heard()).length).toBeGreaterThan(1);
  await node(1).seal('p1', 20_000);
  expect((await node(0).readCounts(query({ limit: 3 }))).totals).toEqual(human(200));
});

test('every report of a project with many buckets is that of one with a single bucket', async () => {
  const first = {
    ...{ name: 'p1', goals: ['Sign up'], funnels: ['/0 > Sign up'] },
    ...{ sections: ['/{1,2} Some'], minimumGroup: 1 },
  };
  const settings = projectSettings.parse(first);
  await node(0).setProject('p1', settings);
  await node(0).addProject({ id: 'p2', settings, createdAt: '' }, []);
  await runIn(url, `update projects set buckets = 64 where public_id = 'p1'`);
  for (const projectId of ['p1', 'p2']) {
    for (const day of [20_000, 20_001]) {
      await openDay(node(0), projectId, day, anySalt());
      const of = { projectId, day, hasGoals: true, source: 'A', utmMedium: 'email', country: 'DE' };
      const counted = { projectId, day, group: '', amount: 9 };
      await node(0).countViews(
        [
          ...batch(0, 40, of),
          ...batch(20, 30, { ...of, event: { name: 'Sign up', properties: [joinProperty('plan', 'a')] } }),
          ...batch(100, 20, { ...of, ...gptBot, source: null }),
        ],
        [],
        [
          ...['/1', '/3'].map((name) => ({ ...counted, counter: 'visible-time' as const, name, hits: 2 })),
          { ...counted, counter: 'people-networks', name: '64500', hits: 3 },
        ],
      );
    }
  }
  const later = { ...first, goals: ['Sign up', '/{2,4}'], renamedPaths: ['/3 /1', '/5 /new'] };
  for (const [through, changed] of [
    [19_999, first],
    [20_000, first],
    [20_000, later],
  ] as const) {
    for (const id of ['p1', 'p2']) {
      await node(0).setProject(id, projectSettings.parse(changed));
      await node(0).seal(id, through);
    }
    for (const [i, read] of reports.entries())
      expect([i, await read(node(1), 'p1')]).toEqual([i, await read(node(1), 'p2')]);
  }
});

const days = { from: 20_000, to: 20_002 };
const is = { isNot: false, how: 'is' } as const;
const inSome: Condition = { ...is, name: 'path', how: 'glob', values: ['/{1,2}'] };
const combined: Partial<CombinedQuery>[] = [
  {},
  { by: 'channel' },
  { by: 'source', conditions: [{ ...is, name: 'path', values: ['/1'] }] },
  { by: 'country', conditions: [inSome] },
  { by: 'path', conditions: [{ ...is, name: 'source', values: ['A'], isNot: true }] },
  { by: 'device', conditions: [{ ...is, name: 'channel', values: ['email'] }, inSome] },
];
const reports: ((store: Store, projectId: string) => Promise<unknown>)[] = [
  ...[{}, { search: '/1' }, { unevenFrom: 1 }, { names: ['/1'] }, { filter: { source: 'A' } }].map(
    (more) => (store: Store, projectId: string) => store.readCounts(query({ projectId, ...more })),
  ),
  (store, projectId) => store.readCounts(query({ projectId, dimension: 'source', filter: { path: '/1' } })),
  (store, projectId) => store.readEvents(query({ projectId })),
  (store, projectId) => store.readEvents({ ...query({ projectId }), event: 'Sign up' }),
  (store, projectId) => store.readClients(query({ projectId })),
  (store, projectId) => store.readClientPaths(query({ projectId }), 'GPTBot'),
  (store, projectId) => store.readLandings(query({ projectId, search: '/1' }), ['A']),
  (store, projectId) => store.readVisitPages({ ...query({ projectId }), of: 'entry' }),
  (store, projectId) => store.readVisitPages({ ...query({ projectId, filter: { path: '/1' } }), of: 'exit' }),
  (store, projectId) => store.readGoals(query({ projectId })),
  (store, projectId) => store.readFunnels(query({ projectId })),
  (store, projectId) => store.readConversions({ ...query({ projectId }), goal: 'Sign up', by: 'source' }),
  (store, projectId) => store.readSeries({ projectId, ...days, filter: { path: '/1' } }),
  (store, projectId) => store.readGlances([{ projectId, ...days }]),
  (store, projectId) => store.readNamedDays({ projectId, ...days, of: 'client', names: ['GPTBot'] }),
  (store, projectId) => store.readHours({ projectId, ...days }),
  async (store, projectId) =>
    (await store.listReadPaths({ projectId, client: 'GPTBot', from: 20_000 })).sort(),
  ...combined.map(
    (more) => (store: Store, projectId: string) =>
      store.readCombined({ ...query({ projectId }), conditions: [], by: null, ...more }),
  ),
  (store, projectId) => store.readSections(query({ projectId })),
  (store, projectId) => store.readVisitPages({ ...query({ projectId, pages: inSome }), of: 'entry' }),
  ...(['visible-time', 'people-networks'] as const).map(
    (counter) => (store: Store, projectId: string) => store.readCounter({ ...query({ projectId }), counter }),
  ),
  (store, projectId) =>
    store.readLive({
      ...{ projectId, from: 20_001, to: 20_002, now: 20_001 * 86_400_000 + 60_000 },
      ...{ recentMs: 300_000, minutes: 30, limit: 10, countries: ['DE'] },
    }),
  async (store, projectId) => (await store.listPaths(projectId, inSome)).sort(),
  (store, projectId) =>
    store.findReads({
      projectId,
      client: null,
      pages: [
        { path: '/1', since: 20_000 },
        { path: '/2', since: null },
      ],
    }),
];

test('what batches ask of projects and days is the same on every server', async () => {
  await open(20_000);
  await open(20_001);
  await node(0).seal('p1', 20_000);
  await node(0).paths.move('p1', [{ from: '/a', to: '/b' }]);
  const read =
    'select d.project, p.buckets, p.name_changes from batch_days d join batch_projects p on p.id = d.project';
  for (const server of [url, ...(await listWorkers(url))]) {
    expect(await runIn(server, read)).toEqual([{ project: 1, buckets: 1, name_changes: 1 }]);
  }
  await node(0).removeProject('p1');
  for (const server of [url, ...(await listWorkers(url))]) {
    expect(await runIn(server, 'select id from batch_days union all select id from batch_projects')).toEqual(
      [],
    );
  }
});

test('shards move from server to server while others count and days are sealed, and every view counts once', async () => {
  let isOver = false;
  let sent = 0;
  const counted = new Map<number, number>();
  const send = async (store: Store) => {
    for (;;) {
      const day = 20_000 + counted.size - 1;
      sent += 20;
      const views = batch(sent, 20, { day });
      const refused = await store.countViews(views, []);
      counted.set(day, (counted.get(day) ?? 0) + views.length - refused.length);
      if (isOver) return;
    }
  };
  const openNext = async () => {
    await open(20_000 + counted.size);
    counted.set(20_000 + counted.size, 0);
  };
  await openNext();
  const lanes = [0, 1, 0, 1].map((i) => send(node(i)));
  for (let move = 0; move < 4; move++) {
    const before = sent;
    await moveShard();
    await expect.poll(() => sent).toBeGreaterThan(before + 200);
    await openNext();
    await node(move % 2).seal('p1', 20_000 + counted.size - 2);
  }
  await expect.poll(() => [...counted.values()].every((views) => views > 0)).toBe(true);
  isOver = true;
  await Promise.all(lanes);
  for (const [day, views] of counted) {
    expect((await node(0).readCounts(query({ from: day, to: day + 1 }))).totals).toEqual(human(views));
  }
  expect(await node(0).check.findDamage()).toEqual([]);
});

/** That of the project, to the next server, with all that is beside it. */
async function moveShard(): Promise<void> {
  const [place] = await runIn<{ shard: string; host: string; port: number; logical: boolean }>(
    url,
    `select s.shardid as shard, s.nodename as host, s.nodeport as port,
       current_setting('wal_level') = 'logical' as logical
     from citus_shards s where s.table_name = 'counts'::regclass
       and s.shardid = get_shard_id_for_distribution_column('counts', 1)`,
  );
  const workers = (await listWorkers(url)).map((worker) => new URL(worker));
  const to = workers.find(({ hostname, port }) => hostname !== place?.host || Number(port) !== place?.port);
  await runIn(
    url,
    `select citus_move_shard_placement(${place?.shard}, '${place?.host}', ${place?.port}, '${to?.hostname}', ${to?.port},
       shard_transfer_mode => '${place?.logical ? 'force_logical' : 'block_writes'}')`,
  );
}
