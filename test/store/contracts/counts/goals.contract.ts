import { describe, expect, test } from 'vitest';
import type { View } from '../../../../server/counting/view.ts';
import type { ConversionQuery } from '../../../../server/store/counts/analytics-store.ts';
import type { Store } from '../../../../server/store/store.ts';
import { projectSettings } from '../../../../shared/project/project.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, openDay, view } from '../../../support/views.ts';

const all = { projectId: 'p1', from: null, to: null, limit: 50, offset: 0 };
const later = { day: 20_001 };

export function testGoals(engine: Engine): void {
  describe(`goals in the ${engine.name} store`, () => {
    let store: Store;

    const setGoals = (...goals: string[]) =>
      store.setProject('p1', projectSettings.parse({ name: 'p1', goals }));

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
      for (const day of [20_000, 20_001]) await openDay(store, 'p1', day, anySalt());
    });

    const count = (...views: Partial<View>[]) =>
      store.countViews(
        views.map((one) => view({ hasGoals: true, ...one })),
        [],
      );
    const event = (name: string, more: Partial<View> = {}) => ({ event: { name, properties: [] }, ...more });
    const goals = async (query = {}) => (await store.readGoals({ ...all, ...query })).rows;
    const conversions = async (query: Partial<ConversionQuery>) =>
      store.readConversions({ ...all, goal: 'Sign up', by: 'source', ...query });
    const rows = async (query: Partial<ConversionQuery>) =>
      (await conversions(query)).rows.map(({ name, people, conversions }) => [name, people, conversions]);

    test('are reached once by a person of a day, from where its visit began, whatever comes in first', async () => {
      await setGoals('Sign up', '/thanks');
      const phone = { device: 'mobile' };
      await count(event('Sign up', { moment: 30 }), event('Sign up', { moment: 40 }));
      await count(
        { ...phone, path: '/thanks', moment: 20, source: null },
        { ...phone, path: '/b', moment: 9, source: 'B', country: 'DE' },
      );
      await count({ ...phone, path: '/a', moment: 5, source: 'A', country: 'DE' });
      await count({ visitor: 2n, path: '/a', moment: 1, source: 'A', country: 'FR' });
      await count({ visitor: 3n, path: '/thanks', kind: 'ai', client: { name: 'GPTBot', proof: 'claimed' } });
      for (const through of [19_999, 20_000]) {
        await store.seal('p1', through);
        expect(await goals()).toEqual([
          { goal: 'Sign up', people: 2, conversions: 1, measured: 1, unmeasured: [] },
          { goal: '/thanks', people: 2, conversions: 1, measured: 1, unmeasured: [] },
        ]);
        expect(await rows({})).toEqual([['A', 2, 1]]);
        expect(await rows({ by: 'path' })).toEqual([['/a', 2, 1]]);
        expect(await rows({ by: 'country', goal: '/thanks' })).toEqual([['DE', 1, 1]]);
        for (const goal of ['Sign up', '/thanks'])
          expect(await rows({ by: 'device', goal })).toEqual([['mobile', 1, 1]]);
      }
    });

    test('add up over open and sealed days, in pages, as searched for', async () => {
      await setGoals('Sign up', '/docs/**');
      for (const visitor of [1n, 2n]) await count({ visitor, source: 'A' }, event('Sign up', { visitor }));
      await count({ visitor: 3n, source: 'B' }, event('Sign up', { visitor: 3n }));
      await store.seal('p1', 20_000);
      await count({ ...later, source: 'B', path: '/docs/a/b' }, event('Sign up', later), {
        ...later,
        visitor: 2n,
      });
      expect(await goals()).toMatchObject([
        { people: 5, conversions: 4, measured: 2 },
        { people: 5, conversions: 1, measured: 2 },
      ]);
      expect(await rows({})).toEqual([
        ['A', 2, 2],
        ['B', 2, 2],
      ]);
      expect(await conversions({ limit: 1 })).toMatchObject({ rows: [{ name: 'A' }], hasMore: true });
      expect(await rows({ limit: 1, offset: 1 })).toEqual([['B', 2, 2]]);
      expect(await rows({ search: 'b' })).toEqual([['B', 2, 2]]);
      expect(await rows({ from: 20_001 })).toEqual([['B', 1, 1]]);
      expect(await conversions({ by: 'device' })).toMatchObject({
        totals: { people: 5, conversions: 4, measured: 2, unmeasured: [] },
        rows: [{ name: 'desktop', people: 5, conversions: 4 }],
      });
      expect(await goals({ search: 'SIGN' })).toMatchObject([{ goal: 'Sign up' }]);
    });

    test('that are globs are measured on earlier days, but sealed ones on which people may have viewed several of their pages', async () => {
      const read = { 1: ['/docs/a', '/docs/b'], 2: ['/', '/x'], 3: ['/', '/x'] };
      for (const [visitor, paths] of Object.entries(read))
        await count(...paths.map((path) => ({ visitor: BigInt(visitor), path, hasGoals: false })));
      await setGoals('/docs/*');
      await count({ ...later, path: '/docs/a', source: 'B' });
      expect(await goals()).toEqual([
        { goal: '/docs/*', people: 4, conversions: 2, measured: 2, unmeasured: [] },
      ]);
      expect(await rows({ goal: '/docs/*' })).toEqual([['B', 1, 1]]);
      await store.seal('p1', 20_001);
      await setGoals('/docs/*', '/**');
      expect(await goals()).toEqual([
        { goal: '/docs/*', people: 1, conversions: 1, measured: 1, unmeasured: [20_000] },
        { goal: '/**', people: 4, conversions: 4, measured: 2, unmeasured: [] },
      ]);
      expect(await rows({ goal: '/**', by: 'path' })).toEqual([]);
    });

    test('that are a page or an event are measured on such days, too', async () => {
      await count({ source: 'A', hasGoals: false });
      await setGoals('/docs/*');
      await count(event('Sign up', later), { ...later, source: 'B' });
      await store.seal('p1', 20_001);
      await setGoals('Sign up', '/');
      expect(await goals()).toMatchObject([
        { goal: 'Sign up', conversions: 1, measured: 2, unmeasured: [] },
        { goal: '/', conversions: 2, measured: 2, unmeasured: [] },
      ]);
    });

    test('stand in a funnel one after the other, on one day, in whatever order views come in', async () => {
      const funnels = ['/ > /cart > Order', '/** > /cart'];
      await store.setProject('p1', projectSettings.parse({ name: 'p1', funnels }));
      await count(event('Order', { moment: 9 }), { path: '/cart', moment: 5 }, { moment: 1 });
      await count({ visitor: 2n, path: '/cart', moment: 1 }, { visitor: 2n, path: '/', moment: 2 });
      await count({ visitor: 3n, moment: 4 }, { visitor: 3n, path: '/cart', moment: 4 });
      await count(
        { ...later, visitor: 3n, path: '/cart', moment: 1 },
        event('Order', { ...later, visitor: 3n }),
      );
      for (const through of [19_999, 20_000, 20_001]) {
        await store.seal('p1', through);
        const { rows } = await store.readFunnels(all);
        expect(rows.map(({ funnel, step, goal, conversions }) => [funnel, step, goal, conversions])).toEqual([
          [funnels[0], 1, '/', 3],
          [funnels[0], 2, '/cart', 2],
          [funnels[0], 3, 'Order', 1],
          [funnels[1], 1, '/**', 4],
          [funnels[1], 2, '/cart', 4],
        ]);
        expect(rows[0]).toMatchObject({ people: 4, measured: 2, unmeasured: [] });
      }
      expect((await store.readFunnels({ ...all, search: '**', limit: 1, offset: 1 })).rows).toMatchObject([
        { step: 2 },
      ]);
    });

    test.each([
      ['/order/*/', '/order/1'],
      ['/order/**/', '/order/1/2'],
      ['/café/*', '/caf%C3%A9/x'],
      ['/{caf%c3%a9,tea}/', '/tea'],
      ['/%7Eanna/*', '/~anna/x'],
      ['/wiki/Foo_(bar)/', '/wiki/Foo_(bar)'],
      ['/wiki/[größe]', '/wiki/[gr%C3%B6%C3%9Fe]'],
      ['/[a-c]/x', '/b/x'],
      ['/list/?page=2', '/list?page=2'],
      ['/a\\*/', '/a*'],
    ])('%s is reached by %s, as goal and as step of a funnel', async (goal, path) => {
      const funnels = [`${goal} > Order`];
      await store.setProject('p1', projectSettings.parse({ name: 'p1', goals: [goal], funnels }));
      await count({ path, moment: 1 }, { visitor: 2n, path: '/other/x' }, event('Order', { moment: 2 }));
      for (const through of [19_999, 20_000]) {
        await store.seal('p1', through);
        expect(await goals()).toMatchObject([{ goal, people: 2, conversions: 1 }]);
        expect((await store.readFunnels(all)).rows).toMatchObject([{ conversions: 1 }, { conversions: 1 }]);
      }
    });

    test('go with paths that are moved, on open days and on sealed ones', async () => {
      await setGoals('Sign up', '/:id');
      await count({ path: '/1', moment: 1 }, { path: '/2', moment: 2 }, event('Sign up'));
      await count({ ...later, path: '/2' }, event('Sign up', later));
      await store.seal('p1', 20_000);
      await store.paths.move('p1', [
        { from: '/1', to: '/:id' },
        { from: '/2', to: '/:id' },
      ]);
      expect(await rows({ by: 'path' })).toEqual([['/:id', 2, 2]]);
      expect(await goals({ from: 20_001 })).toMatchObject([
        { conversions: 1 },
        { goal: '/:id', conversions: 1 },
      ]);
    });

    test('are forgotten with the details of their day, which is not measured then', async () => {
      await setGoals('Sign up');
      await count({ source: 'A' }, event('Sign up'));
      await count({ ...later, source: 'A' });
      await store.seal('p1', 20_001);
      while (await store.retention.forgetSome('p1', { details: 20_001, counts: null }));
      await store.retention.finish('p1', { details: 20_001, counts: null });
      expect(await goals()).toEqual([
        { goal: 'Sign up', people: 1, conversions: 0, measured: 1, unmeasured: [20_000] },
      ]);
    });
  });
}
