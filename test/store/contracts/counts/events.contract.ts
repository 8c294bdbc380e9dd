import { describe, expect, test } from 'vitest';
import { joinProperty } from '../../../../server/counting/what.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, openDay, query, view } from '../../../support/views.ts';

const days = { projectId: 'p1', from: null, to: null, limit: 250, offset: 0 };
const team = joinProperty('plan', 'team');

export function testEventStore(engine: Engine): void {
  describe(`events in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
      await openDay(store, 'p1', 20_000, anySalt());
    });

    const event = (name: string, properties: string[] = [], changes = {}) =>
      view({ event: { name, properties }, ...changes });
    const rowsOf = async (event?: string) =>
      (await store.readEvents({ ...days, event })).rows.map((row) => Object.values(row));

    test('are added up beside views, before and after sealing, and are no views', async () => {
      await store.countViews(
        [view(), event('Join', [team]), event('Join', [team, joinProperty('seats', '2')])],
        [],
      );
      await store.countViews([event('Join', [], { visitor: 2n }), event('Leave', [team])], []);
      for (const sealed of [false, true]) {
        if (sealed) await store.seal('p1', 20_010);
        expect(await rowsOf()).toEqual([
          ['Join', 2, 0, 2, 3, 0, 3],
          ['Leave', 1, 0, 1, 1, 0, 1],
        ]);
        expect(await rowsOf('Join')).toEqual([
          [team, 1, 0, 1, 2, 0, 2],
          [joinProperty('seats', '2'), 1, 0, 1, 1, 0, 1],
        ]);
        expect(await rowsOf('Other')).toEqual([]);
        const { totals, rows } = await store.readCounts(query({ measure: 'views' }));
        expect([totals.total, rows.length]).toEqual([1, 1]);
      }
    });

    test('of a day that is closed are refused, each once', async () => {
      const refused = await store.countViews(
        [event('Join', [team]), event('Join', [team], { day: 19_000 })],
        [],
      );
      expect(refused).toEqual([1]);
      expect(await rowsOf('Join')).toEqual([[team, 1, 0, 1, 1, 0, 1]]);
    });

    test('that bring in too many names are counted together, which is told', async () => {
      const names = Array.from({ length: 2_001 }, (_, i) => event(`e${i}`));
      for (let from = 0; from < names.length; from += 500) {
        await store.countViews(names.slice(from, from + 500), []);
      }
      expect((await store.readEvents({ ...days, search: '(other)' })).rows).toMatchObject([{ events: 1 }]);
      expect((await store.readCapped({ ...days })).rows).toMatchObject([
        { names: 'event', cap: 'visitor', kind: 'human', views: 1 },
      ]);
    });

    test('are forgotten with the details of their day', async () => {
      await store.countViews([view(), event('Join', [team])], []);
      await store.seal('p1', 20_010);
      const cutoffs = { details: 20_001, counts: null };
      while (await store.retention.forgetSome('p1', cutoffs));
      await store.retention.finish('p1', cutoffs);
      expect([await rowsOf(), await rowsOf('Join')]).toEqual([[], []]);
    });
  });
}
