import { expect, test } from 'vitest';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Store } from '../../server/store/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { connectTo, countWaiting, untilWaiting } from '../support/store/lock-waits.ts';
import { dropDatabase, makeDatabase, runIn } from '../support/store/shared-postgres.ts';
import { anySalt, human, openDay, query, view } from '../support/views.ts';

// Who waits for whom is told by the one PostgreSQL that all wait on: on Citus it is a server of shards.

test('a day that is opened while names are moved is not counted on until they are', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openPostgresStore(url), await openPostgresStore(url)];
  await one.addProject({ id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '' }, []);
  await openDay(one, 'p1', 20_000, anySalt());
  await one.countViews([view({ visitor: 1n, network: 1, path: '/old' })], []);
  const [opening, holding] = [await connectTo(url), await connectTo(url)];
  await opening.query('begin');
  await opening.query(`select open_day('p1', 20001, '\\x00', null)`);
  await holding.query(`begin; select from names where text = '/old' for update`);
  const moved = one.paths.move('p1', [{ from: '/old', to: '/new' }]);
  await untilWaiting(url, 1);
  await opening.query('commit');
  await untilWaiting(url, 1);
  const counted = other.countViews([view({ visitor: 2n, network: 2, day: 20_001, path: '/old' })], []);
  await untilWaiting(url, 2);
  await holding.query('commit');
  await Promise.all([moved, counted]);
  expect(await one.check.findDamage()).toEqual([]);
  const { rows } = await one.readCounts(query({ measure: 'views' }));
  expect(rows).toEqual([
    { name: '/new', ...human(1) },
    { name: '/old', ...human(1) },
  ]);
  for (const store of [one, other]) await store.close();
  await dropDatabase(url);
});

test('batches of the same visitors never wait for each other in a circle, also where one makes rows that the other changes', async () => {
  const url = await makeDatabase();
  const stores = await Promise.all([openPostgresStore(url), openPostgresStore(url)]);
  const [one, other] = stores;
  await one.addProject({ id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '' }, []);
  await openDay(one, 'p1', 20_000, anySalt());
  const unanswered = new Set<Promise<unknown>>();
  const count = (store: Store, visitors: readonly bigint[], path: string): Promise<unknown> => {
    const views = visitors.map((visitor) => view({ visitor, network: Number(visitor), path }));
    const counted: Promise<unknown> = store.countViews(views, []).then(() => unanswered.delete(counted));
    unanswered.add(counted);
    return counted;
  };
  const holdRowOf = async (visitor: bigint) => {
    const holding = await connectTo(url);
    await holding.query(`begin; select from seen where visitor = ${visitor} for update`);
    return holding;
  };
  const untilAllWait = () =>
    expect.poll(async () => (await countWaiting(url)) - unanswered.size, { interval: 5 }).toBe(0);

  await count(one, [1n, 3n, 4n], '/before');
  const [first, third] = [await holdRowOf(1n), await holdRowOf(3n)];
  const slow = count(other, [1n, 2n, 4n], '/slow');
  await untilAllWait();
  const made = count(one, [2n], '/made');
  await untilAllWait();
  const quick = count(one, [2n, 3n, 4n], '/quick');
  await untilAllWait();
  await first.query('commit');
  await untilAllWait();
  await third.query('commit');
  await Promise.all([slow, made, quick]);
  const { rows } = await one.readCounts(query());
  expect(new Map(rows.map(({ name, human }) => [name, human]))).toEqual(
    new Map([
      ['/before', 3],
      ['/made', 1],
      ['/quick', 3],
      ['/slow', 3],
    ]),
  );
  // So that all has been told of them.
  for (const store of stores) await store.close();
  expect(
    await runIn(url, 'select deadlocks::int from pg_stat_database where datname = current_database()'),
  ).toEqual([{ deadlocks: 0 }]);
  await dropDatabase(url);
});
