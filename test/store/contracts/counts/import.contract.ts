import { describe, expect, test } from 'vitest';
import type { SeenClient } from '../../../../server/counting/view.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { importedAt, importRun, log, projectId } from '../../../support/store/import-run.ts';
import { human, query } from '../../../support/views.ts';

export function testImportStore(engine: Engine): void {
  describe(`imports in the ${engine.name} store`, () => {
    const run = importRun(engine);

    test('counts sources, countries, traits and AI clients as live hits are counted', async () => {
      const day = await run.open(19_900);
      const claimed: SeenClient = { name: 'GPTBot', proof: 'claimed' };
      const verified: SeenClient = { name: 'GPTBot', proof: 'verified' };
      await run.count(
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
        expect((await run.store.readCounts(query({ dimension }))).rows).toEqual([{ name, ...both }]);
      }
      expect((await run.store.readClients(query())).rows).toEqual([
        { ...claimed, visitors: 1, views: 1 },
        { ...verified, visitors: 1, views: 1 },
      ]);
      expect((await run.store.readClientPaths(query(), 'GPTBot')).rows).toEqual([
        { path: '/', visitors: 1, views: 1 },
        { path: '/a', visitors: 1, views: 1 },
      ]);
    });

    test('keeps how far each log is counted, and what was dropped, with the counts', async () => {
      const day = await run.open(19_900);
      const dropped = [{ day: 19_900, reason: 'bot' as const, family: 'seo', hits: 3 }];
      const first = await run.count([day], [{}], { logs: [log()], dropped });
      if (first.state !== 'counted') throw new Error('It was not counted.');
      const [id] = first.ids;
      expect(await run.store.imports.listLogs(projectId)).toEqual([
        { id, headLength: 3, headHash: Uint8Array.of(1, 2, 3), bytes: 100, lines: 2 },
      ]);
      await run.count([day], [{}], {
        logs: [log({ id: id ?? 0, from: 100, bytes: 250, lines: 5 })],
        knownLogs: 1,
      });
      expect(await run.store.imports.listLogs(projectId)).toMatchObject([{ bytes: 250, lines: 5 }]);
      expect((await run.store.readDropped(query())).rows).toEqual([
        { reason: 'bot', family: 'seo', hits: 3 },
      ]);
    });

    test('counts nothing where somebody else has read on, or a day was forgotten', async () => {
      const other = await engine.open();
      const day = await run.open(19_900);
      expect((await run.count([day], [{}], { logs: [log()] })).state).toBe('counted');
      // A log that seems new, though another one came meanwhile; one that is counted further; a day without its salt.
      expect((await run.count([day], [{}], { logs: [log()] })).state).toBe('changed');
      const [known] = await other.imports.listLogs(projectId);
      const moved = { logs: [log({ id: known?.id ?? 0, from: 50 })], knownLogs: 1 };
      expect((await run.count([day], [{}], moved)).state).toBe('changed');
      await other.imports.seal(projectId, importedAt, [19_900]);
      expect((await run.count([day], [{}])).state).toBe('changed');
      expect((await run.store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(1));
      expect((await run.open(19_900)).id).not.toBe(day.id);
      await other.close();
    });

    test('counts once what two processes begin at the same time', async () => {
      const other = await engine.open();
      const day = await run.open(19_900);
      // One read more of the log's beginning than the other before it counted.
      const heads = [{}, { headLength: 4, headHash: Uint8Array.of(1, 2, 3, 4) }];
      const receipts = await Promise.all(
        [run.store, other].map((each, i) => run.count([day], [{}], { logs: [log(heads[i])] }, each)),
      );
      expect(receipts.map(({ state }) => state).sort()).toEqual(['changed', 'counted']);
      expect((await run.store.readCounts(query({ measure: 'views' }))).totals).toEqual(human(1));
      await other.close();
    });

    test('a removed project takes its logs along', async () => {
      const day = await run.open(19_900);
      await run.count([day], [{}], { logs: [log()] });
      await run.store.removeProject(projectId);
      expect(await run.store.imports.listLogs(projectId)).toEqual([]);
      expect((await run.count([day], [{}])).state).toBe('changed');
    });
  });
}
