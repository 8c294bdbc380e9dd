import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../../../bench/random.ts';
import type { View } from '../../../../server/counting/view.ts';
import type { CountQuery } from '../../../../server/store/counts/analytics-store.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, gptBot, human, openDay, query, view } from '../../../support/views.ts';

export function testVisitorStore(engine: Engine): void {
  describe(`visitors in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
    });

    test('counts a visitor once a day, on the site and on each path', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await openDay(store, 'p1', 20_001, anySalt());
      await store.countViews(
        [view(), view(), view({ path: '/a' }), view({ visitor: -5n }), view({ day: 20_001 })],
        [],
      );
      expect(await store.readCounts(query())).toEqual({
        totals: human(3),
        rows: [
          { name: '/', ...human(3) },
          { name: '/a', ...human(1) },
        ],
        hasMore: false,
      });
      expect((await store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(5));
    });

    test('tells only the pages that are asked for, or that are one side’s, in all or below a client', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await openDay(store, 'p1', 20_001, anySalt());
      const views = (path: string, people: number, ai: number) => [
        ...Array.from({ length: people }, () => view({ path, day: 20_001, country: 'NO' })),
        ...Array.from({ length: ai }, () => view({ path, ...gptBot })),
      ];
      const pages = [
        views('/ignored', 4, 0),
        views('/few', 2, 0),
        views('/both', 4, 4),
        views('/heavy', 1, 3),
      ];
      await store.countViews(pages.flat(), []);
      const read = async (changes: Partial<CountQuery>) =>
        (await store.readCounts(query({ measure: 'views', ...changes }))).rows.map(({ name, total }) => [
          name,
          total,
        ]);
      for (const through of [19_999, 20_000, 20_001]) {
        await store.seal('p1', through);
        expect(await read({ unevenFrom: 3 })).toEqual([
          ['/heavy', 4],
          ['/ignored', 4],
        ]);
        expect(await read({ unevenFrom: 4 })).toEqual([['/ignored', 4]]);
        expect(await read({ names: ['/few', '/both', '/none', '/few'] })).toEqual([
          ['/both', 8],
          ['/few', 2],
        ]);
        expect(await read({ names: ['/few', '/heavy'], unevenFrom: 3 })).toEqual([['/heavy', 4]]);
        expect(await read({ names: [] })).toEqual([]);
        const ofClient = { filter: { client: 'GPTBot' } };
        expect(await read({ names: ['/few', '/heavy'], ...ofClient })).toEqual([['/heavy', 3]]);
        expect(await read({ unevenFrom: 4, ...ofClient })).toEqual([['/both', 4]]);
        const ofPage = { dimension: 'country', filter: { path: '/few' } } as const;
        expect(await read({ names: ['FR', 'NO'], ...ofPage })).toEqual([['NO', 2]]);
        expect(await read({ names: ['FR'], ...ofPage })).toEqual([]);
      }
    });

    test('a verified AI client brings in half of the new names of a day, from all its networks together', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      const read = (name: string, proof: 'claimed' | 'verified', count: number) =>
        store.countViews(
          Array.from({ length: count }, (_, i) =>
            view({
              kind: 'ai',
              client: { name, proof },
              path: `/${name}/${i}`,
              visitor: BigInt(i),
              network: i,
            }),
          ),
          [],
        );
      await read('GPTBot', 'verified', 6_000);
      expect((await store.readClientPaths(query({ limit: 1 }), 'GPTBot')).rows).toEqual([
        { path: '(other)', visitors: 1_000, views: 1_000 },
      ]);
      await read('Bytespider', 'claimed', 3_000);
      const day = { projectId: 'p1', from: null, to: null, limit: 10, offset: 0 };
      expect((await store.readCapped(day)).rows).toEqual([
        { names: 'path', cap: 'client', kind: 'ai', client: 'GPTBot', views: 1_000 },
        { names: 'clientPath', cap: 'client', kind: 'ai', client: 'GPTBot', views: 1_000 },
      ]);
    });

    test('counts a visitor with views of both kinds once in the total', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view()], []);
      await store.countViews(
        [
          view({ kind: 'ai', client: { name: 'Comet', proof: 'inferred' } }),
          view({ kind: 'ai', client: { name: 'Comet', proof: 'inferred' } }),
        ],
        [],
      );
      const both = { human: 1, ai: 1, total: 1 };
      expect(await store.readCounts(query())).toEqual({
        totals: both,
        rows: [{ name: '/', ...both }],
        hasMore: false,
      });
      expect((await store.readCounts(query({ measure: 'views' }))).totals).toEqual({
        human: 1,
        ai: 2,
        total: 3,
      });
      expect((await store.readCounts(query({ dimension: 'browser' }))).rows).toEqual([
        { name: 'Firefox', ...both },
      ]);
      expect((await store.readClients(query())).rows).toEqual([
        { name: 'Comet', proof: 'inferred', visitors: 1, views: 2 },
      ]);
    });

    test('two processes count a visitor once between them', async () => {
      const other = await engine.open();
      await openDay(store, 'p1', 20_000, anySalt());
      for (const one of [store, other, store]) await one.countViews([view(), view({ kind: 'ai' })], []);
      expect((await store.readCounts(query())).totals).toEqual({ human: 1, ai: 1, total: 1 });
      expect((await other.readCounts(query({ measure: 'views' }))).totals).toEqual({
        human: 3,
        ai: 3,
        total: 6,
      });
      await other.close();
    });

    test('counts as a recount does, whichever process counts, and after closing and opening', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      const random = randomNumbers(7);
      const below = (limit: number) => Math.floor(random() * limit);
      // More visitors than are held in memory at once, and more than are sorted in together.
      const draw = () =>
        view({
          visitor: BigInt(below(below(5) < 2 ? 3_000 : 400_000)) * 7_919_810_303n - 2n ** 51n,
          kind: below(9) === 0 ? 'ai' : 'human',
          path: `/${below(20) * below(20)}`,
          source: below(2) === 0 ? 'example.com' : null,
        });
      const kinds = { site: new Map<string, number>(), '/0': new Map<string, number>() };
      const count = async (by: Store, batches: number) => {
        for (let i = 0; i < batches; i++) {
          const views = Array.from({ length: 1_000 }, draw);
          await by.countViews(views, []);
          for (const { visitor, kind, path } of views) {
            for (const seen of path === '/0' ? [kinds.site, kinds['/0']] : [kinds.site]) {
              const key = String(visitor);
              seen.set(key, (seen.get(key) ?? 0) | (kind === 'human' ? 1 : 2));
            }
          }
        }
      };
      const recount = (seen: Map<string, number>) => {
        const all = [...seen.values()];
        const of = (bit: number) => all.filter((bits) => (bits & bit) !== 0).length;
        return { human: of(1), ai: of(2), total: all.length };
      };
      const other = await engine.open();
      await count(store, 220);
      for (let turn = 0; turn < 5; turn++) {
        await count(other, 3);
        await count(store, 7);
      }
      await store.close();
      store = await engine.open();
      await count(store, 60);
      await other.close();
      const { totals, rows } = await store.readCounts(query());
      expect(totals).toEqual(recount(kinds.site));
      expect(rows.find(({ name }) => name === '/0')).toEqual({ name: '/0', ...recount(kinds['/0']) });
    });

    test('counts a visitor of a thousand pages once on each', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      const pages = (kind: View['kind'], first: number, last: number) =>
        Array.from({ length: last - first }, (_, i) => view({ kind, path: `/${first + i}` }));
      await store.countViews(pages('human', 0, 200), []);
      await store.countViews(pages('human', 100, 1_000), []);
      await store.countViews(pages('ai', 900, 1_000), []);
      await store.countViews(pages('human', 0, 1_000), []);
      const { totals, rows } = await store.readCounts(query({ limit: 1_000 }));
      expect(totals).toEqual({ human: 1, ai: 1, total: 1 });
      expect(rows).toHaveLength(1_000);
      for (const { name, ...visitors } of rows) {
        expect(visitors).toEqual({ human: 1, ai: Number(name.slice(1)) < 900 ? 0 : 1, total: 1 });
      }
    });

    test('counts AI clients by proof, and the paths of each whatever the proof', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      const read = (name: string, proof: 'claimed' | 'verified', path: string, visitor: bigint) =>
        view({ kind: 'ai', client: { name, proof }, path, visitor });
      await store.countViews(
        [
          read('GPTBot', 'claimed', '/a', 1n),
          read('GPTBot', 'verified', '/a', 1n),
          read('GPTBot', 'verified', '/b', 2n),
          read('ClaudeBot', 'claimed', '/a', 3n),
          view({ visitor: 4n }),
        ],
        [],
      );
      const clients = await store.readClients(query({ limit: 2 }));
      expect(clients).toEqual({
        rows: [
          { name: 'GPTBot', proof: 'verified', visitors: 2, views: 2 },
          { name: 'ClaudeBot', proof: 'claimed', visitors: 1, views: 1 },
        ],
        hasMore: true,
      });
      expect((await store.readClients(query({ offset: 2 }))).rows).toEqual([
        { name: 'GPTBot', proof: 'claimed', visitors: 1, views: 1 },
      ]);
      for (const sealed of [false, true]) {
        if (sealed) await store.seal('p1', 20_010);
        expect(await store.readClientPaths(query(), 'GPTBot')).toEqual({
          rows: [
            { path: '/a', visitors: 1, views: 2 },
            { path: '/b', visitors: 1, views: 1 },
          ],
          hasMore: false,
        });
      }
      expect(await store.readClientPaths(query(), 'Nobody')).toEqual({ rows: [], hasMore: false });
    });
  });
}
