import { searchTools } from '../../../shared/reports/search-engines.ts';
import { auditing, commandLine } from '../../audit/audit-list.ts';
import { fromDay, toDay } from '../../counting/calendar.ts';
import { filesAt, openExport } from '../../import/history/exported-files.ts';
import { HistorySite, leftOut } from '../../import/history/history-site.ts';
import type { ApiDimension } from '../../import/searches/api-answer.ts';
import { knowSearchFiles } from '../../import/searches/known-files.ts';
import {
  type DayRange,
  keepPeriods,
  lookAt,
  type Outcome,
  readSearchFiles,
  type SearchReading,
} from '../../import/searches/run.ts';
import { apiDimensions } from '../../import/searches/search-console.ts';
import type { PeriodRows } from '../../import/searches/search-periods.ts';
import { cutoffsOf } from '../../ingest/sealing/retention.ts';
import type { SearchKind, SearchPeriod } from '../../store/searches.ts';
import type { ReadOnlyStore, Store } from '../../store/store.ts';
import { leftLabels } from '../import/history-summary.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../terminal/command.ts';
import { readOperands } from '../terminal/options.ts';
import { counted } from '../terminal/progress-line.ts';
import { table } from '../terminal/table.ts';
import { findProject } from '../terminal/unknown-project.ts';

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
    const { removeSearch } = await import('../../operations/imports.ts');
    const { runOption } = await import('../../operations/command.ts');
    return await runOption(removeSearch, args, terminal);
  }
  if (values.yes) throw new UsageError('--yes goes with --remove.');
  if (positionals.length === 0)
    throw new UsageError('Give the files that Search Console or Bing Webmaster Tools exported.');
  await takeIn(project, positionals, values, terminal);
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
    const { once } = auditing(commandLine, terminal.now);
    const keep: Parameters<typeof keepPeriods>[1] = (period, rows) =>
      once(
        { action: 'search_numbers.added', projectId, subject: searchTools[period.tool] },
        (entries) =>
          (store as Store).callAudited('searches', 'setPeriod', [projectId, period, rows], entries),
        (outcome) => outcome === 'added' || outcome === 'replaced',
      );
    const kept =
      isDry || ended.signal.aborted ? [] : await keepPeriods(reading, keep, () => ended.signal.aborted);
    terminal.print(
      json ? `${JSON.stringify(searchesJson(reading, kept))}\n` : describeSearches(reading, kept, isDry),
    );
    if (ended.signal.aborted)
      throw new CommandError('It was stopped before the end: the same command imports the rest.');
  });
}

async function using<S extends ReadOnlyStore>(
  opening: Promise<S>,
  use: (store: S) => Promise<void>,
): Promise<void> {
  const store = await opening;
  await use(store).finally(() => store.close());
}

export const searchesCommand: Command = {
  help: `Usage: headcount import-search <files> --project <project> [--days <first>..<last>]
                               [--dimensions <names>] [--dry-run] [--json]
       headcount import-search --remove <tool> --project <project> [--yes] [--json]

Imports numbers of search engines: clicks, impressions and positions of Google's Search Console and of Bing Webmaster
Tools, and how often answers of Microsoft's AI cited the site's pages. The files are the archive or the CSV files as
they were exported, in English, or rows of Search Console's API as CSV or JSON. The numbers are shown separately, and
never added to the counts of Headcount.

Numbers by day are kept by day, and those of a range as one sum. Numbers imported again replace the earlier ones.

  --project <project>       the project that they are of
  --days <first>..<last>    the days of files that do not name them, such as 2026-08-01..2026-08-31
  --dimensions <names>      for JSON: the dimensions of the request to the API, in order, such as date,page
  --dry-run                 report what would be imported, and change nothing
  --remove <tool>           remove the numbers of search-console, bing or bing-ai; only reports what it would do
                            without --yes
  --yes                     do it
  --json                    print the result as JSON, for programs
`,
  run,
};

type Kept = readonly { period: SearchPeriod; outcome: Outcome }[];

