import { describe, expect, test } from 'vitest';
import type { Store } from '../../../server/store/store.ts';
import type { CountedDropReason } from '../../../shared/hit.ts';
import type { Filter } from '../../../shared/reports/pairs.ts';
import { addProject, eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';
import { anySalt, human, openDay, query, view } from '../../support/views.ts';

export function testStore(engine: Engine): void {
  describe(`the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
    });

    test('gives a day one salt, whoever asks', async () => {
      const other = await engine.open();
      const [first, second] = await Promise.all([
        openDay(store, 'p1', 20_000, anySalt()),
        openDay(other, 'p1', 20_000, anySalt()),
      ]);
      expect(first).toEqual(second);
      expect(first?.salt?.length).toBe(45);
      expect(await openDay(store, 'p1', 20_001, anySalt())).not.toEqual(first);
      expect(await openDay(store, 'none', 20_000, anySalt())).toBeNull();
      await other.close();
    });

    test('keeps projects apart', async () => {
      await addProject(store, 'p2');
      await openDay(store, 'p1', 20_000, anySalt());
      await openDay(store, 'p2', 20_000, anySalt());
      await store.countViews([view(), view({ projectId: 'p2', path: '/two' })], []);
      expect((await store.readCounts(query({ projectId: 'p2' }))).rows).toEqual([
        { name: '/two', ...human(1) },
      ]);
      expect((await store.readCounts(query())).rows).toEqual([{ name: '/', ...human(1) }]);
    });

    test('refuses views of a day that is not open, and counts the others', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      const refused = await store.countViews(
        [view({ day: 19_999 }), view(), view({ projectId: 'none' }), view({ visitor: 2n })],
        [],
      );
      expect(refused).toEqual([0, 2]);
      expect((await store.readCounts(query())).totals).toEqual(human(2));
    });

    test('orders names of equal totals by code point, also beyond the 16-bit ones', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      const paths = ['/\u{1F600}', '/\uFFEE', '/é', '/z', '/Z', '/a/b', '/a'];
      await store.countViews(
        paths.map((path) => view({ path })),
        [],
      );
      const rows = (await store.readCounts(query())).rows.map(({ name }) => name);
      expect(rows).toEqual(['/Z', '/a', '/a/b', '/z', '/é', '/\uFFEE', '/\u{1F600}']);
    });

    test('counts further new paths of a day together, and known ones by themselves', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view({ path: '/known' })], []);
      await openDay(store, 'p1', 20_001, anySalt());
      const many = Array.from({ length: 10_050 }, (_, i) =>
        view({ day: 20_001, path: `/p${i}`, visitor: BigInt(i), network: i }),
      );
      await store.countViews(many, []);
      await store.countViews([view({ day: 20_001, path: '/known' }), view({ day: 20_001, path: '/p5' })], []);
      const { rows } = await store.readCounts(query({ measure: 'views', from: 20_001 }));
      expect(rows.slice(0, 3)).toEqual([
        { name: '(other)', ...human(50) },
        { name: '/p5', ...human(2) },
        { name: '/known', ...human(1) },
      ]);
      expect((await store.readCounts(query({ from: 20_001, offset: 10_001 }))).rows).toHaveLength(1);
      await openDay(store, 'p1', 20_002, anySalt());
      await store.countViews([view({ day: 20_002, path: '/p10049' })], []);
      expect((await store.readCounts(query({ from: 20_002 }))).rows).toEqual([
        { name: '/p10049', ...human(1) },
      ]);
    });

    test('answers the days of the site, a path, an AI client and both, also when they are sealed', async () => {
      expect(await store.firstDay('p1')).toBeNull();
      for (const day of [20_000, 20_002]) await openDay(store, 'p1', day, anySalt());
      const gpt = { kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } } as const;
      await store.countViews(
        [
          view(),
          view({ path: '/a' }),
          view({ day: 20_002, visitor: 2n, path: '/a', ...gpt }),
          view({ day: 20_002, visitor: 2n, path: '/a', ...gpt }),
          view({ day: 20_002, visitor: 3n, path: '/b', ...gpt }),
        ],
        [],
      );
      const days = (filter: Filter = {}, range: { from?: number; to?: number } = {}) =>
        store.readSeries({ projectId: 'p1', from: 19_000, to: 20_003, filter, ...range });
      const ai = (count: number) => ({ human: 0, ai: count, total: count });
      const first = { day: 20_000, visitors: human(1), views: human(2) };
      const last = { day: 20_002, visitors: ai(2), views: ai(3) };
      for (const sealed of [false, true]) {
        if (sealed) await store.seal('p1', 20_010);
        expect(await days()).toEqual([first, last]);
        expect(await days({}, { from: 20_001 })).toEqual([last]);
        expect(await days({}, { to: 20_002 })).toEqual([first]);
        expect(await days({ path: '/a' })).toEqual([
          { day: 20_000, visitors: human(1), views: human(1) },
          { day: 20_002, visitors: ai(1), views: ai(2) },
        ]);
        expect(await days({ client: 'GPTBot' })).toEqual([last]);
        expect(await days({ client: 'GPTBot', path: '/b' })).toEqual([
          { day: 20_002, visitors: ai(1), views: ai(1) },
        ]);
        expect(await days({ client: 'GPTBot', path: '/' })).toEqual([]);
        expect(await days({ path: '/none' })).toEqual([]);
        expect(await days({ client: 'none' })).toEqual([]);
      }
      expect(await store.firstDay('p1')).toBe(20_000);
      await addProject(store, 'p2');
      expect(await store.firstDay('p2')).toBeNull();
      expect(
        await store.readSeries({ projectId: 'p2', from: 0, to: 30_000, filter: { path: '/a' } }),
      ).toEqual([]);
    });

    test('answers several projects at once, each with its days and the ways in which hits came', async () => {
      await addProject(store, 'p2');
      for (const id of ['p1', 'p2'])
        for (const day of [20_000, 20_002]) await openDay(store, id, day, anySalt());
      const way = (group: string) => [{ counter: 'data-sources', group, name: 'people' } as const];
      const more = view({ projectId: 'p2', visitor: 2n, path: '/a', counters: way('log') });
      await store.countViews(
        [view({ counters: way('script') }), view({ path: '/a', counters: way('script') }), more],
        [],
      );
      await store.countViews([view({ day: 20_002, counters: way('image') }), { ...more, path: '/b' }], []);
      const ask = (projectId: string, from = 19_000, to = 20_003) => ({ projectId, from, to });
      const first = { day: 20_000, visitors: human(1), views: human(2) };
      const second = { day: 20_002, visitors: human(1), views: human(1) };
      for (const sealed of [false, true]) {
        if (sealed) await store.seal('p1', 20_001);
        const glances = await store.readGlances([
          ask('p2'),
          ask('none'),
          ask('p1'),
          ask('p1', 20_001),
          ask('p1', 20_003),
        ]);
        const dataSources = glances.map((glance) =>
          glance.dataSources.map(({ group, days }) => [group, days]).sort(),
        );
        const [one, other] = [[20_000], [20_002]];
        expect(dataSources).toEqual([
          [['log', one]],
          [],
          [
            ['image', other],
            ['script', one],
          ],
          [['image', other]],
          [],
        ]);
        expect(glances.map(({ days }) => days)).toEqual([[first], [], [first, second], [second], []]);
      }
      expect(await store.readGlances([])).toEqual([]);
    });

    test('counts what was dropped, by reason and family', async () => {
      const dropped = (
        day: number,
        reason: CountedDropReason,
        family: string,
        hits: number,
        projectId = 'p1',
      ) => ({
        projectId,
        day,
        reason,
        family,
        hits,
      });
      await store.countViews(
        [],
        [
          dropped(20_000, 'bot', 'seo', 3),
          dropped(20_001, 'bot', 'seo', 1),
          dropped(20_001, 'bot', 'library', 1),
          dropped(20_001, 'too_old', '', 2),
          dropped(20_001, 'bot', 'seo', 2, 'none'),
        ],
      );
      expect(await store.readDropped(query({ limit: 2 }))).toEqual({
        rows: [
          { reason: 'bot', family: 'seo', hits: 4 },
          { reason: 'too_old', family: '', hits: 2 },
        ],
        hasMore: true,
      });
      expect((await store.readDropped(query({ from: 20_001, to: 20_002 }))).rows).toEqual([
        { reason: 'too_old', family: '', hits: 2 },
        { reason: 'bot', family: 'library', hits: 1 },
        { reason: 'bot', family: 'seo', hits: 1 },
      ]);
    });

    test('a sealed day keeps its counts, takes no more views, and is not opened again', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await openDay(store, 'p1', 20_001, anySalt());
      await store.countViews([view(), view({ day: 20_001 })], []);
      await store.seal('p1', 20_000);
      expect(await store.countViews([view({ visitor: 9n }), view({ day: 20_001 })], [])).toEqual([0]);
      expect((await openDay(store, 'p1', 20_000, anySalt()))?.day).toBe(20_001);
      expect((await store.readCounts(query())).totals).toEqual(human(2));
      expect((await store.readCounts(query({ to: 20_001 }))).totals).toEqual(human(1));
    });

    test('sealing twice, or from two processes, changes nothing', async () => {
      const other = await engine.open();
      for (const day of [20_000, 20_001, 20_002]) await openDay(store, 'p1', day, anySalt());
      await store.countViews([view(), view({ day: 20_001 }), view({ day: 20_002 })], []);
      await Promise.all([store.seal('p1', 20_001), other.seal('p1', 20_001)]);
      await store.seal('p1', 20_001);
      expect((await store.readCounts(query())).totals).toEqual(human(3));
      await other.close();
    });

    test('answers any range of two years of sealed days as the sum of its days', async () => {
      const first = 20_003;
      const days = Array.from({ length: 730 }, (_, i) => first + i).filter((day) => day % 7 !== 3);
      for (const day of days) {
        await openDay(store, 'p1', day, anySalt());
        const visitors = Array.from({ length: 1 + (day % 3) }, (_, i) =>
          view({ day, visitor: BigInt(i), path: `/${day % 5}` }),
        );
        await store.countViews(visitors, []);
      }
      await store.seal('p1', first + 700);
      for (const [from, to] of [
        [first, first + 730],
        [first + 1, first + 366],
        [first + 100, first + 101],
        [first + 63, first + 512],
        [first + 690, first + 720],
        [first - 10, first + 10],
        [20_224, 20_480],
      ] as const) {
        const inRange = days.filter((day) => day >= from && day < to);
        const sum = (list: number[]) => list.reduce((total, day) => total + 1 + (day % 3), 0);
        const report = await store.readCounts(query({ from, to }));
        expect(report.totals).toEqual(human(sum(inRange)));
        const zero = report.rows.find(({ name }) => name === '/0');
        expect(zero?.human ?? 0).toBe(sum(inRange.filter((day) => day % 5 === 0)));
      }
    });

    test('removes a project with all that was counted for it', async () => {
      await addProject(store, 'p2');
      await openDay(store, 'p1', 20_000, anySalt());
      await openDay(store, 'p2', 20_000, anySalt());
      await store.countViews([view(), view({ projectId: 'p2' })], []);
      expect(await store.removeProject('p1')).toBe(true);
      expect((await store.readCounts(query())).totals).toEqual(human(0));
      expect(await store.countViews([view()], [])).toEqual([0]);
      expect((await store.readCounts(query({ projectId: 'p2' }))).totals).toEqual(human(1));
    });

    test('what was counted is there after closing and opening', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view()], []);
      await store.close();
      store = await engine.open();
      await store.countViews([view(), view({ visitor: 2n })], []);
      expect((await store.readCounts(query())).totals).toEqual(human(2));
    });
  });
}
