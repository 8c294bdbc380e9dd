import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgresStore } from '../../server/store/postgres/store.ts';
import type { Engine } from '../support/store/engines.ts';
import { listDistributed, makeOneServerCitus, shardServer } from '../support/store/one-server-citus.ts';
import { emptyDatabase, noteFirstRows } from '../support/store/postgres-rows.ts';
import { dropDatabase, runIn } from '../support/store/shared-postgres.ts';
import { testCounterStore } from './contracts/counts/counters.contract.ts';
import { testGoals } from './contracts/counts/goals.contract.ts';
import { testVisitorStore } from './contracts/counts/visitors.contract.ts';
import { testStore } from './contracts/store.contract.ts';

// What Citus is told of the tables, and what batches count with there, on one PostgreSQL that stands in for a cluster.
// `test/store/citus` is for a real one.

let url: string;

const distributing: Engine = {
  name: 'PostgreSQL that distributes tables',
  prepare: () => emptyDatabase(url),
  open: (options) => openPostgresStore(url, options),
  cleanUp: async () => undefined,
};

beforeAll(async () => {
  url = await makeOneServerCitus();
  await (await distributing.open()).close();
  await noteFirstRows(url);
});
afterAll(() => dropDatabase(url));

describe('where tables are distributed', () => {
  test('those that have a shard lie together by it, and no others do', async () => {
    const tables = await runIn<{ name: string; hasShard: boolean }>(
      url,
      `select c.oid::regclass::text as name,
         exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'shard' and a.attnum > 0) as "hasShard"
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       order by 1`,
    );
    const distributed = await listDistributed(url);
    const withShard = tables.filter(({ hasShard }) => hasShard).map(({ name }) => name);
    expect(withShard).toContain('counts');
    expect(distributed.filter(({ by }) => by !== null)).toEqual(
      withShard.map((name) => ({ name, by: 'shard', beside: name === 'shards' ? 'default' : 'shards' })),
    );
  });

  test('what counts a batch may ask no table of the coordinator', async () => {
    const [may] = await runIn(
      url,
      `select bool_and(p.prosecdef) as "runsThere", bool_or(has_table_privilege('${shardServer}', 'days', 'select')) as "mayAsk"
       from pg_proc p where p.proname = 'count_traced_batch'`,
    );
    expect(may).toEqual({ runsThere: true, mayAsk: false });
  });
});

testStore(distributing);
testVisitorStore(distributing);
testCounterStore(distributing);
testGoals(distributing);
