import { commandLine } from '../../audit/audit-list.ts';
import { fromDay } from '../../counting/calendar.ts';
import { openFile } from '../../import/reading/content.ts';
import { sample } from '../../import/reading/input.ts';
import { headBytes, KnownLogs } from '../../import/reading/known-logs.ts';
import type { ImportedLog, UndoneLogDay } from '../../store/import-undo.ts';
import type { Store } from '../../store/store.ts';
import { CommandError, type Terminal } from '../terminal/command.ts';
import { counted } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';
import { unknownProject } from '../terminal/unknown-project.ts';
import { withStore } from '../terminal/with-store.ts';
import { describeDays } from './history-summary.ts';

/** What `--json` prints of an import. */
function importJson(log: ImportedLog): object {
  const { id, name, countedAt, lines, firstDay, lastDay, humanViews, aiViews } = log;
  return {
    id,
    file: name,
    importedAt: countedAt === null ? null : new Date(countedAt).toISOString(),
    lines,
    firstDay: firstDay === null ? null : String(fromDay(firstDay)),
    lastDay: lastDay === null ? null : String(fromDay(lastDay)),
    views: { people: humanViews, ai: aiViews },
    canUndo: countedAt !== null,
  };
}

export async function listImports(projectId: string, isJson: boolean, terminal: Terminal): Promise<void> {
  await withStore(terminal, async (store) => {
    const imports = await importsOf(store, projectId);
    terminal.print(
      isJson ? `${JSON.stringify({ imports: imports.map(importJson) })}\n` : describeImports(imports),
    );
  });
}

function describeImports(imports: readonly ImportedLog[]): string {
  if (imports.length === 0) return 'No log was imported.\n';
  const rows = imports.map(({ id, name, countedAt, lines, firstDay, lastDay, humanViews, aiViews }) => [
    String(id),
    countedAt === null ? 'cannot be taken back' : new Date(countedAt).toISOString(),
    counted(lines).padStart(12),
    counted(humanViews).padStart(12),
    counted(aiViews).padStart(12),
    describeDays([firstDay, lastDay].filter((day) => day !== null)),
    name,
  ]);
  const titles = ['IMPORT', 'LAST READ', 'LINES', 'PEOPLE', 'AI CLIENTS', 'DAYS', 'FILE'];
  return table(
    titles.map((title, i) => (i >= 2 && i <= 4 ? title.padStart(12) : title)),
    rows,
  );
}

/** Undoes the import of a log. @param given the number of the import, or its file */
export async function undoImport(
  projectId: string,
  given: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<void> {
  await withStore(terminal, async (store) => {
    const log = await findImport(store, projectId, given);
    if (log.countedAt === null)
      throw new CommandError(
        `Import ${log.id} cannot be taken back: an earlier version made or moved it, it came with the archive of a project, or paths were folded or forgotten since. Nothing was changed.`,
      );
    let isStopped = false;
    void terminal.untilStopped().then(() => {
      isStopped = true;
    });
    const days: UndoneLogDay[] = [];
    const by = { actor: commandLine, at: terminal.now() };
    for (;;) {
      const day = await store.imports.undoNextDay(projectId, log.id, by);
      if (day === null) break;
      days.push(day);
      if (isStopped)
        throw new CommandError('It was stopped before the end: run the command again to continue.');
    }
    await store.erase();
    terminal.print(isJson ? `${JSON.stringify(undoneJson(log, days))}\n` : describeUndo(log, days));
  });
}

function undoneJson(log: ImportedLog, days: readonly UndoneLogDay[]): object {
  const of = (outcome: UndoneLogDay['outcome']) =>
    days.filter((day) => day.outcome === outcome).map(({ day }) => String(fromDay(day)));
  return {
    import: log.id,
    file: log.name,
    views: { people: sum(days, 'humanViews'), ai: sum(days, 'aiViews') },
    days: { takenBack: of('whole'), visitorsLeft: of('views'), notKept: of('gone') },
  };
}

const sum = (days: readonly UndoneLogDay[], of: 'humanViews' | 'aiViews') =>
  days.reduce((total, day) => total + day[of], 0);

function describeUndo(log: ImportedLog, days: readonly UndoneLogDay[]): string {
  const daysOf = (outcome: UndoneLogDay['outcome']) =>
    days.filter((day) => day.outcome === outcome).map(({ day }) => day);
  const views = counted(sum(days, 'humanViews') + sum(days, 'aiViews'));
  const lines = [
    `Import ${log.id} (${log.name}) is taken back: ${views} views. The log can be imported again; a command that follows it does so by itself.`,
  ];
  const left = daysOf('views');
  if (left.length > 0)
    lines.push(
      `Not taken back: the visitors and visits of closed days that hold other counts too: ${describeDays(left)} (${left.length} days). Their views are taken back.`,
    );
  const gone = daysOf('gone');
  if (gone.length > 0) lines.push(`Of ${describeDays(gone)} the project keeps no counts any more.`);
  return `${lines.join('\n')}\n`;
}

async function importsOf(store: Store, projectId: string): Promise<ImportedLog[]> {
  const { projects } = await store.directory();
  if (!projects.some(({ id }) => id === projectId)) throw unknownProject(projectId);
  return await store.imports.listImports(projectId);
}

/** By its number, by the content of the file, or else by the name that it had. */
async function findImport(store: Store, projectId: string, given: string): Promise<ImportedLog> {
  const imports = await importsOf(store, projectId);
  const byNumber = /^\d+$/.test(given) ? imports.find(({ id }) => id === Number(given)) : undefined;
  if (byNumber) return byNumber;
  const head = await headOf(given);
  const known = head && new KnownLogs(await store.imports.listLogs(projectId)).find(head);
  const found = known && imports.find(({ id }) => id === known.id);
  if (found) return found;
  const named = head ? [] : imports.filter(({ name }) => name === given);
  if (named.length === 1) return named[0] as ImportedLog;
  throw new CommandError(
    `${given} is no import of this project: "headcount import --list --project ${projectId}" shows those there are.${named.length > 1 ? ' Several have this name: give the number.' : ''} Nothing was changed.`,
  );
}

/** Undefined: there is no such file. */
async function headOf(path: string): Promise<Buffer | undefined> {
  try {
    const content = openFile(path);
    try {
      return (await sample(content, path)).head.subarray(0, headBytes);
    } finally {
      content.close();
    }
  } catch {
    return undefined;
  }
}
