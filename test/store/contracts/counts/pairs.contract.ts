import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, gptBot, human, openDay, query, view } from '../../../support/views.ts';

const ai = (count: number) => ({ human: 0, ai: count, total: count });
const days = { projectId: 'p1', from: 19_000, to: 21_000 };

export function testPairStore(engine: Engine): void {
  describe(`pairs in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
      for (const day of [20_000, 20_001]) await openDay(store, 'p1', day, anySalt());
    });

    const pagesOf = async (filter: object, changes = {}) =>
      (await store.readCounts(query({ filter, ...changes }))).rows;
    const sourcesOf = (path: string) => pagesOf({ path }, { dimension: 'source' });

    test('tell the pages of a source and the sources of a page, of open and of sealed days', async () => {
      const [news, chat] = [{ source: 'news.example' }, { source: 'ChatGPT' }];
      await store.countViews(
        [
          view({ path: '/a', country: 'DE', ...news }),
          view({ path: '/a', country: 'DE', ...news }),
          view({ path: '/b', country: 'DE' }),
          view({ path: '/a', country: 'AT', visitor: 2n, ...chat }),
          view({ path: '/a', country: 'AT', visitor: 2n, ...news, day: 20_001 }),
          view({ path: '/b', visitor: 3n, ...chat, day: 20_001, ...gptBot }),
        ],
        [],
      );
      for (const sealed of [false, true]) {
        if (sealed) await store.seal('p1', 20_010);
        expect(await store.readCounts(query({ filter: news, measure: 'views' }))).toEqual({
          totals: human(3),
          rows: [{ name: '/a', ...human(3) }],
          hasMore: false,
        });
        expect(await pagesOf(news, { from: 20_001 })).toEqual([{ name: '/a', ...human(1) }]);
        expect(await sourcesOf('/a')).toEqual([
          { name: 'news.example', ...human(2) },
          { name: 'ChatGPT', ...human(1) },
        ]);
        expect(await sourcesOf('/b')).toEqual([{ name: 'ChatGPT', ...ai(1) }]);
        expect(await pagesOf({ country: 'DE' })).toEqual([
          { name: '/a', ...human(1) },
          { name: '/b', ...human(1) },
        ]);
        expect(await pagesOf({ path: '/a' }, { dimension: 'country' })).toEqual([
          { name: 'AT', ...human(2) },
          { name: 'DE', ...human(1) },
        ]);
        expect(await pagesOf({ path: '/a', ...news })).toEqual([{ name: '/a', ...human(2) }]);
        expect(await pagesOf({ path: '/b' })).toEqual([{ name: '/b', human: 1, ai: 1, total: 2 }]);
        expect(await pagesOf(news, { dimension: 'source' })).toEqual([{ name: 'news.example', ...human(2) }]);
        expect(await pagesOf({ source: 'none' })).toEqual([]);
        expect(await sourcesOf('/none')).toEqual([]);
        expect(await pagesOf(news, { search: 'B' })).toEqual([]);
        const series = await store.readSeries({ ...days, filter: { path: '/a', ...news } });
        expect(series.map(({ day, views }) => [day, views.total])).toEqual([
          [20_000, 2],
          [20_001, 1],
        ]);
      }
    });

    test('add up over many batches, whoever counts and reads in between, and after closing and opening', async () => {
      const other = await engine.open();
      const seen = new Map<string, { visitors: Set<number>; views: number }>();
      const batch = (number: number) =>
        Array.from({ length: 1_000 }, (_, i) => {
          const visitor = (number * 7 + i) % 400;
          const [source, path] = [`s${number % 3}`, `/${i}`];
          const sum = seen.get(`${source} ${path}`) ?? { visitors: new Set(), views: 0 };
          seen.set(`${source} ${path}`, sum);
          sum.visitors.add(visitor);
          sum.views++;
          return view({ visitor: BigInt(visitor), network: visitor, source, country: 'DE', path });
        });
      const compare = async (by: Store) => {
        for (const measure of ['visitors', 'views'] as const) {
          const { rows } = await by.readCounts(query({ filter: { source: 's1' }, measure, limit: 1_000 }));
          const expected = [...seen].flatMap(([key, { visitors, views }]) =>
            key.startsWith('s1 ') ? [[key.slice(3), measure === 'views' ? views : visitors.size]] : [],
          );
          expect(new Map(rows.map(({ name, total }) => [name, total]))).toEqual(
            new Map(expected as [string, number][]),
          );
        }
      };
      for (let number = 0; number < 36; number++) {
        await (number % 10 === 9 ? other : store).countViews(batch(number), []);
        if (number % 17 === 16) await compare(number === 16 ? other : store);
      }
      await other.close();
      await store.close();
      store = await engine.open();
      await compare(store);
      await store.countViews(batch(36), []);
      await store.seal('p1', 20_010);
      await compare(store);
      const country = await pagesOf({ country: 'DE' }, { measure: 'views', limit: 1 });
      expect(country).toEqual([{ name: '/0', ...human(37) }]);
    });

    test('tell the AI clients of a page, and the page that one of them read', async () => {
      const bytespider = { kind: 'ai', client: { name: 'Bytespider', proof: 'inferred' } } as const;
      await store.countViews(
        [
          view(gptBot),
          view({ visitor: 2n, ...gptBot }),
          view(bytespider),
          view({ path: '/a', ...bytespider }),
        ],
        [],
      );
      expect((await store.readClients(query({ filter: { path: '/' } }))).rows).toEqual([
        { name: 'GPTBot', proof: null, visitors: 2, views: 2 },
        { name: 'Bytespider', proof: null, visitors: 1, views: 1 },
      ]);
      expect((await store.readClients(query({ filter: { client: 'Bytespider' } }))).rows).toEqual([
        { name: 'Bytespider', proof: 'inferred', visitors: 1, views: 2 },
      ]);
      expect((await store.readClientPaths(query({ filter: { path: '/a' } }), 'Bytespider')).rows).toEqual([
        { path: '/a', visitors: 1, views: 1 },
      ]);
      expect(await pagesOf({ client: 'GPTBot' })).toEqual([{ name: '/', ...ai(2) }]);
    });

    test('tell the pages to which some sources sent people', async () => {
      await store.countViews(
        [
          view({ path: '/a', source: 'ChatGPT' }),
          view({ path: '/a', source: 'ChatGPT', visitor: 2n }),
          view({ path: '/b', source: 'Claude', visitor: 2n }),
          view({ path: '/b', source: 'news.example' }),
          view({ path: '/c', source: 'Claude', visitor: 3n, ...gptBot }),
        ],
        [],
      );
      const landings = (changes = {}) => store.readLandings(query(changes), ['ChatGPT', 'Claude', 'Grok']);
      const [first, second] = [
        { source: 'ChatGPT', path: '/a', visitors: 2, views: 2 },
        { source: 'Claude', path: '/b', visitors: 1, views: 1 },
      ];
      expect(await landings()).toEqual({ rows: [first, second], hasMore: false });
      expect(await landings({ limit: 1 })).toEqual({ rows: [first], hasMore: true });
      expect(await landings({ search: 'B' })).toEqual({ rows: [second], hasMore: false });
      expect(await landings({ filter: { path: '/a' } })).toEqual({ rows: [first], hasMore: false });
      expect(await landings({ from: 20_001 })).toEqual({ rows: [], hasMore: false });
    });

    test('count a visitor once where paths become one, and nothing where they are deleted', async () => {
      const news = { source: 'news.example' };
      await store.countViews(
        [view({ path: '/a', ...news }), view({ path: '/b', ...news }), view({ path: '/c', ...news })],
        [],
      );
      await store.paths.move('p1', [
        { from: '/b', to: '/a' },
        { from: '/c', to: null },
      ]);
      expect(await pagesOf(news)).toEqual([{ name: '/a', ...human(1) }]);
      expect(await pagesOf(news, { measure: 'views' })).toEqual([{ name: '/a', ...human(2) }]);
      expect(await sourcesOf('/b')).toEqual([]);
      await store.countViews([view({ path: '/a', ...news })], []);
      expect(await pagesOf(news)).toEqual([{ name: '/a', ...human(1) }]);
    });

    test('are capped as other names are, and say so', async () => {
      const news = { source: 'news.example' };
      const crawl = (source: string) =>
        store.countViews(
          Array.from({ length: 2_100 }, (_, i) => view({ path: `/${i}`, source })),
          [],
        );
      await crawl('news.example');
      expect(await pagesOf(news, { limit: 1, measure: 'views' })).toEqual([
        { name: '(other)', ...human(100) },
      ]);
      expect(await pagesOf(news, { limit: 1, search: 'other' })).toEqual([{ name: '(other)', ...human(1) }]);
      const capped = (await store.readCapped({ ...days, limit: 10, offset: 0 })).rows;
      expect(capped.map(({ names, cap, views }) => ({ names, cap, views }))).toEqual([
        { names: 'path', cap: 'visitor', views: 100 },
        { names: 'sourcePath', cap: 'visitor', views: 100 },
      ]);
    });
  });
}
