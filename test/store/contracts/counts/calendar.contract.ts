import { describe, expect, test } from 'vitest';
import { visitorKeyOf } from '../../../../server/counting/visitor-key.ts';
import type { Store } from '../../../../server/store/store.ts';
import { addProject, eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt, human, openDay, query, view } from '../../../support/views.ts';

export function testCalendarStore(engine: Engine): void {
  describe(`the calendar in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      await addProject(store, 'p1');
    });

    test('opens no other day in the place of a sealed one', async () => {
      await store.seal('p1', 20_000);
      expect(await openDay(store, 'p1', 19_000, anySalt())).toEqual({ day: 20_001, salt: null });
      expect(await store.listSalts()).toEqual([]);
    });

    test('lists the salts of open days, and replaces those that are still there', async () => {
      const [first, second, third] = [anySalt(), anySalt(), anySalt()];
      await openDay(store, 'p1', 20_000, first);
      const kept = { projectId: 'p1', day: 20_000, salt: first };
      await store.replaceSalts([{ ...kept, by: second }]);
      await store.replaceSalts([{ ...kept, by: third }]);
      expect(await store.listSalts()).toEqual([{ ...kept, salt: second, forgetAt: null }]);
      expect(await openDay(store, 'p1', 20_000, third)).toEqual({ day: 20_000, salt: second });
      await store.imports.openDay('p1', 20_001, { salt: third, forgetAt: 7 });
      expect((await store.listSalts()).map(({ forgetAt }) => forgetAt)).toEqual([null, null]);
      await store.seal('p1', 20_001);
      await store.imports.openDay('p1', 19_000, { salt: third, forgetAt: 7 });
      expect(await store.listSalts()).toEqual([{ projectId: 'p1', day: 19_000, salt: third, forgetAt: 7 }]);
    });

    test('tells how far each project has come', async () => {
      await addProject(store, 'p2');
      await openDay(store, 'p1', 20_000, anySalt());
      await store.countViews([view()], []);
      await store.seal('p1', 19_998);
      expect(await store.listCalendars()).toEqual([
        { projectId: 'p1', newestDay: 20_000, sealedThrough: 19_998 },
        { projectId: 'p2', newestDay: null, sealedThrough: null },
      ]);
      expect(await store.check.findDamage()).toEqual([]);
    });

    test.each([
      [20_003, 'today'],
      [20_001, 'a sealed day'],
      [19_900, 'a sealed day of other blocks'],
      [null, 'nowhere'],
    ])('is taken back with counts moved to %s, %s, and adds up in every range', async (moveTo, _where) => {
      await addProject(store, 'p2');
      const days = [19_900, 20_000, 20_001, 20_002, 20_003, 20_400, 20_401];
      for (const projectId of ['p1', 'p2']) {
        for (const day of days) {
          await openDay(store, projectId, day, anySalt());
          await store.countViews(
            Array.from({ length: day % 7 }, (_, i) => view({ projectId, day, visitor: BigInt(i) })),
            [{ projectId, day, reason: 'too_old', family: '', hits: 1 }],
          );
        }
        await store.seal(projectId, 20_400);
      }
      await store.calendars.repairCalendar({
        projectId: 'p1',
        lastDay: 20_004,
        sealedThrough: 20_001,
        reopened: [20_002, 20_003, 20_004, ...(moveTo ? [moveTo] : [])].map((day) => ({
          day,
          salt: anySalt(),
        })),
        moveTo,
        forgetBy: 0,
      });
      const of = (day: number) => (day > 20_004 && moveTo !== null ? moveTo : day);
      const expected = (from: number, to: number) =>
        days.filter((day) => of(day) >= from && of(day) < to).reduce((sum, day) => sum + (day % 7), 0);
      for (const isSealed of [false, true]) {
        if (isSealed) await store.seal('p1', 20_500);
        else
          expect((await store.listSalts()).map(({ projectId, day }) => `${projectId} ${day}`)).toEqual([
            'p2 20401',
            'p1 20002',
            'p1 20003',
          ]);
        for (const [from, to] of [
          [0, 30_000],
          [19_712, 20_224],
          [19_840, 20_002],
          [19_968, 20_032],
          [20_000, 20_004],
          [20_002, 20_003],
          [20_003, 20_402],
          [20_224, 20_480],
        ] as const) {
          expect((await store.readCounts(query({ from, to }))).totals).toEqual(human(expected(from, to)));
        }
      }
      const hits = (await store.readDropped(query({ to: 20_005 }))).rows[0]?.hits;
      expect(hits).toBe(moveTo === null ? 5 : 7);
      const whole = (await store.readCounts(query({ projectId: 'p2', to: 20_002 }))).totals;
      expect(whole).toEqual(human((19_900 % 7) + (20_000 % 7) + (20_001 % 7)));
      expect((await openDay(store, 'p1', 20_010, anySalt()))?.day).toBe(20_501);
    });

    test.each([20_003, null])(
      'that is taken back keeps the passages that visitors of later days shared, moved to %s, and nothing of the visitors',
      async (moveTo) => {
        const landed = (visitor: bigint, passage: string, day: number) =>
          view({ visitor, day, counters: [visitorKeyOf(visitor, 'Google', passage, '/a')] });
        for (const day of [20_003, 20_400]) await openDay(store, 'p1', day, anySalt());
        await store.countViews(
          [
            ...[1n, 2n].map((visitor) => landed(visitor, 'before', 20_003)),
            ...[1n, 2n, 3n].map((visitor) => landed(visitor, 'shared', 20_400)),
            landed(4n, 'rare', 20_400),
          ],
          [],
        );
        const repair = { projectId: 'p1', lastDay: 20_004, sealedThrough: 20_001, reopened: [], moveTo };
        await store.calendars.repairCalendar({ ...repair, forgetBy: 0 });
        const read = async (counter: 'text-fragments' | 'text-fragment-visitors', from: number) => {
          const range = { projectId: 'p1', counter, from, to: null, limit: 10, offset: 0 };
          return (await store.readCounter(range)).rows.map(({ group }) => group.split('\t').at(-1));
        };
        expect(await read('text-fragments', 0)).toEqual(['shared']);
        expect(await read('text-fragments', 20_004)).toEqual(moveTo === null ? ['shared'] : []);
        expect(await read('text-fragment-visitors', 0)).toEqual(['before', 'before']);
      },
    );
  });
}
