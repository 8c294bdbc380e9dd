import { describe, expect, test } from 'vitest';
import type { SearchPeriod, SearchRow } from '../../../../server/store/searches.ts';
import type { Store } from '../../../../server/store/store.ts';
import { projectSettings } from '../../../../shared/project/project.ts';
import { eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, openDay, view } from '../../../support/views.ts';

const row = (name: string, changes: Partial<SearchRow> = {}): SearchRow => ({
  ...{ name, clicks: 1, impressions: 10, positions: 2500, citations: 0, pages: null },
  ...changes,
});

export function testSearchStore(engine: Engine): void {
  describe(`numbers of search engines in the ${engine.name} store`, () => {
    let store: Store;
    const all = { projectId: 'p1', from: null, to: null };
    const of = (changes: Partial<SearchPeriod> = {}): SearchPeriod => ({
      ...{ tool: 'search-console', kind: 'query', from: 20_000, to: 20_000 },
      ...changes,
    });
    const set = (period: SearchPeriod, ...rows: SearchRow[]) => store.searches.setPeriod('p1', period, rows);
    const names = (changes: object = {}) =>
      store.searches.listNames({
        ...{ projectId: 'p1', kind: 'query', limit: 10, offset: 0 },
        chosen: [{ tool: 'search-console', from: 20_000, to: 20_005, isByDay: true }],
        ...changes,
      });

    eachStore(engine, async (opened) => {
      store = opened;
      const settings = projectSettings.parse({ name: 'Search' });
      await store.addProject({ id: 'p1', settings, createdAt: '' }, []);
    });

    test('are kept once, and replaced by what is given later', async () => {
      expect(await set(of(), row('tea'), row('“Tee” 茶'))).toBe('added');
      expect(await set(of(), row('“Tee” 茶'), row('tea'))).toBe('same');
      expect(await set(of(), row('tea', { clicks: 2 }))).toBe('replaced');
      expect(await store.searches.setPeriod('none', of(), [row('tea')])).toBe('gone');
      expect(await names()).toEqual([
        {
          ...{ tool: 'search-console', name: 'tea', from: 20_000, to: 20_005, clicks: 2, impressions: 10 },
          ...{ placed: 10, positions: 2500, citations: 0 },
        },
      ]);
      await store.removeProject('p1');
      expect(await store.searches.listPeriods(all)).toEqual([]);
    });

    test('of days are added up by name, those of a range stand by themselves', async () => {
      await set(of(), row('tea'), row('cup', { clicks: 5, positions: null }));
      await set(of({ from: 20_001, to: 20_001 }), row('tea', { clicks: 7, positions: 500 }));
      await set(of({ from: 19_990, to: 20_001 }), row('tea', { clicks: 100 }));
      await set(of({ tool: 'bing' }), row('tea', { clicks: 50 }));
      const byName = (rows: Awaited<ReturnType<typeof names>>) =>
        rows.map(({ tool, name, clicks, placed, positions }) => [tool, name, clicks, placed, positions]);
      expect(byName(await names())).toEqual([
        ['search-console', 'tea', 8, 20, 3000],
        ['search-console', 'cup', 5, 0, null],
      ]);
      const range = { tool: 'search-console', from: 19_990, to: 20_001, isByDay: false } as const;
      const chosen = [range, { tool: 'bing', from: 20_000, to: 20_000, isByDay: true } as const];
      expect(byName(await names({ chosen }))).toEqual([
        ['search-console', 'tea', 100, 10, 2500],
        ['bing', 'tea', 50, 10, 2500],
      ]);
      expect(byName(await names({ chosen, limit: 1, offset: 1 }))).toEqual([['bing', 'tea', 50, 10, 2500]]);
      expect(await names({ chosen: [] })).toEqual([]);
      expect(await store.searches.listPeriods({ ...all, from: 20_001 })).toEqual([
        of({ from: 19_990, to: 20_001 }),
        of({ from: 20_001, to: 20_001 }),
      ]);
      expect(await store.searches.listPeriods({ ...all, to: 20_000 })).toEqual([
        of({ from: 19_990, to: 20_001 }),
      ]);
    });

    test('of the site come by day', async () => {
      const site = row('', { clicks: 0, citations: 9, pages: 3, positions: null });
      await set(of({ kind: 'site', tool: 'bing-ai' }), site);
      await set(of({ kind: 'site', from: 20_001, to: 20_001 }), row(''));
      await set(of({ kind: 'site', from: 19_000, to: 20_001 }), row(''));
      const { name: _, ...numbers } = site;
      const [first] = await store.searches.listDays({ ...all, to: 20_001 });
      expect(first).toEqual({ ...numbers, tool: 'bing-ai', day: 20_000 });
      expect((await store.searches.listDays(all)).map(({ day }) => day)).toEqual([20_000, 20_001]);
      expect(await store.searches.listDays({ ...all, projectId: 'none' })).toEqual([]);
    });

    test('of a tool go all at once', async () => {
      await set(of(), row('tea'), row('cup'));
      await set(of({ kind: 'page' }), row('/'));
      await set(of({ tool: 'bing' }), row('tea'));
      expect(await store.searches.removeTool('p1', 'search-console')).toBe(2);
      expect(await store.searches.removeTool('p1', 'search-console')).toBe(0);
      expect(await store.searches.listPeriods(all)).toEqual([of({ tool: 'bing' })]);
    });

    test('of pages go where their paths go, or are forgotten with them', async () => {
      const pages = of({ kind: 'page' });
      await set(pages, row('/a'), row('/b'), row('/secret'), row('/other'));
      await set(of(), row('/secret'));
      expect(await store.paths.listCounted('p1', '/b', 10)).toEqual(['/other', '/secret']);
      await store.paths.move('p1', [
        { from: '/a', to: '/b' },
        { from: '/secret', to: null },
      ]);
      const left = await names({ kind: 'page' });
      expect(left.map(({ name, clicks, positions }) => [name, clicks, positions])).toEqual([
        ['/b', 2, 5000],
        ['/other', 1, 2500],
      ]);
      expect(await names()).toHaveLength(1);
    });

    test('go with the counts that are older than a project keeps them', async () => {
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view()], []);
      await store.seal('p1', 20_005);
      await set(of(), row('tea'));
      await set(of({ from: 19_990, to: 20_001 }), row('tea'));
      await store.retention.finish('p1', { details: null, counts: 20_001 });
      expect(await store.searches.listPeriods(all)).toEqual([of({ from: 19_990, to: 20_001 })]);
    });
  });
}
