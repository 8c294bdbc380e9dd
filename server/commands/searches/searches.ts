import { type SearchTool, searchToolNames, searchTools } from '../../../shared/reports/search-engines.ts';
import { auditedStore, commandLine } from '../../audit/audited-store.ts';
import { toDay } from '../../counting/calendar.ts';
import { filesAt, openExport } from '../../import/history/exported-files.ts';
import { HistorySite } from '../../import/history/history-site.ts';
import type { ApiDimension } from '../../import/searches/api-answer.ts';
import { knowSearchFiles } from '../../import/searches/known-files.ts';
import { type DayRange, keepPeriods, lookAt, readSearchFiles } from '../../import/searches/run.ts';
import { apiDimensions } from '../../import/searches/search-console.ts';
import { cutoffsOf } from '../../ingest/sealing/retention.ts';
import { Registry } from '../../projects/registry.ts';
import type { ReadOnlyStore, Store } from '../../store/store.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { readOperands } from '../terminal/options.ts';
import { unknownProject } from '../terminal/unknown-project.ts';
import { withStore } from '../terminal/with-store.ts';
import { describeSearches, searchesJson } from './searches-summary.ts';

const options = {
  project: { type: 'string' },
  days: { type: 'string' },
  dimensions: { type: 'string' },
  remove: { type: 'string' },
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof readOperands<typeof options>>['values'];

async function run(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readOperands(args, options);
  const { project, remove, days, dimensions } = values;
  if (project === undefined) throw new UsageError('Name the project: --project <project>.');
  if (remove !== undefined) {
    const others = [days, dimensions, values['dry-run']].some((one) => one !== undefined);
    if (positionals.length > 0 || others)
      throw new UsageError('--remove takes no files and no other option than --yes and --json.');
    return await removeNumbers(project, readTool(remove), values, terminal);
  }
  if (values.yes) throw new UsageError('--yes goes with --remove.');
  if (positionals.length === 0)
    throw new UsageError('Give the files that Search Console or Bing Webmaster Tools exported.');
  await takeIn(project, positionals, values, terminal);
}

/** @throws UsageError */
function readTool(text: string): SearchTool {
  const tool = searchToolNames.find((name) => name === text);
  if (tool) return tool;
  throw new UsageError(`--remove must be one of ${searchToolNames.join(', ')}, not "${text}".`);
}

/** @throws UsageError */
function readDays(text: string | undefined): DayRange | undefined {
  if (text === undefined) return undefined;
  try {
    const [, first = '', last = ''] = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(text) ?? [];
    const range = { from: toDay(Temporal.PlainDate.from(first)), to: toDay(Temporal.PlainDate.from(last)) };
    if (range.from <= range.to) return range;
  } catch {
    // Not dates, or none that exist.
  }
  throw new UsageError(
    `--days must be the first and the last day, such as 2026-08-01..2026-08-31, not "${text}".`,
  );
}

/** @throws UsageError */
function readDimensions(text: string | undefined): ApiDimension[] | undefined {
  const names = text?.split(',');
  const isKnown = (name: string): name is ApiDimension => apiDimensions.some((one) => one === name);
  if (names === undefined || names.every(isKnown)) return names;
  throw new UsageError(
    `--dimensions must be names of ${apiDimensions.join(', ')} with commas between them, not "${text}".`,
  );
}

async function takeIn(projectId: string, paths: string[], values: Values, terminal: Terminal): Promise<void> {
  const { json, 'dry-run': isDry = false } = values;
  const range = readDays(values.days);
  const dimensions = readDimensions(values.dimensions);
  const requireUnchanged = lookAt(paths.flatMap((path) => filesAt(path)));
  const files = await knowSearchFiles(await openExport(paths), dimensions);
  const ended = new AbortController();
  void terminal.untilStopped().then(() => ended.abort());
  await using(isDry ? terminal.observeStore() : terminal.openStore(), async (store) => {
    const project = await findProject(store, projectId, terminal);
    const reading = await readSearchFiles(files, {
      site: new HistorySite(project),
      range,
      keptFrom: cutoffsOf(project.settings, terminal.now()).counts,
      onLine: () => !ended.signal.aborted,
    });
    requireUnchanged();
    const { searches } = auditedStore(store as Store, commandLine, terminal.now);
    const kept =
      isDry || ended.signal.aborted
        ? []
        : await keepPeriods(
            reading,
            (period, rows) => searches.setPeriod(projectId, period, rows),
            () => ended.signal.aborted,
          );
    terminal.print(
      json ? `${JSON.stringify(searchesJson(reading, kept))}\n` : describeSearches(reading, kept, isDry),
    );
    if (ended.signal.aborted)
      throw new CommandError('It was stopped before the end: the same command takes in the rest.');
  });
}

async function using<S extends ReadOnlyStore>(
  opening: Promise<S>,
  use: (store: S) => Promise<void>,
): Promise<void> {
  const store = await opening;
  await use(store).finally(() => store.close());
}

async function findProject(store: ReadOnlyStore, id: string, { log }: Terminal) {
  const registry = new Registry(store, log);
  await registry.refresh();
  const project = registry.project(id);
  if (!project) throw unknownProject(id);
  return project;
}

async function removeNumbers(
  projectId: string,
  tool: SearchTool,
  { yes = false, json = false }: Values,
  terminal: Terminal,
): Promise<void> {
  await withStore(terminal, async (store) => {
    const { projects } = await store.directory();
    if (!projects.some(({ id }) => id === projectId)) throw unknownProject(projectId);
    const all = await store.searches.listPeriods({ projectId, from: null, to: null });
    const periods = all.filter((period) => period.tool === tool).length;
    if (yes) await store.searches.removeTool(projectId, tool);
    terminal.print(
      json
        ? `${JSON.stringify({ projectId, tool, done: yes, periods })}\n`
        : describeRemoval(searchTools[tool], periods, yes),
    );
  });
}

function describeRemoval(title: string, periods: number, isDone: boolean): string {
  if (periods === 0) return `There are no numbers of ${title}. Nothing was changed.\n`;
  const named = `The numbers of ${title} (${periods} ${periods === 1 ? 'table' : 'tables'} of a day or a range)`;
  return isDone
    ? `${named} were deleted.\n`
    : `${named} would be deleted. Nothing was changed: add --yes to do it.\n`;
}

export const searchesCommand: Command = {
  help: `Usage: headcount searches <files> --project <project> [--days <first>..<last>] [--dimensions <names>]
                          [--dry-run] [--json]
       headcount searches --remove <tool> --project <project> [--yes] [--json]

Takes in what search engines tell of a site: clicks, impressions and positions of Google's Search Console and of Bing
Webmaster Tools, and how often answers of Microsoft's AI cited its pages. The files are the archive or the CSV files as
they were exported, in English, or rows of Search Console's API as CSV or JSON. They stand beside what Headcount
counts, and are never added to it.

What the files tell by day is kept by day. What they tell of a range as a whole is kept as that. What is told again
with other numbers takes the place of what was there.

  --project <project>       the project that they are of
  --days <first>..<last>    which days files are of that do not say it, such as 2026-08-01..2026-08-31
  --dimensions <names>      of JSON: which dimensions the API was asked for, in order, such as date,page
  --dry-run                 say what would be taken in, and touch nothing
  --remove <tool>           take the numbers of search-console, bing or bing-ai out again; says what it would do, and
                            does it with --yes
  --yes                     do it
  --json                    print the result as JSON, for programs
`,
  run,
};
