import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runHeadcount, startHeadcountCommand } from '../../support/child.ts';
import { dayMs } from '../../support/clock.ts';
import { runHere } from '../../support/commands/command.ts';
import { temporaryFolders } from '../../support/data-folders.ts';
import { type ImportRun, startImport, type TakenOver } from '../../support/import/import-run.ts';
import { plausibleExport, plausibleFile } from '../../support/import/plausible-export.ts';
import { zip } from '../../support/import/zip.ts';
import { engineEnvironment } from '../../support/store/chosen-engine.ts';
import { readTraces } from '../../support/store/traces.ts';

const newFolder = temporaryFolders();

/** Of the server's settings there may be some, which days change nothing of. */
async function problemsOf(where: Record<string, string>): Promise<unknown> {
  const { stdout } = await runHere(['check', '--json'], where);
  return (JSON.parse(stdout) as { problems: unknown }).problems;
}

test('check finds nothing wrong with days from another tool, and an export takes them along', async () => {
  const folder = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: join(folder, 'data') };
  const elsewhere = { HEADCOUNT_DATA_DIR: join(folder, 'elsewhere') };
  const file = join(folder, 'export.zip');
  await writeFile(file, zip(plausibleExport));
  const added = await runHere(['project', 'add', '--name', 'Docs', '--json'], env);
  const { projectId } = JSON.parse(added.stdout) as { projectId: string };
  const takeOver = async (where: Record<string, string>): Promise<TakenOver> => {
    const args = ['import-stats', file, '--project', projectId, '--json'];
    const { code, stdout, stderr } = await runHeadcount(args, where);
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout) as TakenOver;
  };
  const before = await problemsOf(env);
  expect((await takeOver(env)).days.added).toHaveLength(2);
  expect(await problemsOf(env)).toEqual(before);
  const archive = join(folder, 'docs.jsonl');
  expect(await runHere(['export', '--project', projectId, archive], env)).toMatchObject({ code: 0 });
  expect(await runHere(['project', 'import', archive], elsewhere)).toMatchObject({ code: 0 });
  expect((await takeOver(elsewhere)).days.there).toHaveLength(2);
  const remove = ['import-stats', '--remove', 'plausible', '--project', projectId, '--yes'];
  const removed = await runHere(remove, elsewhere);
  expect(removed.stdout).toBe('2 days from Plausible (2025-03-01 to 2025-03-02) were deleted.\n');
  expect(await problemsOf(elsewhere)).toEqual(before);
});

const dates = Array.from({ length: 150 }, (_, i) =>
  new Date(Date.parse('2025-01-01') + i * dayMs).toISOString().slice(0, 10),
);

async function everything({ project }: ImportRun): Promise<unknown> {
  const { days } = await project.ask('GET /v1/analytics/{projectId}/series', {
    path: { projectId: project.projectId },
  });
  return [
    days,
    await project.views(),
    await project.visitors({ dateFrom: '2025-02-01', dateTo: '2025-05-01' }),
  ];
}

/** 150 days of 40 pages. */
function manyDays(): Buffer {
  const pages = dates.flatMap((date) =>
    Array.from({ length: 40 }, (_, i) => [date, '', `/page-${i}`, 1, 1, 1, 0, 0, 0, 0]),
  );
  return zip([
    plausibleFile(
      'visitors',
      dates.map((date) => [date, 40, 40, 0, 40, 0]),
    ),
    plausibleFile('pages', pages),
  ]);
}

/** Kills a command once the project has more, or fewer, days than before. */
async function killOnItsWay({ headcount }: ImportRun, args: string[]): Promise<void> {
  const { projectId, context, dataDir } = headcount;
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const days = async () => (await context.store.imports.listDays(projectId)).length;
  const before = await days();
  const child = startHeadcountCommand(['import-stats', ...args, '--project', projectId], {
    ...env,
    ...(await engineEnvironment(env)),
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  while ((await days()) === before && child.exitCode === null) await pause(1);
  child.kill('SIGKILL');
  await ended;
}

test('killed on its way it leaves whole days, and the same command takes over the rest', async () => {
  const [killed, whole] = [await startImport(), await startImport()];
  const file = await killed.write('export.zip', manyDays());
  await whole.history([await whole.write('export.zip', manyDays())]);
  await killOnItsWay(killed, [file]);
  const { projectId, context } = killed.headcount;
  const there = (await context.store.imports.listDays(projectId)).length;
  expect(await killed.project.views()).toEqual(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`/page-${i}`, { human: there, ai: 0, total: there }]),
    ),
  );
  const { days: again } = await killed.history([file]);
  expect([again.there.length, again.added.length]).toEqual([there, dates.length - there]);
  expect(await everything(killed)).toEqual(await everything(whole));
  await Promise.all([killed.stop(), whole.stop()]);
});

test('a removal that is killed on its way is in the audit list, and the same command does the rest', async () => {
  const run = await startImport();
  const { projectId, context, dataDir } = run.headcount;
  await run.history([await run.write('export.zip', manyDays())]);
  await killOnItsWay(run, ['--remove', 'plausible', '--yes']);
  const { rows } = await context.store.audit.listEntries({ projectId, limit: 3, offset: 0 });
  expect(rows.map(({ actor, action, subject }) => [actor.kind, action, subject])).toEqual([
    ['command', 'history.removed', 'Plausible'],
    ['command', 'history.added', 'Plausible'],
  ]);
  // As if it had been killed behind the last day.
  for (const { day } of await context.store.imports.listDays(projectId))
    await context.store.history.removeDay(projectId, day, 'Plausible');
  const isNamed = async () => {
    const traces = Object.values(await readTraces(dataDir));
    return traces.some((text) => text.includes('/page-39'));
  };
  expect(await isNamed()).toBe(true);
  expect(await run.showHistory(['--remove', 'plausible', '--yes'])).toContain('No day was imported');
  expect(await isNamed()).toBe(false);
  await run.stop();
});
