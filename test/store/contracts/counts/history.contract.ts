import { describe, expect, test } from 'vitest';
import type { Store } from '../../../../server/store/store.ts';
import { projectSettings } from '../../../../shared/project/project.ts';
import { eachStore } from '../../../support/store/each-store.ts';
import type { Engine } from '../../../support/store/engines.ts';
import { anySalt } from '../../../support/views.ts';

const projectId = 'p1';

export function testHistoryStore(engine: Engine): void {
  describe(`days of other tools in the ${engine.name} store`, () => {
    let store: Store;

    eachStore(engine, async (opened) => {
      store = opened;
      const settings = projectSettings.parse({ name: 'Logs' });
      await store.addProject({ id: projectId, settings, createdAt: '2026-01-01T00:00:00.000Z' }, []);
      await store.seal(projectId, 19_990);
    });

    const given = { salt: anySalt(), forgetAt: 20_001 * 86_400_000 };
    const history = { tool: 'Plausible', site: { visitors: 2, views: 3 }, sums: [] };

    test('a day that another tool counted is not opened', async () => {
      expect(await store.history.addDay(projectId, { day: 19_900, ...history })).toBe('added');
      expect(await store.imports.openDay(projectId, 19_900, given)).toBe('history');
      expect(await store.history.removeDay(projectId, 19_900, 'Plausible')).toBe(true);
      expect(await store.imports.openDay(projectId, 19_900, given)).toMatchObject({ day: 19_900 });
    });

    test('a day goes either to a log or to another tool, however close they come', async () => {
      const other = await engine.open();
      for (let day = 19_900; day < 19_920; day++) {
        const [opened, receipt] = await Promise.all([
          store.imports.openDay(projectId, day, given),
          other.history.addDay(projectId, { day, ...history }),
        ]);
        expect([opened === 'history', receipt]).toEqual(
          receipt === 'added' ? [true, 'added'] : [false, 'open'],
        );
      }
      await other.close();
    });
  });
}
