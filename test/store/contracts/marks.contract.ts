import { describe, expect, test } from 'vitest';
import { type Mark, maxMarks } from '../../../server/store/marks.ts';
import type { Store } from '../../../server/store/store.ts';
import { addProject, eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';
import { anySalt, human, noNames, openDay, view } from '../../support/views.ts';

const mark = (changes: Partial<Mark> = {}): Mark => ({
  projectId: 'p1',
  id: 'mark_1',
  day: 20_000,
  kind: 'release',
  text: 'New “prices” — ok',
  touched: ['/prices', '/docs/*'],
  url: null,
  createdAt: 20_000 * 86_400_000,
  ...changes,
});

export function testMarkStore(engine: Engine): void {
  describe(`marks in the ${engine.name} store`, () => {
    let store: Store;
    const list = (from: number | null = null, to: number | null = null) =>
      store.marks.listMarks({ projectId: 'p1', from, to });

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
    });

    test('are kept by day, once for each id, and go with their project', async () => {
      const merge = mark({ id: 'b', day: 19_999, kind: 'merge', url: 'https://git.example/1', touched: [] });
      expect(await store.marks.addMark(mark())).toBe('added');
      expect(await store.marks.addMark(merge)).toBe('added');
      expect(await store.marks.addMark(mark({ text: 'Again' }))).toBe('repeated');
      expect(await store.marks.addMark(mark({ projectId: 'none' }))).toBe('gone');
      expect(await list()).toEqual([merge, mark()]);
      expect(await list(20_000, 20_001)).toEqual([mark()]);
      expect(await list(20_001)).toEqual([]);
      expect(await list(null, 20_000)).toEqual([merge]);
      expect(await store.marks.removeMark('p2', 'b')).toBe(false);
      expect(await store.marks.removeMark('p1', 'b')).toBe(true);
      expect(await store.marks.removeMark('p1', 'b')).toBe(false);
      await store.removeProject('p1');
      await addProject(store, 'p1');
      expect(await list()).toEqual([]);
    });

    test('are never more than a project may have', async () => {
      const many = Array.from({ length: maxMarks + 5 }, (_, i) => mark({ id: `m${i}` }));
      const outcomes = await Promise.all(many.map((one) => store.marks.addMark(one)));
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(5);
      expect(await list()).toHaveLength(maxMarks);
    });

    test('versions of the rules are noted once by day, and forgotten with the counts of the day', async () => {
      await store.marks.noteRules('none', { day: 1, version: 1 });
      for (const [day, version] of [
        [20_001, 2],
        [20_000, 1],
        [20_001, 2],
        [20_001, 1],
      ] as const)
        await store.marks.noteRules('p1', { day, version });
      const [first, ...later] = [
        { day: 20_000, version: 1 },
        { day: 20_001, version: 1 },
        { day: 20_001, version: 2 },
      ];
      expect(await store.marks.listRules('p1')).toEqual([first, ...later]);
      expect(await store.marks.listRules('none')).toEqual([]);
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view()], []);
      await store.seal('p1', 20_005);
      await store.retention.finish('p1', { details: null, counts: 20_001 });
      expect(await store.marks.listRules('p1')).toEqual(later);
    });

    test('a repaired calendar takes the versions along with the counts', async () => {
      await openDay(store, 'p1', 20_010, anySalt());
      await store.countViews([view({ day: 20_010 })], []);
      for (const version of [1, 2]) await store.marks.noteRules('p1', { day: 20_010, version });
      await store.calendars.repairCalendar({
        ...{ projectId: 'p1', lastDay: 20_003, sealedThrough: 20_001, reopened: [], moveTo: 20_003 },
        forgetBy: Number.MAX_SAFE_INTEGER,
      });
      expect(await store.marks.listRules('p1')).toEqual([
        { day: 20_003, version: 1 },
        { day: 20_003, version: 2 },
      ]);
    });

    test('tell the days of some names apart, open or sealed', async () => {
      const client = { name: 'GPTBot', proof: 'claimed' as const };
      const ai = view({ ...noNames, kind: 'ai', visitor: 9n, client });
      for (const day of [20_000, 20_001, 20_002]) {
        await openDay(store, 'p1', day, anySalt());
        const people = [view({ day, source: 'ChatGPT' }), view({ day, visitor: 2n, source: 'news.example' })];
        await store.countViews([...people, { ...ai, day }, { ...ai, day, path: '/b' }], []);
      }
      await store.seal('p1', 20_001);
      const range = { projectId: 'p1', from: 20_001, to: 20_003 };
      const sums = { visitors: human(1), views: human(1) };
      const sources = { ...range, of: 'source' as const, names: ['ChatGPT', 'Claude'] };
      expect(await store.readNamedDays(sources)).toEqual([
        { day: 20_001, name: 'ChatGPT', ...sums },
        { day: 20_002, name: 'ChatGPT', ...sums },
      ]);
      const clients = await store.readNamedDays({ ...range, of: 'client', names: ['GPTBot'] });
      const both = { visitors: { human: 0, ai: 1, total: 1 }, views: { human: 0, ai: 2, total: 2 } };
      expect(clients).toEqual([
        { day: 20_001, name: 'GPTBot', ...both },
        { day: 20_002, name: 'GPTBot', ...both },
      ]);
      expect(await store.readNamedDays({ ...sources, names: [] })).toEqual([]);
      expect(await store.readNamedDays({ ...sources, projectId: 'none' })).toEqual([]);
    });
  });
}
