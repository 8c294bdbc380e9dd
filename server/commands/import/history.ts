import { type HistoryTool, historyTools } from '../../../shared/reports/history.ts';
import { auditing, commandLine } from '../../audit/audit-list.ts';
import { isExported, openExport } from '../../import/history/exported-files.ts';
import { knowFiles } from '../../import/history/formats.ts';
import { HistorySite } from '../../import/history/history-site.ts';
import { type HistoryResult, importHistory } from '../../import/history/run.ts';
import { cutoffsOf } from '../../ingest/sealing/retention.ts';
import { sealDueDaysOf } from '../../ingest/sealing/sealer.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { HistoryStore } from '../../store/history.ts';
import type { ReadOnlyStore } from '../../store/store.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { readOperands } from '../terminal/options.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import { findProject } from '../terminal/unknown-project.ts';
import { describeHistory, historyJson } from './history-summary.ts';

const options = {
  project: { type: 'string' },
  from: { type: 'string' },
  website: { type: 'string' },
  remove: { type: 'string' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof readOperands<typeof options>>['values'];

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOperands(args, options);
  const { project, from, remove } = values;
  if (project === undefined) throw new UsageError('Name the project: --project <project>.');
  if (remove !== undefined) {
    if (positionals.length > 0 || from !== undefined || values.website !== undefined || values['dry-run'])
      throw new UsageError('--remove takes no files and no other option than --yes and --json.');
    const { removeStats } = await import('../../operations/imports.ts');
    const { runOption } = await import('../../operations/command.ts');
    return await runOption(removeStats, args, terminal);
  }
  if (values.yes) throw new UsageError('--yes goes with --remove.');
  if (positionals.length === 0) throw new UsageError('Give the files that the other tool exported.');
  const tool = from === undefined ? undefined : readTool(from);
  await takeOver(project, positionals, tool, values, terminal);
}

/** @throws UsageError */
function readTool(text: string): HistoryTool {
  if (Object.hasOwn(historyTools, text)) return text as HistoryTool;
  throw new UsageError(`--from must be one of ${Object.keys(historyTools).join(', ')}, not "${text}".`);
}

async function takeOver(
  projectId: string,
  paths: readonly string[],
  tool: HistoryTool | undefined,
  values: Values,
  terminal: Terminal,
): Promise<void> {
  const exported = await openExport(paths, isExported);
  const begun = await (values['dry-run'] ? beginDry(terminal, projectId) : begin(terminal));
  try {
    const project = await findProject(begun.store, projectId, terminal);
    await begun.sealDueDays(project);
    const files = await knowFiles(exported, { tool, website: values.website }, new HistorySite(project));
    const progress = progressOf(terminal);
    const ended = new AbortController();
    void terminal.untilStopped().then(() => ended.abort());
    const result = await importHistory(files, {
      projectId,
      timeZone: project.settings.timeZone,
      keptFrom: cutoffsOf(project.settings, terminal.now()).counts,
      summaries: await begun.store.imports.listDays(projectId),
      addDay: begun.addDay,
      now: terminal.now,
      onProgress: ({ lines, days }) => progress.update({ lines, hits: days, done: 0, size: 0 }),
      signal: ended.signal,
    });
    progress.clear();
    report(result, values, ended.signal.aborted, terminal);
  } finally {
    await begun.store.close();
  }
}

interface Begun {
  store: ReadOnlyStore;
  addDay: HistoryStore['addDay'];
  sealDueDays(project: LiveProject): Promise<void>;
}

async function begin({ openStore, clock, now }: Terminal): Promise<Begun> {
  const store = await openStore();
  const { once } = auditing(commandLine, now);
  return {
    store,
    addDay: (projectId, day) =>
      once(
        { action: 'history.added', projectId, subject: day.tool },
        (entries) => store.callAudited('history', 'addDay', [projectId, day], entries),
        (receipt) => receipt === 'added',
      ),
    sealDueDays: (project) => sealDueDaysOf({ store, clock }, project),
  };
}

async function beginDry({ observeStore }: Terminal, projectId: string): Promise<Begun> {
  const store = await observeStore();
  const noted = new Set(await store.imports.listNotedDays(projectId));
  return {
    store,
    addDay: async (_projectId, { day }) => (noted.has(day) ? 'counted' : 'added'),
    sealDueDays: async () => undefined,
  };
}

function progressOf({ isWatched, draw, now }: Terminal): ProgressLine {
  return new ProgressLine({ isTerminal: isWatched, write: draw, now, of: 'days' });
}

function report(result: HistoryResult, values: Values, isCut: boolean, { print }: Terminal): void {
  if (values.json) print(`${JSON.stringify(historyJson(result))}\n`);
  else {
    print(describeHistory(result));
    if (values['dry-run']) print('\nNothing was counted: this was a dry run.\n');
    else if (result.days.added.length === 0 && !isCut)
      print('\nThere are no new days: nothing was changed.\n');
  }
  if (isCut)
    throw new CommandError('The import was stopped before the end: run the command again to continue.');
}

export const historyCommand: Command = {
  help: `Usage: headcount import-stats <files> --project <project> [--from <tool>] [--website <id>]
                              [--dry-run] [--json]
       headcount import-stats --remove <tool> --project <project> [--yes] [--json]

Imports the counts of another analytics tool: visitors and page views of people by day, with pages, sources,
countries, devices, browsers, systems, languages and campaigns as far as the export has them. The files are
CSV, JSON or a dump of the database as the tool wrote them, packed (zip, gzip, zstd) or not, or a folder of
them; the tool is known by its columns. Columns that are not known are skipped and named.

A day is imported completely or not at all. Days on which Headcount counted, or that are not closed yet, are left
out and named. Given again, the same files change nothing. The reports say which days came from which tool.

  --project <project>    the project that they are counted for
  --from <tool>          plausible, goatcounter, umami, ga4 (Google Analytics 4) or matomo
  --website <id>         the one of several websites of an Umami database, by Umami's website_id
  --dry-run              report what would be imported, and change nothing
  --remove <tool>        remove the days of a tool; only reports what it would do without --yes
  --yes                  do it
  --json                 print the result as JSON, for programs
`,
  run,
};
