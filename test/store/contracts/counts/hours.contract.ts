import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, gptBot, human, openDay, view } from '../../../support/views.ts';

export function testHours(engine: Engine): void {
  describe(`hours in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
      for (const day of [20_000, 20_001]) await openDay(store, 'p1', day, anySalt());
    });

    const days = { projectId: 'p1', from: 20_000, to: 20_010 };
    const read = async () => {
      const { rows, without } = await store.readHours(days);
      return { rows: rows.map(({ day, hour }) => `${day} ${hour}`), without: [...without] };
    };
    const count = () =>
      store.countViews([view({ hour: '09' }), view({ day: 20_001, hour: '23', visitor: 2n })], []);

    test('are told of open days, with each visitor in its first, and gone from sealed ones', async () => {
      await store.countViews([view({ hour: '09' }), view({ hour: '10' })], []);
      await store.countViews(
        [
          view({ hour: '10', visitor: 2n }),
          view({ hour: '10', visitor: 2n, ...gptBot }),
          view({ day: 20_001, hour: '00' }),
        ],
        [],
      );
      const first = [
        { day: 20_000, hour: '09', visitors: human(1), views: human(1) },
        {
          day: 20_000,
          hour: '10',
          visitors: { human: 1, ai: 1, total: 1 },
          views: { human: 2, ai: 1, total: 3 },
        },
      ];
      const second = [{ day: 20_001, hour: '00', visitors: human(1), views: human(1) }];
      expect(await store.readHours(days)).toEqual({
        sealedThrough: null,
        rows: [...first, ...second],
        without: new Set(),
      });
      expect((await store.readHours({ ...days, to: 20_001 })).rows).toEqual(first);
      await store.seal('p1', 20_000);
      expect(await store.readHours(days)).toEqual({
        sealedThrough: 20_000,
        rows: second,
        without: new Set([20_000]),
      });
      await store.seal('p1', 20_010);
      expect(await store.readHours(days)).toEqual({
        sealedThrough: 20_010,
        rows: [],
        without: new Set([20_000, 20_001]),
      });
      expect((await store.readHours({ ...days, projectId: 'none' })).rows).toEqual([]);
    });

    test('stay when their day is sealed as far as it is asked for, and go later', async () => {
      await count();
      const all = { rows: ['20000 09', '20001 23'], without: [] };
      await store.seal('p1', 20_003, 20_000);
      expect(await read()).toEqual(all);
      await store.seal('p1', 20_003, 20_000);
      expect(await read()).toEqual(all);
      await store.seal('p1', 20_003, 20_001);
      expect(await read()).toEqual({ rows: ['20001 23'], without: [20_000] });
      await store.seal('p1', 20_003);
      expect(await read()).toEqual({ rows: [], without: [20_000, 20_001] });
      expect(await store.check.findDamage()).toEqual([]);
    });

    test('that are too old when their day is sealed at last do not stay', async () => {
      await count();
      await store.seal('p1', 20_300, 20_001);
      expect(await read()).toEqual({ rows: ['20001 23'], without: [20_000] });
    });

    test('go with the details of their day', async () => {
      await count();
      await store.seal('p1', 20_003, 20_000);
      const cutoffs = { details: 20_001, counts: null };
      while (await store.retention.forgetSome('p1', cutoffs));
      await store.retention.finish('p1', cutoffs);
      expect(await read()).toEqual({ rows: ['20001 23'], without: [20_000] });
      await store.seal('p1', 20_004);
      expect(await read()).toEqual({ rows: [], without: [20_000, 20_001] });
    });

    test('are not reported of a day that has views without any', async () => {
      await count();
      await store.countViews([view({ visitor: 3n, hour: null })], []);
      expect(await read()).toEqual({ rows: ['20001 23'], without: [20_000] });
    });
  });
}
