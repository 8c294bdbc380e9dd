import { describe, expect, test } from 'vitest';
import type { Engine } from '../../../support/store/engines.ts';
import { dayMs, importedAt, importRun, projectId } from '../../../support/store/import-run.ts';
import { anySalt, view as anyView, human, openDay, query } from '../../../support/views.ts';

export function testImportedDays(engine: Engine): void {
  describe(`days of imports in the ${engine.name} store`, () => {
    const run = importRun(engine);

    test('a sealed day is opened with a salt of its own, and live hits do not get there', async () => {
      const day = await run.open(19_900);
      expect(day.salt.length).toBe(45);
      expect(await run.open(19_900)).toEqual(day);
      expect((await openDay(run.store, projectId, 19_900, anySalt()))?.day).toBe(19_991);
      expect(
        await run.store.imports.openDay('none', 19_900, { salt: anySalt(), forgetAt: importedAt }),
      ).toBeNull();
    });

    test('an open day has the salt and the visitors of live hits', async () => {
      const live = await openDay(run.store, projectId, 19_995, anySalt());
      const day = await run.open(19_995);
      expect(day.salt).toEqual(live?.salt);
      const view = anyView({ day: 19_995 });
      await run.store.countViews([view], []);
      await run.count([day], [{ visitor: 1n }, { visitor: 2n }]);
      await run.store.countViews([{ ...view, visitor: 2n }], []);
      expect(await run.store.readCounts(query())).toMatchObject({
        totals: human(2),
        rows: [{ name: '/', ...human(2) }],
      });
      await run.store.seal(projectId, 19_999);
      expect((await run.store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(4));
    });

    test('sealed days of any age are in every range at once, and are not added again by sealing', async () => {
      const days = await Promise.all([19_712, 19_713, 19_775, 19_904, 19_990].map(run.open));
      await run.count(
        days,
        days.flatMap((_, i) => [{ day: i }, { day: i, visitor: 2n, path: '/a' }]),
      );
      await run.count(days.slice(0, 2), [{ day: 0 }, { day: 1, visitor: 3n }]);
      for (const isSealed of [false, true]) {
        if (isSealed) {
          await run.store.imports.seal(projectId, importedAt + dayMs, []);
          await run.store.seal(projectId, 19_998);
        }
        for (const [from, to, visitors, views] of [
          [null, null, 11, 12],
          [19_712, 19_776, 7, 8],
          [19_712, 19_968, 9, 10],
          [19_713, 19_905, 7, 7],
          [19_990, 19_991, 2, 2],
        ] as const) {
          const range = { from, to };
          expect((await run.store.readCounts(query(range))).totals).toEqual(human(visitors));
          expect((await run.store.readCounts(query({ ...range, measure: 'views' }))).totals).toEqual(
            human(views),
          );
        }
      }
    });

    test('throw-away salts end when they are due, and later with each batch', async () => {
      const [first, second] = [await run.open(19_900), await run.open(19_901)];
      await run.count([first], [{}], { forgetAt: importedAt + 2 * dayMs });
      await run.store.imports.seal(projectId, importedAt + dayMs, []);
      expect((await run.count([first], [{}])).state).toBe('counted');
      expect((await run.count([second], [{}])).state).toBe('changed');
    });

    test('details that are forgotten while an import counts on their day do not come back with its end', async () => {
      const day = await run.open(19_900);
      await run.count([day], [{ path: '/a' }]);
      const visits = { projectId, of: 'entry', from: null, to: null, limit: 1, offset: 0 } as const;
      expect((await run.store.readVisitPages(visits)).rows).toMatchObject([{ path: '/a' }]);
      const cutoffs = { details: 19_901, counts: null };
      while (await run.store.retention.forgetSome(projectId, cutoffs));
      await run.store.retention.finish(projectId, cutoffs);
      for (const done of [[], [19_900]]) {
        await run.store.imports.seal(projectId, importedAt, done);
        expect(await run.store.readVisitPages(visits)).toMatchObject({
          totals: human(0),
          unmeasured: [19_900],
        });
      }
    });

    test.each([
      ['stay', importedAt + 2 * dayMs],
      ['are forgotten by the repair', 0],
    ])(
      'days that a repair takes back keep what an import counted on them, where its salts %s',
      async (_, forgetBy) => {
        const counted = [19_984, 19_988, 19_989].map((day, i) => ({ day, visitors: [3, 5, 7][i] as number }));
        for (const { day, visitors } of counted) {
          const seen = Array.from({ length: visitors }, (_, n) => ({ visitor: BigInt(n + 1) }));
          await run.count([await run.open(day)], seen);
        }
        await run.store.calendars.repairCalendar({
          projectId,
          lastDay: 19_995,
          sealedThrough: 19_987,
          reopened: [19_988, 19_989].map((day) => ({ day, salt: anySalt() })),
          moveTo: null,
          forgetBy,
        });
        const read = async (from: number, to: number) => {
          const { totals } = await run.store.readCounts(query({ from, to }));
          const visits = { projectId, of: 'entry', from, to, limit: 1, offset: 0 } as const;
          return [totals.human, (await run.store.readVisitPages(visits)).totals.human];
        };
        const isAllThere = async () => {
          expect(await read(0, 30_000)).toEqual([15, 15]);
          expect(await read(19_980, 19_988)).toEqual([3, 3]);
          expect(await read(19_988, 19_989)).toEqual([5, 5]);
          expect(await read(19_984, 19_990)).toEqual([15, 15]);
        };
        await isAllThere();
        await run.store.imports.seal(projectId, importedAt + 2 * dayMs, []);
        await isAllThere();
        for (const through of [19_990, 20_300]) {
          await run.store.seal(projectId, through);
          await isAllThere();
        }
      },
    );

    test('tells what days hold and what of it came from logs', async () => {
      await openDay(run.store, projectId, 19_995, anySalt());
      const [old, recent] = [await run.open(19_900), await run.open(19_995)];
      await run.count(
        [old, recent],
        [{ day: 0 }, { day: 1 }, { day: 1, client: { name: 'GPTBot', proof: 'claimed' } }],
      );
      await run.store.imports.seal(projectId, importedAt, [19_900]);
      expect(await run.store.imports.listDays(projectId)).toEqual([
        {
          day: 19_900,
          humanViews: 1,
          aiViews: 0,
          imported: { humanViews: 1, aiViews: 0, lastAt: 19_900 * dayMs + 1 },
          history: null,
          isOpen: false,
        },
        {
          day: 19_995,
          humanViews: 1,
          aiViews: 1,
          imported: { humanViews: 1, aiViews: 1, lastAt: 19_995 * dayMs + 1 },
          history: null,
          isOpen: true,
        },
      ]);
    });
  });
}