const kinds: Readonly<Record<SearchKind, string>> = {
  site: 'the site',
  page: 'pages',
  query: 'queries',
  country: 'countries',
  device: 'devices',
};

const isByDay = ({ from, to }: SearchPeriod) => from === to;
const daysOf = ({ from, to }: { from: number; to: number }) =>
  from === to ? String(fromDay(from)) : `${fromDay(from)} to ${fromDay(to)}`;

/** Days of one table in a line, and ranges as they are. */
interface Line {
  period: SearchPeriod;
  byDay: boolean;
  periods: PeriodRows[];
}

function linesOf({ periods }: SearchReading): Line[] {
  const lines = new Map<string, Line>();
  for (const table of periods) {
    const { tool, kind, from, to } = table.period;
    const byDay = isByDay(table.period);
    const key = [tool, kind, ...(byDay ? [] : [from, to])].join(' ');
    const line = lines.get(key) ?? { period: { ...table.period }, byDay, periods: [] };
    lines.set(key, line);
    line.periods.push(table);
    line.period.to = Math.max(line.period.to, to);
  }
  return [...lines.values()];
}

/** For people: which tables were read, and which of them are new. */
export function describeSearches(reading: SearchReading, kept: Kept, isDry: boolean): string {
  const outcomes = new Map(kept.map(({ period, outcome }) => [period, outcome]));
  const lines = linesOf(reading);
  const count = (periods: PeriodRows[], outcome: Outcome) =>
    counted(periods.filter(({ period }) => outcomes.get(period) === outcome).length);
  const rows = lines.map(({ period, byDay, periods }) => [
    searchTools[period.tool],
    kinds[period.kind],
    daysOf(period),
    byDay ? `${counted(periods.length)} by day` : 'one range',
    ...(isDry ? [] : [count(periods, 'added'), count(periods, 'replaced'), count(periods, 'same')]),
  ]);
  const parts = [
    lines.length === 0
      ? 'The files hold no numbers.\n'
      : table(['OF', 'BY', 'DAYS', '', ...(isDry ? [] : ['NEW', 'REPLACED', 'THERE'])], rows),
    ...describeLeft(reading),
  ];
  if (isDry) parts.push('Nothing was kept: this was a dry run.\n');
  return parts.join('\n');
}

function describeLeft({ left, forgotten, unread, periods }: SearchReading): string[] {
  const reasons = leftOut
    .filter((reason) => left[reason] > 0)
    .map((reason) => [leftLabels[reason], left[reason]]);
  const rows = [...reasons, ...(forgotten > 0 ? [['older than the project keeps counts', forgotten]] : [])];
  const others = periods.reduce((sum, one) => sum + one.others, 0);
  return [
    ...(rows.length > 0
      ? [
          table(
            ['LINES NOT TAKEN IN', ''],
            rows.map(([label, lines]) => [String(label), counted(Number(lines))]),
          ),
        ]
      : []),
    ...(others > 0
      ? [`${counted(others)} names beyond the limit for a day or range are added up as (other).\n`]
      : []),
    ...(unread.length > 0
      ? [
          `Files that were not read, as Headcount does not keep what they hold (such as search appearances):\n${unread.map((file) => `  ${file}\n`).join('')}`,
        ]
      : []),
  ];
}

/** For programs. */
export function searchesJson(reading: SearchReading, kept: Kept): object {
  const outcomes = new Map(kept.map(({ period, outcome }) => [period, outcome]));
  const { lines, left, forgotten, unread, periods } = reading;
  return {
    lines,
    periods: periods.map(({ period, rows, others }) => ({
      tool: period.tool,
      of: period.kind,
      from: String(fromDay(period.from)),
      to: String(fromDay(period.to)),
      names: rows.length,
      others,
      outcome: outcomes.get(period) ?? null,
    })),
    notTakenIn: {
      ...Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0)),
      ...(forgotten > 0 ? { forgotten } : {}),
    },
    unread,
  };
}
