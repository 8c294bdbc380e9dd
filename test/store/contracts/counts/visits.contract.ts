import { describe, expect, test } from 'vitest';
import type { View } from '../../../../server/counting/view.ts';
import type { VisitPagesQuery } from '../../../../server/store/counts/analytics-store.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, gptBot, human, openDay, view } from '../../../support/views.ts';

const nobody = human(0);
const ai = (count: number) => ({ human: 0, ai: count, total: count });

export function testVisits(engine: Engine): void {
  describe(`visits in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      for (const id of ['p1', 'p2']) await addProject(store, id);
      for (const day of [20_000, 20_001]) await openDay(store, 'p1', day, anySalt());
    });

    const count = (...views: Partial<View>[]) => store.countViews(views.map(view), []);
    const read = async (changes: Partial<VisitPagesQuery> = {}) => {
      const page = { projectId: 'p1', of: 'entry', from: null, to: null, limit: 50, offset: 0 } as const;
      return store.readVisitPages({ ...page, ...changes });
    };

    test('begin on the first page of a day and end on the last, whenever their views arrive', async () => {
      await count({ path: '/b', moment: 20 }, { path: '/c', moment: 30 });
      await count({ path: '/a', moment: 10 }, { path: '/only', moment: 5, visitor: 2n });
      await count({ path: '/only', moment: 50, visitor: 2n }, { path: '/c', moment: 25 });
      await count({ path: '/a', moment: 1, visitor: 3n, ...gptBot });
      for (const through of [19_999, 20_000]) {
        await store.seal('p1', through);
        expect(await read()).toEqual({
          totals: { human: 2, ai: 1, total: 3, singlePage: { human: 1, ai: 1, total: 2 } },
          rows: [
            { path: '/a', human: 1, ai: 1, total: 2, singlePage: ai(1) },
            { path: '/only', ...human(1), singlePage: human(1) },
          ],
          hasMore: false,
          unmeasured: [],
        });
        expect((await read({ of: 'exit' })).rows).toEqual([
          { path: '/a', ...ai(1), singlePage: ai(1) },
          { path: '/c', ...human(1), singlePage: nobody },
          { path: '/only', ...human(1), singlePage: human(1) },
        ]);
      }
    });

    test('are of the page that a path was moved to, also where a report read them before and more views came', async () => {
      await count({ path: '/a', moment: 10 });
      const pages = async (of: 'entry' | 'exit') => (await read({ of })).rows.map(({ path }) => path);
      expect([await pages('entry'), await pages('exit')]).toEqual([['/a'], ['/a']]);
      await store.paths.move('p1', [{ from: '/a', to: '/new' }]);
      await count({ path: '/b', moment: 20 });
      expect([await pages('entry'), await pages('exit')]).toEqual([['/new'], ['/b']]);
    });

    test('of somebody who reads as a person and as an AI client are two, and one visitor of a page', async () => {
      await count({ path: '/a', moment: 1 }, { path: '/b', moment: 2 });
      await count({ path: '/a', moment: 3, ...gptBot });
      for (const through of [19_999, 20_000]) {
        await store.seal('p1', through);
        const { totals, rows } = await read();
        expect(totals).toEqual({ human: 1, ai: 1, total: 1, singlePage: ai(1) });
        expect(rows).toEqual([{ path: '/a', human: 1, ai: 1, total: 1, singlePage: ai(1) }]);
      }
    });

    test('with two views at the same moment begin on the page whose name comes first', async () => {
      await count({ path: '/b', moment: 1 }, { path: '/a', moment: 1 });
      expect((await read()).rows.map(({ path }) => path)).toEqual(['/a']);
      expect((await read({ of: 'exit' })).rows.map(({ path }) => path)).toEqual(['/b']);
    });

    test('of more pages than are asked for are told by size, and those of one size by code point', async () => {
      const paths = [
        ...Array.from({ length: 1_500 }, (_, i) => `/${i}`),
        '/\u{1f600}',
        '/\ufb00',
        '/\u{1f600}',
        '/\ufb00',
      ];
      await count(...paths.map((path, i) => ({ path, visitor: BigInt(i + 1), network: i })));
      for (const through of [19_999, 20_000]) {
        await store.seal('p1', through);
        const [first, last] = [await read({ limit: 3 }), await read({ limit: 3, offset: 1_500 })];
        expect(first.rows.map(({ path, total }) => [path, total])).toEqual([
          ['/\ufb00', 2],
          ['/\u{1f600}', 2],
          ['/0', 1],
        ]);
        expect(last.rows.map(({ path, total }) => [path, total])).toEqual([
          ['/998', 1],
          ['/999', 1],
        ]);
        expect([first.hasMore, last.hasMore]).toEqual([true, false]);
      }
    });

    test('are paged, ordered, searched and limited to a page, over open and sealed days', async () => {
      await count({ path: '/a', visitor: 1n }, { path: '/a', visitor: 2n }, { path: '/b', visitor: 3n });
      await store.seal('p1', 20_000);
      const later = { day: 20_001, path: '/b' };
      await count({ ...later, visitor: 4n }, { ...later, visitor: 5n }, { ...later, visitor: 6n, ...gptBot });
      const first = { path: '/b', human: 3, ai: 1, total: 4, singlePage: { human: 3, ai: 1, total: 4 } };
      const second = { path: '/a', ...human(2), singlePage: human(2) };
      expect(await read({ limit: 1 })).toMatchObject({ rows: [first], hasMore: true });
      expect(await read({ limit: 1, offset: 1 })).toMatchObject({ rows: [second], hasMore: false });
      expect((await read({ search: 'A' })).rows).toEqual([second]);
      const { path: _, ...totals } = first;
      expect(await read({ filter: { path: '/b' } })).toMatchObject({ totals, rows: [first] });
      expect((await read({ order: 'aiShare' })).rows).toEqual([first, second]);
      expect((await read({ from: 20_001 })).totals).toMatchObject({ human: 2, ai: 1, total: 3 });
      expect((await read({ projectId: 'p2' })).rows).toEqual([]);
      await count(...[7n, 8n, 9n].map((visitor) => ({ ...later, path: '/a', visitor, ...gptBot })));
      expect((await read({ order: 'aiShare' })).rows.map(({ path }) => path)).toEqual(['/a', '/b']);
    });

    test('go with paths that are moved and forgotten, on open days and on sealed ones', async () => {
      const visit = [
        { path: '/1', moment: 1 },
        { path: '/2', moment: 2 },
        { path: '/gone', moment: 3 },
      ];
      await count(...visit, { path: '/1', moment: 1, visitor: 2n }, { path: '/2', moment: 2, visitor: 2n });
      await count(...visit.map((one) => ({ ...one, day: 20_001 })));
      await store.seal('p1', 20_000);
      const moves = [
        { from: '/1', to: '/:id' },
        { from: '/2', to: '/:id' },
        { from: '/gone', to: null },
      ];
      await store.paths.move('p1', moves);
      for (const through of [20_000, 20_001]) {
        await store.seal('p1', through);
        expect(await read()).toMatchObject({
          totals: human(3),
          rows: [{ path: '/:id', ...human(3), singlePage: nobody }],
          unmeasured: [],
        });
        expect((await read({ of: 'exit' })).rows).toEqual([
          { path: '/:id', ...human(1), singlePage: nobody },
        ]);
      }
    });

    test('are forgotten with the details of their day, which says that it has none', async () => {
      await count({ path: '/a' });
      await count({ path: '/b', day: 20_001 });
      await store.seal('p1', 20_001);
      while (await store.retention.forgetSome('p1', { details: 20_001, counts: null }));
      await store.retention.finish('p1', { details: 20_001, counts: null });
      expect(await read()).toMatchObject({ totals: human(1), rows: [{ path: '/b' }], unmeasured: [20_000] });
    });
  });
}
