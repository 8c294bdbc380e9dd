import { describe, expect, test } from 'vitest';
import type { View } from '../../../../server/counting/view.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, gptBot, human, openDay, query, view } from '../../../support/views.ts';

export function testForgetting(engine: Engine): void {
  describe(`what the ${engine.name} store moves and forgets`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      for (const id of ['p1', 'p2']) await addProject(store, id);
    });

    const count = async (day: number, views: Partial<View>[], projectId = 'p1') => {
      await openDay(store, projectId, day, anySalt());
      await store.countViews(
        views.map((changes) => view({ projectId, day, ...changes })),
        [{ projectId, day, reason: 'bot', family: 'seo', hits: 1 }],
      );
    };
    const visitors = async (changes: Parameters<typeof query>[0] = {}) => {
      const { rows } = await store.readCounts(query(changes));
      return Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts]));
    };
    const ai = (count: number) => ({ human: 0, ai: count, total: count });

    test('a visitor of paths that become one is one visitor on an open day, and several on a sealed one', async () => {
      const views = [
        { path: '/a', visitor: 1n },
        { path: '/b', visitor: 1n },
        { path: '/c', visitor: 1n },
        { path: '/b', visitor: 2n },
        { path: '/a', visitor: 3n, ...gptBot },
        { path: '/b', visitor: 3n, ...gptBot },
        { path: '/a', visitor: 2n, ...gptBot },
        { path: '/z', visitor: 9n },
      ];
      await count(20_000, views);
      await store.seal('p1', 20_000);
      await count(20_001, views);
      await count(20_001, views, 'p2');
      const moves = [
        { from: '/a', to: '/c' },
        { from: '/b', to: '/c' },
        { from: '/z', to: null },
      ];
      expect(await store.paths.move('p1', moves)).toBe(true);
      await store.erase();
      expect(await visitors({ from: 20_001 })).toEqual({ '/c': { human: 2, ai: 2, total: 3 } });
      expect(await visitors({ to: 20_001 })).toEqual({ '/c': { human: 4, ai: 3, total: 7 } });
      expect(await visitors({ measure: 'views', from: 20_001 })).toEqual({
        '/c': { human: 4, ai: 3, total: 7 },
      });
      expect((await store.readClientPaths(query({ from: 20_001 }), 'GPTBot')).rows).toEqual([
        { path: '/c', visitors: 2, views: 3 },
      ]);
      expect((await store.readCounts(query({ from: 20_001 }))).totals).toEqual({ human: 3, ai: 2, total: 4 });
      expect(Object.keys(await visitors({ projectId: 'p2' })).sort()).toEqual(['/a', '/b', '/c', '/z']);
      expect(await store.paths.move('none', moves)).toBe(false);
    });

    test('who was seen on a path that was moved is known on the one it went to, to every process', async () => {
      const other = await engine.open();
      await count(20_000, [{ path: '/a', visitor: 1n }]);
      await other.countViews([view({ path: '/a', visitor: 2n })], []);
      await store.paths.move('p1', [{ from: '/a', to: '/new' }]);
      for (const one of [other, store]) {
        await one.countViews([view({ path: '/new', visitor: 1n }), view({ path: '/a', visitor: 2n })], []);
      }
      expect(await visitors()).toEqual({ '/new': human(2), '/a': human(1) });
      expect(await visitors({ measure: 'views' })).toEqual({ '/new': human(4), '/a': human(2) });
      await store.paths.move('p1', [{ from: '/a', to: '/new' }]);
      expect(await visitors()).toEqual({ '/new': human(2) });
      await other.close();
    });

    test('paths are listed in pieces', async () => {
      await count(20_000, [{ path: '/a' }, { path: '/b', ...gptBot }, { path: '/c' }]);
      const found: string[] = [];
      for (let after = 0; ; ) {
        const some = await store.paths.list('p1', after, 2);
        found.push(...some.map(({ path }) => path));
        const last = some.at(-1);
        if (!last) break;
        after = last.id;
      }
      expect(found.sort()).toEqual(['/a', '/b', '/b', '/c']);
      expect(await store.paths.list('none', 0, 10)).toEqual([]);
    });

    test('old days lose their details, then all, and every range stays the sum of its days', async () => {
      const days = [19_990, 19_995, 20_000, 20_001, 20_010];
      for (const day of days) {
        const paths = Array.from({ length: 2_500 }, (_, i) => ({
          path: `/${i}`,
          visitor: BigInt(i % 7),
          network: i,
        }));
        await count(day, [{ path: `/only-${day}` }, { path: '/both', ...gptBot }, ...paths]);
        await count(day, [{ path: '/p2' }], 'p2');
      }
      await store.seal('p1', 20_005);
      const forget = async (details: number | null, counts: number | null) => {
        for (let steps = 0; await store.retention.forgetSome('p1', { details, counts }); steps++) {
          expect(steps).toBeLessThan(100);
        }
        await store.retention.finish('p1', { details, counts });
      };
      const sites = (n: number) => ({ human: 7 * n, ai: n, total: 7 * n });
      await forget(20_000, null);
      for (const [from, to, withDetails, all] of [
        [19_968, 20_224, 3, 5],
        [19_990, 20_001, 1, 3],
        [19_990, 19_996, 0, 2],
        [20_000, 20_004, 2, 2],
      ] as const) {
        const { totals, rows } = await store.readCounts(query({ from, to, limit: 1 }));
        expect([from, totals]).toEqual([from, sites(all)]);
        expect([from, rows[0]?.name === '/both' ? rows[0].ai : 0]).toEqual([from, 0]);
        const { rows: both } = await store.readCounts(query({ from, to, search: '/both' }));
        expect([from, both]).toEqual([
          from,
          withDetails === 0 ? [] : [{ name: '/both', ...ai(withDetails) }],
        ]);
      }
      expect(await visitors({ search: 'only-1' })).toEqual({});
      expect((await store.paths.list('p1', 0, 10_000)).some(({ path }) => path.startsWith('/only-1'))).toBe(
        false,
      );
      await forget(20_001, 20_003);
      expect((await store.readCounts(query())).totals).toEqual(sites(1));
      expect(await store.firstDay('p1')).toBe(20_010);
      expect((await store.readDropped(query())).rows).toEqual([{ reason: 'bot', family: 'seo', hits: 1 }]);
      expect(Object.keys(await visitors({ search: 'only' }))).toEqual(['/only-20010']);
      expect((await store.readCounts(query({ projectId: 'p2' }))).totals).toEqual(human(5));
      expect(await store.check.findDamage()).toEqual([]);
    });

    test('searches are the same for every engine, in names as they are and with their escapes read', async () => {
      const paths = ['/docs/Caf%C3%A9', '/%E0%A4%A', '/nul%00l', '/A_b', '/plain', '/İ'];
      await count(
        20_000,
        paths.map((path) => ({ path })),
      );
      const found = async (search: string) => Object.keys(await visitors({ search })).sort();
      expect(await found('CAFÉ')).toEqual(['/docs/Caf%C3%A9']);
      expect(await found('caf%c3')).toEqual(['/docs/Caf%C3%A9']);
      expect(await found('%e0%a4%a')).toEqual(['/%E0%A4%A']);
      expect(await found('a_B')).toEqual(['/A_b']);
      expect(await found('nul%00')).toEqual(['/nul%00l']);
      expect(await found('i\u0307')).toEqual(['/İ']);
      expect(await found('none')).toEqual([]);
      expect(await found('\u0000')).toEqual([]);
      for (const order of ['total', 'human', 'ai', 'aiShare'] as const) {
        expect(await visitors({ search: 'plain', order })).toEqual({ '/plain': human(1) });
      }
    });
  });
}
