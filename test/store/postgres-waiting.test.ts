import { expect, test } from 'vitest';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import { projectSettings } from '../../shared/project/project.ts';
import { connectTo, untilWaiting } from '../support/store/lock-waits.ts';
import { dropDatabase, makeDatabase } from '../support/store/shared-postgres.ts';
import { anySalt, human, query, view } from '../support/views.ts';

// Who waits for whom is told by the one PostgreSQL that all wait on: on Citus it is a server of shards.

test('a day that is opened while names are moved is not counted on until they are', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openPostgresStore(url), await openPostgresStore(url)];
  await one.addProject({ id: 'p1', settings: projectSettings.parse({ name: 'p1' }), createdAt: '' }, []);
  await one.openDay('p1', 20_000, anySalt());
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
