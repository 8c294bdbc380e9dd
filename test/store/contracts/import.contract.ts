import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { intern } from '../../../server/counting/interned.ts';
import type { SeenClient } from '../../../server/counting/view.ts';
import type { ImportDay, LogBatch, LoggedView, LogProgress } from '../../../server/store/import-store.ts';
import type { Store } from '../../../server/store/store.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import type { Engine } from '../../support/store/engines.ts';
import { anySalt, view as anyView, human, query } from '../../support/views.ts';

const projectId = 'p1';
const dayMs = 86_400_000;

type Seen = { day?: number; visitor?: bigint; path?: string; client?: SeenClient };

const noPlaceOrCampaign = {
  ...{ region: null, city: null },
  ...{ utmCampaign: null, utmSource: null, utmMedium: null, ref: null },
};

/** A path each, for the sake of short tests. */
const logged = ({ day = 0, visitor = 1n, path = '/', client }: Seen): LoggedView => ({
  day,
  visitor,
  network: Number(visitor),
  kind: client ? 'ai' : 'human',
  path: intern(path),
  hour: null,
  moment: 0,
  client: client ? intern(client) : null,
  source: intern('(direct)'),
  ...noPlaceOrCampaign,
  country: intern('DE'),
  language: intern('de'),
  device: intern('desktop'),
  browser: intern('Firefox'),
  system: intern('Linux'),
});

const log = (changes: Partial<LogProgress> = {}): LogProgress => ({
  id: null,
  headLength: 3,
  headHash: Uint8Array.of(1, 2, 3),
  from: 0,
  bytes: 100,
  lines: 2,
  ...changes,
});

