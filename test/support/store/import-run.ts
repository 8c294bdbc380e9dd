import { afterEach, beforeEach } from 'vitest';
import { intern } from '../../../server/counting/names/interned.ts';
import type { SeenClient } from '../../../server/counting/view.ts';
import type {
  ImportDay,
  LogBatch,
  LoggedView,
  LogProgress,
  LogReceipt,
} from '../../../server/store/counts/view-batch.ts';
import type { Store } from '../../../server/store/store.ts';
import { projectSettings } from '../../../shared/project/project.ts';
import { anySalt } from '../views.ts';
import type { Engine } from './engines.ts';

export const projectId = 'p1';
export const dayMs = 86_400_000;
/** The time of all imports. */
export const importedAt = 20_000 * dayMs;

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

/** How far a log is read. */
export const log = (changes: Partial<LogProgress> = {}): LogProgress => ({
  id: null,
  headLength: 3,
  headHash: Uint8Array.of(1, 2, 3),
  from: 0,
  bytes: 100,
  lines: 2,
  ...changes,
});

/** A store with a project, sealed through day 19,990, and what imports do there. */
export interface ImportRun {
  store: Store;
  open(day: number): Promise<ImportDay>;
  count(days: ImportDay[], seen: Seen[], changes?: Partial<LogBatch>, by?: Store): Promise<LogReceipt>;
}

/** For the tests of a group; the store is a new one in each. */
export function importRun(engine: Engine): ImportRun {
  const run = { open, count } as ImportRun;
  beforeEach(async () => {
    await engine.prepare();
    run.store = await engine.open();
    const settings = projectSettings.parse({ name: 'Logs' });
    await run.store.addProject({ id: projectId, settings, createdAt: '2026-01-01T00:00:00.000Z' }, []);
    await run.store.seal(projectId, 19_990);
  });
  afterEach(async () => {
    await run.store.close();
    await engine.cleanUp();
  });

  async function open(day: number): Promise<ImportDay> {
    const salt = { salt: anySalt(), forgetAt: importedAt + dayMs };
    const opened = await run.store.imports.openDay(projectId, day, salt);
    if (opened === null || opened === 'history') throw new Error(`Day ${day} was not opened.`);
    return opened;
  }
  async function count(
    days: ImportDay[],
    seen: Seen[],
    changes: Partial<LogBatch> = {},
    by: Store = run.store,
  ): Promise<LogReceipt> {
    const batch = by.imports.newBatch();
    for (const view of seen) batch.add(logged(view));
    return batch.count({
      projectId,
      days: days.map((day) => ({ ...day, lastAt: day.day * dayMs + 1 })),
      dropped: [],
      logs: [],
      knownLogs: 0,
      forgetAt: importedAt + dayMs,
      ...changes,
    });
  }
  return run;
}
