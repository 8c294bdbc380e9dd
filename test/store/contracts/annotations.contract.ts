import { describe, expect, test } from 'vitest';
import { type Annotation, maxAnnotations } from '../../../server/store/annotations.ts';
import type { Store } from '../../../server/store/store.ts';
import { addProject, eachStore } from '../../support/store/each-store.ts';
import type { Engine } from '../../support/store/engines.ts';
import { anySalt, human, noNames, openDay, view } from '../../support/views.ts';

const annotation = (changes: Partial<Annotation> = {}): Annotation => ({
  projectId: 'p1',
  id: 'annotation_1',
  day: 20_000,
  kind: 'release',
  text: 'New “prices” — ok',
  affected: ['/prices', '/docs/*'],
  url: null,
  createdAt: 20_000 * 86_400_000,
  ...changes,
});

export function testAnnotationStore(engine: Engine): void {
  describe(`annotations in the ${engine.name} store`, () => {
    let store: Store;
    const list = (from: number | null = null, to: number | null = null) =>
      store.annotations.listAnnotations({ projectId: 'p1', from, to });

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
    });

    test('are kept by day, once for each id, and go with their project', async () => {
      const merge = annotation({
        id: 'b',
        day: 19_999,
        kind: 'merge',
        url: 'https://git.example/1',
        affected: [],
      });
      expect(await store.annotations.addAnnotation(annotation())).toBe('added');
      expect(await store.annotations.addAnnotation(merge)).toBe('added');
      expect(await store.annotations.addAnnotation(annotation({ text: 'Again' }))).toBe('repeated');
      expect(await store.annotations.addAnnotation(annotation({ projectId: 'none' }))).toBe('gone');
      expect(await list()).toEqual([merge, annotation()]);
      expect(await list(20_000, 20_001)).toEqual([annotation()]);
      expect(await list(20_001)).toEqual([]);
      expect(await list(null, 20_000)).toEqual([merge]);
      expect(await store.annotations.removeAnnotation('p2', 'b')).toBe(false);
      expect(await store.annotations.removeAnnotation('p1', 'b')).toBe(true);
      expect(await store.annotations.removeAnnotation('p1', 'b')).toBe(false);
      await store.removeProject('p1');
      await addProject(store, 'p1');
      expect(await list()).toEqual([]);
    });

    test('are never more than a project may have', async () => {
      const many = Array.from({ length: maxAnnotations + 5 }, (_, i) => annotation({ id: `m${i}` }));
      const outcomes = await Promise.all(many.map((one) => store.annotations.addAnnotation(one)));
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(5);
      expect(await list()).toHaveLength(maxAnnotations);
    });

    test('versions of the rules are noted once by day, and forgotten with the counts of the day', async () => {
      await store.annotations.noteRules('none', { day: 1, version: 1 });
      for (const [day, version] of [
        [20_001, 2],
        [20_000, 1],
        [20_001, 2],
        [20_001, 1],
      ] as const)
        await store.annotations.noteRules('p1', { day, version });
      const [first, ...later] = [
        { day: 20_000, version: 1 },
        { day: 20_001, version: 1 },
        { day: 20_001, version: 2 },
      ];
      expect(await store.annotations.listRules('p1')).toEqual([first, ...later]);
      expect(await store.annotations.listRules('none')).toEqual([]);
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view()], []);
      await store.seal('p1', 20_005);
      await store.retention.finish('p1', { details: null, counts: 20_001 });
      expect(await store.annotations.listRules('p1')).toEqual(later);
    });

    test('a repaired calendar takes the versions along with the counts', async () => {
      await openDay(store, 'p1', 20_010, anySalt());
      await store.countViews([view({ day: 20_010 })], []);
      for (const version of [1, 2]) await store.annotations.noteRules('p1', { day: 20_010, version });
      await store.calendars.repairCalendar({
        ...{ projectId: 'p1', lastDay: 20_003, sealedThrough: 20_001, reopened: [], moveTo: 20_003 },
        forgetBy: Number.MAX_SAFE_INTEGER,
      });
      expect(await store.annotations.listRules('p1')).toEqual([
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