export function testImportStore(engine: Engine): void {
  describe(`imports in the ${engine.name} store`, () => {
    let store: Store;
    const now = 20_000 * dayMs;

    beforeEach(async () => {
      await engine.prepare();
      store = await engine.open();
      const settings = projectSettings.parse({ name: 'Logs' });
      await store.addProject({ id: projectId, settings, createdAt: '2026-01-01T00:00:00.000Z' }, []);
      await store.seal(projectId, 19_990);
    });
    afterEach(async () => {
      await store.close();
      await engine.cleanUp();
    });

    const open = async (day: number): Promise<ImportDay> => {
      const opened = await store.imports.openDay(projectId, day, { salt: anySalt(), forgetAt: now + dayMs });
      if (opened === null || opened === 'history') throw new Error(`Day ${day} was not opened.`);
      return opened;
    };
    const count = (days: ImportDay[], seen: Seen[], changes: Partial<LogBatch> = {}, by: Store = store) => {
      const batch = by.imports.newBatch();
      for (const view of seen) batch.add(logged(view));
      return batch.count({
        projectId,
        days: days.map((day) => ({ ...day, lastAt: day.day * dayMs + 1 })),
        dropped: [],
        logs: [],
        knownLogs: 0,
        forgetAt: now + dayMs,
        ...changes,
      });
    };

    test('details that are forgotten while an import counts on their day do not come back with its end', async () => {
      const day = await open(19_900);
      await count([day], [{ path: '/a' }]);
      const visits = { projectId, of: 'entry', from: null, to: null, limit: 1, offset: 0 } as const;
      expect((await store.readVisitPages(visits)).rows).toMatchObject([{ path: '/a' }]);
      const cutoffs = { details: 19_901, counts: null };
      while (await store.retention.forgetSome(projectId, cutoffs));
      await store.retention.finish(projectId, cutoffs);
      for (const done of [[], [19_900]]) {
        await store.imports.seal(projectId, now, done);
        expect(await store.readVisitPages(visits)).toMatchObject({ totals: human(0), unmeasured: [19_900] });
      }
    });

    test.each([
      ['stay', now + 2 * dayMs],
      ['are forgotten by the repair', 0],
    ])(
      'days that a repair takes back keep what an import counted on them, where its salts %s',
      async (_, forgetBy) => {
        const counted = [19_984, 19_988, 19_989].map((day, i) => ({ day, visitors: [3, 5, 7][i] as number }));
        for (const { day, visitors } of counted) {
          const seen = Array.from({ length: visitors }, (_, n) => ({ visitor: BigInt(n + 1) }));
          await count([await open(day)], seen);
        }
        await store.check.repairCalendar({
          projectId,
          lastDay: 19_995,
          sealedThrough: 19_987,
          reopened: [19_988, 19_989].map((day) => ({ day, salt: anySalt() })),
          moveTo: null,
          forgetBy,
        });
        const read = async (from: number, to: number) => {
          const { totals } = await store.readCounts(query({ from, to }));
          const visits = { projectId, of: 'entry', from, to, limit: 1, offset: 0 } as const;
          return [totals.human, (await store.readVisitPages(visits)).totals.human];
        };
        const isAllThere = async () => {
          expect(await read(0, 30_000)).toEqual([15, 15]);
          expect(await read(19_980, 19_988)).toEqual([3, 3]);
          expect(await read(19_988, 19_989)).toEqual([5, 5]);
          expect(await read(19_984, 19_990)).toEqual([15, 15]);
        };
        await isAllThere();
        await store.imports.seal(projectId, now + 2 * dayMs, []);
        await isAllThere();
        for (const through of [19_990, 20_300]) {
          await store.seal(projectId, through);
          await isAllThere();
        }
      },
    );

    test('a sealed day is opened with a salt of its own, and live hits do not get there', async () => {
      const day = await open(19_900);
      expect(day.salt.length).toBe(45);
      expect(await open(19_900)).toEqual(day);
      expect((await store.openDay(projectId, 19_900, anySalt()))?.day).toBe(19_991);
      expect(await store.imports.openDay('none', 19_900, { salt: anySalt(), forgetAt: now })).toBeNull();
    });

    test('an open day has the salt and the visitors of live hits', async () => {
      const live = await store.openDay(projectId, 19_995, anySalt());
      const day = await open(19_995);
      expect(day.salt).toEqual(live?.salt);
      const view = anyView({ day: 19_995 });
      await store.countViews([view], []);
      await count([day], [{ visitor: 1n }, { visitor: 2n }]);
      await store.countViews([{ ...view, visitor: 2n }], []);
      expect(await store.readCounts(query())).toMatchObject({
        totals: human(2),
        rows: [{ name: '/', ...human(2) }],
      });
      await store.seal(projectId, 19_999);
      expect((await store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(4));
    });

    test('sealed days of any age are in every range at once, and are not added again by sealing', async () => {
      const days = await Promise.all([19_712, 19_713, 19_775, 19_904, 19_990].map(open));
      await count(
        days,
        days.flatMap((_, i) => [{ day: i }, { day: i, visitor: 2n, path: '/a' }]),
      );
      await count(days.slice(0, 2), [{ day: 0 }, { day: 1, visitor: 3n }]);
      for (const isSealed of [false, true]) {
        if (isSealed) {
          await store.imports.seal(projectId, now + dayMs, []);
          await store.seal(projectId, 19_998);
        }
        for (const [from, to, visitors, views] of [
          [null, null, 11, 12],
          [19_712, 19_776, 7, 8],
          [19_712, 19_968, 9, 10],
          [19_713, 19_905, 7, 7],
          [19_990, 19_991, 2, 2],
        ] as const) {
          const range = { from, to };
          expect((await store.readCounts(query(range))).totals).toEqual(human(visitors));
          expect((await store.readCounts(query({ ...range, measure: 'views' }))).totals).toEqual(
            human(views),
          );
        }
      }
    });

    test('counts sources, countries, traits and AI clients as live hits are counted', async () => {
      const day = await open(19_900);
      const claimed: SeenClient = { name: 'GPTBot', proof: 'claimed' };
      const verified: SeenClient = { name: 'GPTBot', proof: 'verified' };
      await count(
        [day],
        [{}, { visitor: 2n, client: claimed }, { visitor: 2n, client: verified, path: '/a' }],
      );
      const both = { human: 1, ai: 1, total: 2 };
      for (const [dimension, name] of [
        ['source', '(direct)'],
        ['country', 'DE'],
        ['language', 'de'],
        ['device', 'desktop'],
        ['browser', 'Firefox'],
        ['system', 'Linux'],
      ] as const) {
        expect((await store.readCounts(query({ dimension }))).rows).toEqual([{ name, ...both }]);
      }
      expect((await store.readClients(query())).rows).toEqual([
        { ...claimed, visitors: 1, views: 1 },
        { ...verified, visitors: 1, views: 1 },
      ]);
      expect((await store.readClientPaths(query(), 'GPTBot')).rows).toEqual([
        { path: '/', visitors: 1, views: 1 },
        { path: '/a', visitors: 1, views: 1 },
      ]);
    });

    test('keeps how far each log is counted, and what was dropped, with the counts', async () => {
      const day = await open(19_900);
      const dropped = [{ day: 19_900, reason: 'bot' as const, family: 'seo', hits: 3 }];
      const first = await count([day], [{}], { logs: [log()], dropped });
      if (first.state !== 'counted') throw new Error('It was not counted.');
      const [id] = first.ids;
      expect(await store.imports.listLogs(projectId)).toEqual([
        { id, headLength: 3, headHash: Uint8Array.of(1, 2, 3), bytes: 100, lines: 2 },
      ]);
      await count([day], [{}], {
        logs: [log({ id: id ?? 0, from: 100, bytes: 250, lines: 5 })],
        knownLogs: 1,
      });
      expect(await store.imports.listLogs(projectId)).toMatchObject([{ bytes: 250, lines: 5 }]);
      expect((await store.readDropped(query())).rows).toEqual([{ reason: 'bot', family: 'seo', hits: 3 }]);
    });

    test('counts nothing where somebody else has read on, or a day was forgotten', async () => {
      const other = await engine.open();
      const day = await open(19_900);
      expect((await count([day], [{}], { logs: [log()] })).state).toBe('counted');
      // A log that seems new, though another one came meanwhile; one that is counted further; a day without its salt.
      expect((await count([day], [{}], { logs: [log()] })).state).toBe('changed');
      const [known] = await other.imports.listLogs(projectId);
      const moved = { logs: [log({ id: known?.id ?? 0, from: 50 })], knownLogs: 1 };
      expect((await count([day], [{}], moved)).state).toBe('changed');
      await other.imports.seal(projectId, now, [19_900]);
      expect((await count([day], [{}])).state).toBe('changed');
      expect((await store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(1));
      expect((await open(19_900)).id).not.toBe(day.id);
      await other.close();
    });

    test('counts once what two processes begin at the same time', async () => {
      const other = await engine.open();
      const day = await open(19_900);
      // One read more of the log's beginning than the other before it counted.
      const heads = [{}, { headLength: 4, headHash: Uint8Array.of(1, 2, 3, 4) }];
      const receipts = await Promise.all(
        [store, other].map((each, i) => count([day], [{}], { logs: [log(heads[i])] }, each)),
      );
      expect(receipts.map(({ state }) => state).sort()).toEqual(['changed', 'counted']);
      expect((await store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(1));
      await other.close();
    });

    test('tells what days hold and what of it came from logs', async () => {
      await store.openDay(projectId, 19_995, anySalt());
      const [old, recent] = [await open(19_900), await open(19_995)];
      await count(
        [old, recent],
        [{ day: 0 }, { day: 1 }, { day: 1, client: { name: 'GPTBot', proof: 'claimed' } }],
      );
      await store.imports.seal(projectId, now, [19_900]);
      expect(await store.imports.listDays(projectId)).toEqual([
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

    test('throw-away salts end when they are due, and later with each batch', async () => {
      const [first, second] = [await open(19_900), await open(19_901)];
      await count([first], [{}], { forgetAt: now + 2 * dayMs });
      await store.imports.seal(projectId, now + dayMs, []);
      expect((await count([first], [{}])).state).toBe('counted');
      expect((await count([second], [{}])).state).toBe('changed');
    });

    test('a removed project takes its logs along', async () => {
      const day = await open(19_900);
      await count([day], [{}], { logs: [log()] });
      await store.removeProject(projectId);
      expect(await store.imports.listLogs(projectId)).toEqual([]);
      expect((await count([day], [{}])).state).toBe('changed');
    });
  });
}
