import { describe, expect, test } from 'vitest';
import { type CounterEntry, type CounterIncrement, counterSet } from '../../../../server/counting/counter.ts';
import { maxVisitorKeys, visitorKeyOf } from '../../../../server/counting/visitor-key.ts';
import type { CounterQuery } from '../../../../server/store/counts/analytics-store.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, openDay, view } from '../../../support/views.ts';

const failure = (name: string, group = 'GPTBot\t404'): CounterEntry => ({
  counter: 'ai-failures',
  group,
  name,
});
const bytes: CounterEntry = { counter: 'ai-bytes', group: 'GPTBot', name: '' };
const count = (entry: CounterEntry, changes: Partial<CounterIncrement> = {}): CounterIncrement => ({
  ...entry,
  ...{ projectId: 'p1', day: 20_000, hits: 1, amount: 0 },
  ...changes,
});

export function testCounterStore(engine: Engine): void {
  describe(`counters of the ${engine.name} store`, () => {
    let store: Store;
    const read = async (changes: Partial<CounterQuery> = {}) => {
      const asked = {
        projectId: 'p1',
        counter: 'ai-failures',
        from: null,
        to: null,
        limit: 50,
        offset: 0,
      } as const;
      const { rows } = await store.readCounter({ ...asked, ...changes });
      return rows.map(({ group, name, hits, amount }) => [group, name, hits, amount]);
    };

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
      for (const day of [20_000, 20_001]) await openDay(store, 'p1', day, anySalt());
    });

    test('add up what views and other hits bring, by day, group and name', async () => {
      const counters = counterSet([failure('/a'), bytes]);
      await store.countViews([view({ counters, bytes: 100 }), view({ counters, bytes: 2_000_000_000 })], []);
      await store.countViews(
        [view({ day: 20_001, counters, bytes: 2_000_000_000 })],
        [],
        [
          count(failure('/b')),
          count(failure('/b'), { hits: 6, day: 20_001 }),
          count(failure('/a', 'ClaudeBot\t5xx')),
          count(failure('/a'), { projectId: 'none' }),
        ],
      );
      expect(await read()).toEqual([
        ['GPTBot\t404', '/b', 7, 0],
        ['GPTBot\t404', '/a', 3, 0],
        ['ClaudeBot\t5xx', '/a', 1, 0],
      ]);
      expect(await read({ counter: 'ai-bytes' })).toEqual([['GPTBot', '', 3, 4_000_000_100]]);
      expect(await read({ from: 20_001, to: 20_002 })).toEqual([
        ['GPTBot\t404', '/b', 6, 0],
        ['GPTBot\t404', '/a', 1, 0],
      ]);
      expect(await read({ group: 'ClaudeBot' })).toEqual([['ClaudeBot\t5xx', '/a', 1, 0]]);
      expect(await read({ group: 'Claude' })).toEqual([]);
      expect(await read({ search: '/B' })).toEqual([['GPTBot\t404', '/b', 7, 0]]);
      expect(await read({ names: ['/b', '/c'] })).toEqual([['GPTBot\t404', '/b', 7, 0]]);
      expect(await read({ names: [] })).toEqual([]);
      expect(await read({ limit: 1, offset: 1 })).toEqual([['GPTBot\t404', '/a', 3, 0]]);
      expect(
        await store.readCounterDays({ projectId: 'p1', counter: 'ai-bytes', from: 20_001, to: 20_002 }),
      ).toEqual([{ day: 20_001, group: 'GPTBot', name: '', hits: 1, amount: 2_000_000_000 }]);
    });

    test('add nothing for views that are refused, and once for a batch that is repeated', async () => {
      const counters = counterSet([failure('/a')]);
      const views = [
        view({ day: 19_990, counters }),
        view({ counters }),
        view({ projectId: 'none', counters }),
      ];
      expect(await store.countViews(views, [])).toEqual([0, 2]);
      expect(await read()).toEqual([['GPTBot\t404', '/a', 1, 0]]);
      const batch = {
        ...{ projectId: 'p1', idempotency: { key: 'one', requestHash: 'x' }, views: [view({ counters })] },
        ...{
          places: [0],
          dropped: [],
          droppedCounters: [],
          counters: [count(failure('/b'))],
          reservations: [],
          at: 0,
        },
      };
      await store.countBatches([batch]);
      await store.countBatches([batch]);
      expect(await read()).toEqual([
        ['GPTBot\t404', '/a', 2, 0],
        ['GPTBot\t404', '/b', 1, 0],
      ]);
    });

    test('take in some new names a day and of a group, and add up further ones as (other)', async () => {
      const some = (group: string, from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) => count(failure(`/${from + i}`, group)));
      await store.countViews([], [], some('A', 0, 100));
      await store.countViews([], [], [...some('A', 80, 200), ...some('B', 0, 120), ...some('C', 0, 100)]);
      const rows = await read({ limit: 1000 });
      const ofGroup = (group: string) => rows.filter(([one]) => one === group);
      expect(ofGroup('A').length).toBe(151);
      expect(ofGroup('A')).toContainEqual(['A', '(other)', 50, 0]);
      expect(ofGroup('A')).toContainEqual(['A', '/90', 2, 0]);
      expect(ofGroup('B').length).toBe(120);
      expect(ofGroup('C').length).toBe(31);
      expect(ofGroup('C')).toContainEqual(['C', '(other)', 70, 0]);
      await store.countViews([], [], [...some('A', 0, 1), ...some('C', 900, 901), ...some('A', 900, 901)]);
      expect((await read({ limit: 1000 })).length).toBe(rows.length);
      await store.countViews([], [], [count(failure('/900', 'C'), { day: 20_001 })]);
      expect(await read({ from: 20_001 })).toEqual([['C', '/900', 1, 0]]);
    });

    test('move and forget their paths with those of pages', async () => {
      const form: CounterEntry = { counter: 'ai-formats', group: 'GPTBot', name: '/a' };
      await store.countViews(
        [],
        [],
        [
          ...['/a', '/b', '/c', '/d'].map((path) => count(failure(path))),
          count(form),
          count(failure('/b'), { day: 20_001 }),
        ],
      );
      expect(await store.paths.listCounted('p1', '', 3)).toEqual(['/a', '/b', '/c']);
      expect(await store.paths.listCounted('p1', '/c', 3)).toEqual(['/d']);
      const moves = [
        { from: '/a', to: '/:id' },
        { from: '/b', to: '/:id' },
        { from: '/c', to: null },
      ];
      await store.paths.move('p1', moves);
      expect(await read()).toEqual([
        ['GPTBot\t404', '/:id', 3, 0],
        ['GPTBot\t404', '/d', 1, 0],
      ]);
      expect(await read({ counter: 'ai-formats' })).toEqual([['GPTBot', '/a', 1, 0]]);
    });

    test('are forgotten with the details of their day, what is of the site with its counts', async () => {
      const dataSource: CounterEntry = { counter: 'data-sources', group: 'log', name: 'ai' };
      const counters = counterSet([failure('/a'), dataSource]);
      await store.countViews([view({ counters }), view({ day: 20_001, counters })], []);
      await store.seal('p1', 20_000);
      const cutoffs = { details: 20_001, counts: null };
      while (await store.retention.forgetSome('p1', cutoffs));
      await store.retention.finish('p1', cutoffs);
      expect(await read()).toEqual([['GPTBot\t404', '/a', 1, 0]]);
      expect(await read({ counter: 'data-sources' })).toEqual([['log', 'ai', 2, 0]]);
      await store.retention.finish('p1', { details: null, counts: 20_001 });
      expect(await read({ counter: 'data-sources' })).toEqual([['log', 'ai', 1, 0]]);
    });

    test('of visitors are reported, and outlive the sealing of their day, where three of them share a name', async () => {
      const landed = (visitor: bigint, passage: string, path = '/a', day = 20_000) =>
        view({ visitor, day, path, counters: [visitorKeyOf(visitor, 'Google', passage, path)] });
      const quoted = () => read({ counter: 'text-fragments' });
      await store.countViews(
        [
          ...[1n, 1n, 2n, -3n].map((visitor) => landed(visitor, 'shared')),
          ...[1n, 2n].map((visitor) => landed(visitor, 'rare')),
          ...[3n, 4n].map((visitor) => landed(visitor, 'rare', '/b')),
          ...[5n, 6n].map((visitor) => landed(visitor, 'rare', '/a', 20_001)),
        ],
        [],
      );
      expect(await quoted()).toEqual([['Google\tshared', '/a', 3, 0]]);
      await store.countViews([landed(1n, 'shared'), landed(4n, 'shared')], []);
      expect(await quoted()).toEqual([['Google\tshared', '/a', 4, 0]]);
      await store.seal('p1', 20_000);
      const isLeft = async () => ({
        shared: await quoted(),
        visitorKeys: (await read({ counter: 'text-fragment-visitors' })).length,
      });
      expect(await isLeft()).toEqual({ shared: [['Google\tshared', '/a', 4, 0]], visitorKeys: 2 });
      await store.countViews([landed(7n, 'rare', '/a', 20_001)], []);
      expect(await quoted()).toEqual([
        ['Google\tshared', '/a', 4, 0],
        ['Google\trare', '/a', 3, 0],
      ]);
      await store.paths.move('p1', [{ from: '/a', to: null }]);
      await store.seal('p1', 20_001);
      expect(await isLeft()).toEqual({ shared: [], visitorKeys: 0 });
    });

    test('take in some visitor keys a day, and what comes later together', async () => {
      const seen = Array.from({ length: maxVisitorKeys + 3 }, (_, i) =>
        count(visitorKeyOf(BigInt(i), 'Google', `passage ${i}`, '/a')),
      );
      await store.countViews([], [], seen.slice(0, maxVisitorKeys));
      await store.countViews([], [], seen.slice(maxVisitorKeys));
      expect(await read({ counter: 'text-fragments' })).toEqual([['(other)\t(other)', '(other)', 3, 0]]);
    });

    test('go with their project', async () => {
      await store.countViews([], [], [count(failure('/a'))]);
      await store.removeProject('p1');
      await addProject(store, 'p1');
      expect(await read()).toEqual([]);
    });
  });
}
