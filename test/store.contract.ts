import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { randomNumbers } from '../bench/random.ts';
import { makeKey } from '../server/admin/key.ts';
import type { CountQuery, Store, View } from '../server/store/store.ts';
import { projectSettings } from '../shared/project.ts';

/** What every engine promises; run once for each by a test file of its own. */
export interface Engine {
  name: string;
  /** A new, empty place for data. */
  prepare(): Promise<void>;
  /** Opens the prepared place; several may be open at once. */
  open(): Promise<Store>;
  cleanUp(): Promise<void>;
}

const query = (changes: Partial<CountQuery> = {}): CountQuery => ({
  projectId: 'p1',
  dimension: 'path',
  measure: 'visitors',
  from: null,
  to: null,
  limit: 250,
  offset: 0,
  ...changes,
});

const view = (changes: Partial<View> = {}): View => ({
  projectId: 'p1',
  day: 20_000,
  visitor: 1n,
  kind: 'human',
  path: '/',
  source: null,
  traits: { device: 'desktop', browser: 'Firefox', system: 'Linux' },
  country: null,
  client: null,
  ...changes,
});

const human = (count: number) => ({ human: count, ai: 0, total: count });

export function testStore(engine: Engine): void {
  describe(`the ${engine.name} store`, () => {
    let store: Store;
    const addProject = (id: string) =>
      store.addProject(
        { id, settings: projectSettings.parse({ name: id }), createdAt: '2026-01-01T00:00:00.000Z' },
        [],
      );

    beforeEach(async () => {
      await engine.prepare();
      store = await engine.open();
      await addProject('p1');
    });
    afterEach(async () => {
      await store.close();
      await engine.cleanUp();
    });

    test('keeps projects and keys, and raises the version with every change', async () => {
      const versions = [await store.directoryVersion()];
      const { stored } = makeKey('admin', 'p1', 'mine', Date.parse('2026-02-01'));
      await store.addKey(stored);
      versions.push(await store.directoryVersion());
      await store.setProject('p1', projectSettings.parse({ name: 'Renamed', hosts: ['example.com'] }));
      versions.push(await store.directoryVersion());
      const directory = await store.directory();
      expect(directory.keys).toEqual([stored]);
      expect(directory.projects[0]).toMatchObject({
        id: 'p1',
        settings: { name: 'Renamed', hosts: ['example.com'] },
      });
      await store.revokeKey(stored.id);
      versions.push(await store.directoryVersion());
      expect((await store.directory()).keys).toEqual([]);
      expect(new Set(versions).size).toBe(4);
    });

    test('says when there is nothing to change, and keeps its version', async () => {
      const version = await store.directoryVersion();
      expect(await store.setProject('none', projectSettings.parse({ name: 'x' }))).toBe(false);
      expect(await store.removeProject('none')).toBe(false);
      expect(await store.revokeKey('none')).toBe(false);
      expect(await store.directoryVersion()).toBe(version);
    });

    test('refuses a key of a project that is not there, and leaves nothing half-done', async () => {
      const { stored } = makeKey('admin', 'none', '', 0);
      await expect(store.addKey(stored)).rejects.toThrow('no project none');
      const { stored: twice } = makeKey('admin', 'p2', '', 0);
      const settings = projectSettings.parse({ name: 'p2' });
      await expect(store.addProject({ id: 'p2', settings, createdAt: '' }, [twice, twice])).rejects.toThrow();
      expect(await store.directory()).toMatchObject({ projects: [{ id: 'p1' }], keys: [] });
    });

    test('gives a day one salt, whoever asks', async () => {
      const other = await engine.open();
      const [first, second] = await Promise.all([store.openDay('p1', 20_000), other.openDay('p1', 20_000)]);
      expect(first).toEqual(second);
      expect(first?.salt.length).toBe(16);
      expect(await store.openDay('p1', 20_001)).not.toEqual(first);
      expect(await store.openDay('none', 20_000)).toBeNull();
      await other.close();
    });

    test('counts a visitor once a day, on the site and on each path', async () => {
      await store.openDay('p1', 20_000);
      await store.openDay('p1', 20_001);
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

    test('counts a visitor with views of both kinds once in the total', async () => {
      await store.openDay('p1', 20_000);
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
      await store.openDay('p1', 20_000);
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
      await store.openDay('p1', 20_000);
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
      await store.openDay('p1', 20_000);
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

    test('keeps projects apart', async () => {
      await addProject('p2');
      await store.openDay('p1', 20_000);
      await store.openDay('p2', 20_000);
      await store.countViews([view(), view({ projectId: 'p2', path: '/two' })], []);
      expect((await store.readCounts(query({ projectId: 'p2' }))).rows).toEqual([
        { name: '/two', ...human(1) },
      ]);
      expect((await store.readCounts(query())).rows).toEqual([{ name: '/', ...human(1) }]);
    });

    test('refuses views of a day that is not open, and counts the others', async () => {
      await store.openDay('p1', 20_000);
      const refused = await store.countViews(
        [view({ day: 19_999 }), view(), view({ projectId: 'none' }), view({ visitor: 2n })],
        [],
      );
      expect(refused).toEqual([0, 2]);
      expect((await store.readCounts(query())).totals).toEqual(human(2));
    });

    test('orders names of equal totals by code point, also beyond the 16-bit ones', async () => {
      await store.openDay('p1', 20_000);
      const paths = ['/\u{1F600}', '/\uFFEE', '/é', '/z', '/Z', '/a/b', '/a'];
      await store.countViews(
        paths.map((path) => view({ path })),
        [],
      );
      const rows = (await store.readCounts(query())).rows.map(({ name }) => name);
      expect(rows).toEqual(['/Z', '/a', '/a/b', '/z', '/é', '/\uFFEE', '/\u{1F600}']);
    });

    test('counts further new paths of a day together, and known ones by themselves', async () => {
      await store.openDay('p1', 20_000);
      await store.countViews([view({ path: '/known' })], []);
      await store.openDay('p1', 20_001);
      const many = Array.from({ length: 10_050 }, (_, i) => view({ day: 20_001, path: `/p${i}` }));
      await store.countViews(many, []);
      await store.countViews([view({ day: 20_001, path: '/known' }), view({ day: 20_001, path: '/p5' })], []);
      const { rows } = await store.readCounts(query({ measure: 'views', from: 20_001 }));
      expect(rows.slice(0, 3)).toEqual([
        { name: '(other)', ...human(50) },
        { name: '/p5', ...human(2) },
        { name: '/known', ...human(1) },
      ]);
      expect((await store.readCounts(query({ from: 20_001, offset: 10_001 }))).rows).toHaveLength(1);
      await store.openDay('p1', 20_002);
      await store.countViews([view({ day: 20_002, path: '/p10049' })], []);
      expect((await store.readCounts(query({ from: 20_002 }))).rows).toEqual([
        { name: '/p10049', ...human(1) },
      ]);
    });

    test('counts AI clients by proof, and the paths of each whatever the proof', async () => {
      await store.openDay('p1', 20_000);
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

    test('answers the days of the site, a path, an AI client and both, also when they are sealed', async () => {
      expect(await store.firstDay('p1')).toBeNull();
      for (const day of [20_000, 20_002]) await store.openDay('p1', day);
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
      const days = (changes: { path?: string; client?: string; from?: number; to?: number } = {}) =>
        store.readSeries({ projectId: 'p1', from: 19_000, to: 20_003, path: null, client: null, ...changes });
      const ai = (count: number) => ({ human: 0, ai: count, total: count });
      const first = { day: 20_000, visitors: human(1), views: human(2) };
      const last = { day: 20_002, visitors: ai(2), views: ai(3) };
      for (const sealed of [false, true]) {
        if (sealed) await store.seal('p1', 20_010);
        expect(await days()).toEqual([first, last]);
        expect(await days({ from: 20_001 })).toEqual([last]);
        expect(await days({ to: 20_002 })).toEqual([first]);
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
      await addProject('p2');
      expect(await store.firstDay('p2')).toBeNull();
      expect(
        await store.readSeries({ projectId: 'p2', from: 0, to: 30_000, path: '/a', client: null }),
      ).toEqual([]);
    });

    test('tallies what was dropped, by reason and family', async () => {
      const dropped = (day: number, reason: string, family: string, hits: number, projectId = 'p1') => ({
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
      await store.openDay('p1', 20_000);
      await store.openDay('p1', 20_001);
      await store.countViews([view(), view({ day: 20_001 })], []);
      await store.seal('p1', 20_000);
      expect(await store.countViews([view({ visitor: 9n }), view({ day: 20_001 })], [])).toEqual([0]);
      expect((await store.openDay('p1', 20_000))?.day).toBe(20_001);
      expect((await store.readCounts(query())).totals).toEqual(human(2));
      expect((await store.readCounts(query({ to: 20_001 }))).totals).toEqual(human(1));
    });

    test('sealing twice, or from two processes, changes nothing', async () => {
      const other = await engine.open();
      for (const day of [20_000, 20_001, 20_002]) await store.openDay('p1', day);
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
        await store.openDay('p1', day);
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
      await addProject('p2');
      await store.openDay('p1', 20_000);
      await store.openDay('p2', 20_000);
      await store.countViews([view(), view({ projectId: 'p2' })], []);
      expect(await store.removeProject('p1')).toBe(true);
      expect((await store.readCounts(query())).totals).toEqual(human(0));
      expect(await store.countViews([view()], [])).toEqual([0]);
      expect((await store.readCounts(query({ projectId: 'p2' }))).totals).toEqual(human(1));
    });

    test('what was counted is there after closing and opening', async () => {
      await store.openDay('p1', 20_000);
      await store.countViews([view()], []);
      await store.close();
      store = await engine.open();
      await store.countViews([view(), view({ visitor: 2n })], []);
      expect((await store.readCounts(query())).totals).toEqual(human(2));
    });

    test('a closed store says so', async () => {
      await store.close();
      await expect(store.directory()).rejects.toMatchObject({ code: 'closed' });
    });
  });
}
