import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExport } from '../../../server/import/history/exported-files.ts';
import { knowFiles } from '../../../server/import/history/formats.ts';
import { HistorySite } from '../../../server/import/history/history-site.ts';
import { importHistory } from '../../../server/import/history/run.ts';
import { type LiveProject, Registry } from '../../../server/projects/registry.ts';
import { createClock, dayMs } from '../../support/clock.ts';
import { type ImportRun, startImport } from '../../support/import/import-run.ts';
import { plausibleFile } from '../../support/import/plausible-export.ts';

const clock = createClock('2025-06-20T12:00:00Z');
let run: ImportRun;

beforeAll(async () => {
  run = await startImport({}, clock.now);
});
afterAll(() => run.stop());

async function projectOf({ headcount }: ImportRun): Promise<LiveProject> {
  const { store, log } = headcount.context;
  const registry = new Registry(store, log);
  await registry.refresh();
  return registry.project(headcount.projectId) as LiveProject;
}

test('files that grow while they are read are refused, as lines of days that are done would be lost', async () => {
  // More, in lines and bytes, than is read ahead.
  const longPath = `/${'x'.repeat(50_000)}`;
  const pages = Array.from({ length: 60 }, (_, i) => {
    const date = new Date(Date.parse('2025-03-01') + i * dayMs).toISOString().slice(0, 10);
    return [date, '', longPath, 4, 4, 6, 0, 0, 0, 0];
  });
  const sums = pages.map(([date]) => [String(date), 4, 6, 2, 4, 90]);
  const files = [plausibleFile('pages', pages), plausibleFile('visitors', sums)];
  const [file = '', ...others] = await Promise.all(
    files.map(({ content }, i) => run.write(`${i}.csv`, content)),
  );
  const site = new HistorySite(await projectOf(run));
  let isGrown = false;
  const { projectId } = run.project;
  const importing = importHistory(await knowFiles(await openExport([file, ...others]), {}, site), {
    projectId,
    timeZone: 'UTC',
    keptFrom: null,
    summaries: [],
    addDay: async () => {
      if (!isGrown) await appendFile(file, '"2025-03-01","","/late",4,4,6,0,0,0,0\n');
      isGrown = true;
      return 'added';
    },
    now: clock.now,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  await expect(importing).rejects.toThrow(/files changed while they were read.* lines of 2025-03-01 /);
});
