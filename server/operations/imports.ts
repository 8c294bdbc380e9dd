import { z } from 'zod';
import { type Reply, reply } from '../../shared/reply.ts';
import { oneOf } from '../../shared/reports/analytics.ts';
import { type HistoryTool, historyTools } from '../../shared/reports/history.ts';
import { type SearchTool, searchToolNames, searchTools } from '../../shared/reports/search-engines.ts';
import { reportRoute } from '../analytics/report-route.ts';
import { CommandError, UsageError } from '../commands/terminal/command.ts';
import { describeDates } from '../commands/terminal/dates.ts';
import { counted } from '../commands/terminal/progress-line.ts';
import { table } from '../commands/terminal/table.ts';
import type { Day } from '../counting/calendar.ts';
import { ApiError, invalid, overloaded } from '../errors.ts';
import { dateOf } from '../insights/days.ts';
import type { ImportedLog, UndoneLogDay } from '../store/import-undo.ts';
import { noCutoffs } from '../store/retention.ts';
import type { Store } from '../store/store.ts';
import { quoted } from '../text/one-line.ts';
import { type Deps, type Option, operation } from './operation.ts';

const path = '/v1/analytics/:projectId/imports';

const views = z.object({ people: z.number(), ai: z.number() });

const importsReply = reply('Imports', () => ({
  imports: z.array(
    z.object({
      id: z.number(),
      file: z.string().describe('As last read; empty: not known.'),
      importedAt: z.iso.datetime().nullable().describe('When it was last read.'),
      lines: z.number(),
      firstDay: z.iso.date().nullable(),
      lastDay: z.iso.date().nullable(),
      views,
      canUndo: z.boolean().describe('False: made by an earlier version, moved, or from an archive.'),
    }),
  ),
}));

const dates = z.array(z.iso.date());

const undoneReply = reply('UndoneImport', () => ({
  import: z.number(),
  file: z.string(),
  views,
  days: z.object({
    takenBack: dates,
    visitorsLeft: dates.describe(
      'Closed days with other counts, too: views are taken back, visitors and visits stay.',
    ),
    notKept: dates.describe('Days whose counts are deleted.'),
  }),
}));

const removedStatsReply = reply('RemovedStats', () => ({
  projectId: z.string(),
  tool: z.string().describe('Its name, such as `Plausible`.'),
  done: z.boolean().describe('False: a dry run.'),
  days: dates,
  left: dates.describe('Days that stay, as something else was counted on them.'),
}));

const removedSearchReply = reply('RemovedSearch', () => ({
  projectId: z.string(),
  tool: z.enum(searchToolNames),
  done: z.boolean().describe('False: a dry run.'),
  periods: z.number().describe('Tables of a day or a range.'),
}));

function toReply(log: ImportedLog): Reply<typeof importsReply>['imports'][number] {
  const { id, name, countedAt, lines, firstDay, lastDay, humanViews, aiViews } = log;
  return {
    id,
    file: name,
    importedAt: countedAt === null ? null : new Date(countedAt).toISOString(),
    lines,
    firstDay: firstDay === null ? null : dateOf(firstDay),
    lastDay: lastDay === null ? null : dateOf(lastDay),
    views: { people: humanViews, ai: aiViews },
    canUndo: countedAt !== null,
  };
}

/** The project of a command that names it by an option. */
const project: Option = { type: 'string', says: '' };

/** Logs that were imported. */
export const listImports = operation({
  via: reportRoute,
  name: 'analytics.imports.list',
  method: 'GET',
  path,
  access: 'project',
  scope: 'read',
  role: 'editor',
  summary: 'List the access logs that were imported',
  answers: { 200: { says: 'The logs, by the number of their import', json: importsReply } },
  run: async ({ store }, { project: { id } }) => ({
    imports: (await store.imports.listImports(id)).map(toReply),
  }),
  command: {
    name: 'import --list',
    operands: [],
    options: { project, list: { type: 'boolean', says: '' } },
    read: ({ values }) => ({ projectId: String(values.project) }),
    print: ({ imports }) => describeImports(imports),
  },
});

function describeImports(imports: Reply<typeof importsReply>['imports']): string {
  if (imports.length === 0) return 'No log was imported.\n';
  const rows = imports.map(({ id, file, importedAt, lines, firstDay, lastDay, views }) => [
    String(id),
    importedAt ?? 'cannot be taken back',
    ...[lines, views.people, views.ai].map((number) => counted(number).padStart(12)),
    describeDates([firstDay, lastDay].filter((day) => day !== null)),
    file,
  ]);
  const titles = ['IMPORT', 'LAST READ', 'LINES', 'PEOPLE', 'AI CLIENTS', 'DAYS', 'FILE'];
  return table(
    titles.map((title, i) => (i >= 2 && i <= 4 ? title.padStart(12) : title)),
    rows,
  );
}

/** @returns what throws between two days once it is asked to end */
function timeUntil(untilStopped: Deps['untilStopped']): () => void {
  let isStopped = false;
  void untilStopped().then(() => {
    isStopped = true;
  });
  return () => {
    if (isStopped) throw overloaded('It was stopped before the end: do the same again to continue.', 5);
  };
}

/** Undoes the import of a log. */
export const undoImport = operation({
  via: reportRoute,
  name: 'analytics.imports.undo',
  method: 'DELETE',
  path: `${path}/:importId`,
  access: 'project',
  role: 'owner',
  summary: 'Undo the import of an access log',
  description:
    'The log can be imported again. It is undone day by day: where it is interrupted, the same request goes on with the days that are left. On closed days that hold other counts too, visitors and visits stay.',
  answers: { 200: { says: 'What was taken back', json: undoneReply } },
  refusals: ['not_found'],
  async run({ store, by, untilStopped }, { project: { id: projectId }, params: { importId = '' } }) {
    const log = (await store.imports.listImports(projectId)).find(({ id }) => String(id) === importId);
    if (!log)
      throw new ApiError(
        'not_found',
        `The project has no import ${quoted(importId)}: it may have been undone already. The list of imports has those there are.`,
      );
    if (log.countedAt === null)
      throw new ApiError(
        'invalid',
        `Import ${log.id} cannot be taken back: an earlier version made or moved it, it came with the archive of a project, or paths were folded or forgotten since. Nothing was changed.`,
      );
    const requireTime = timeUntil(untilStopped);
    const days: UndoneLogDay[] = [];
    for (;;) {
      const day = await store.imports.undoNextDay(projectId, log.id, by());
      if (day === null) break;
      days.push(day);
      requireTime();
    }
    await store.erase();
    const sum = (of: 'humanViews' | 'aiViews') => days.reduce((total, day) => total + day[of], 0);
    const daysOf = (outcome: UndoneLogDay['outcome']) =>
      days.filter((day) => day.outcome === outcome).map(({ day }) => dateOf(day));
    return {
      import: log.id,
      file: log.name,
      views: { people: sum('humanViews'), ai: sum('aiViews') },
      days: { takenBack: daysOf('whole'), visitorsLeft: daysOf('views'), notKept: daysOf('gone') },
    };
  },
  command: {
    name: 'import --undo',
    operands: [],
    options: { project, undo: { type: 'string', says: '' } },
    read: ({ values }) => ({ projectId: String(values.project) }),
    find: async (store, { values }, given) => ({
      params: { importId: await findImport(store, String(given.projectId), String(values.undo)) },
    }),
    print: describeUndo,
  },
});

function describeUndo({ import: id, file, views, days }: Reply<typeof undoneReply>): string {
  const lines = [
    `Import ${id} (${file}) is taken back: ${counted(views.people + views.ai)} views. The log can be imported again; a command that follows it does so by itself.`,
  ];
  const { visitorsLeft: left, notKept: gone } = days;
  if (left.length > 0)
    lines.push(
      `Not taken back: the visitors and visits of closed days that hold other counts too: ${describeDates(left)} (${left.length} days). Their views are taken back.`,
    );
  if (gone.length > 0) lines.push(`Of ${describeDates(gone)} the project keeps no counts any more.`);
  return `${lines.join('\n')}\n`;
}

/** By its number, by the content of the file, or else by the name that it had. @throws CommandError */
async function findImport({ imports }: Store, projectId: string, given: string): Promise<string> {
  const all = await imports.listImports(projectId);
  const byNumber = /^\d+$/.test(given) ? all.find(({ id }) => id === Number(given)) : undefined;
  if (byNumber) return String(byNumber.id);
  // A server opens no file for it.
  const [{ KnownLogs }, { readHead }] = await Promise.all([
    import('../import/reading/known-logs.ts'),
    import('../import/reading/input.ts'),
  ]);
  const head = await readHead(given);
  const known = head && new KnownLogs(await imports.listLogs(projectId)).find(head);
  const found = known && all.find(({ id }) => id === known.id);
  if (found) return String(found.id);
  const named = head ? [] : all.filter(({ name }) => name === given);
  if (named.length === 1) return String(named[0]?.id);
  throw new CommandError(
    `${given} is no import of this project: "headcount import --list --project ${projectId}" shows those there are.${named.length > 1 ? ' Several have this name: give the number.' : ''} Nothing was changed.`,
  );
}

const removeQuery = z.object({
  dryRun: oneOf(['true', 'false'])
    .default('false')
    .describe('`true`: say what would go, and change nothing.'),
});

const removeOptions = {
  project,
  remove: { type: 'string', says: '' },
  yes: { type: 'boolean', says: '' },
} as const;

/** @throws UsageError */
function readRemoval(names: readonly string[], { project, remove = '', yes = false }: Removal) {
  if (!names.includes(remove))
    throw new UsageError(`--remove must be one of ${names.join(', ')}, not "${remove}".`);
  return {
    projectId: String(project),
    params: { tool: remove },
    query: { dryRun: yes ? 'false' : 'true' },
  };
}

interface Removal {
  project?: string | undefined;
  remove?: string | undefined;
  yes?: boolean | undefined;
}

/** @throws ApiError `invalid` */
function parseTool<Tool extends string>(names: readonly Tool[], text: string | undefined): Tool {
  const tool = names.find((name) => name === text);
  if (tool === undefined) throw invalid('Nothing was removed', 'tool', `must be one of ${names.join(', ')}`);
  return tool;
}

const historyToolNames = Object.keys(historyTools) as HistoryTool[];

/** Removes days that were imported from another tool. */
export const removeStats = operation({
  via: reportRoute,
  name: 'analytics.imported_stats.remove',
  method: 'DELETE',
  path: `${path}/stats/:tool`,
  access: 'project',
  role: 'owner',
  summary: 'Remove the days that were imported from another analytics tool',
  description: `Tools: ${historyToolNames.map((name) => `\`${name}\``).join(', ')}.`,
  query: removeQuery,
  answers: { 200: { says: 'What was removed', json: removedStatsReply } },
  async run(deps, { project: { id: projectId }, params, query: { dryRun } }) {
    const tool = historyTools[parseTool(historyToolNames, params.tool)];
    const done = dryRun === 'false';
    const days = (await deps.store.imports.listDays(projectId))
      .filter(({ history }) => history === tool)
      .map(({ day }) => day);
    const mixed = done ? await removeDays(deps, projectId, tool, days) : [];
    return {
      ...{ projectId, tool, done },
      days: days.filter((day) => !mixed.includes(day)).map(dateOf),
      left: mixed.map(dateOf),
    };
  },
  command: {
    name: 'import-stats --remove',
    operands: [],
    options: removeOptions,
    read: ({ values }) => readRemoval(historyToolNames, values),
    json: ({ days, left, ...removed }) => ({ ...removed, days: days.length, left: left.length }),
    print: describeRemovedDays,
  },
});

/** Returns the days that stay, as something else was counted on them. An interrupted import may have left only names. */
async function removeDays(
  { store, once, untilStopped }: Deps,
  projectId: string,
  tool: string,
  days: Day[],
): Promise<Day[]> {
  const requireTime = timeUntil(untilStopped);
  const mixed: Day[] = [];
  for (const day of days) {
    requireTime();
    const isRemoved = await once(
      { action: 'history.removed', projectId, subject: tool },
      (entries) => store.callAudited('history', 'removeDay', [projectId, day, tool], entries),
      (removed) => removed,
    );
    if (!isRemoved) mixed.push(day);
  }
  await store.retention.finish(projectId, noCutoffs);
  await store.erase();
  return mixed;
}

function describeRemovedDays({ tool, days, left, done }: Reply<typeof removedStatsReply>): string {
  if (days.length + left.length === 0) return `No day was imported from ${tool}. Nothing was changed.\n`;
  const named = `${days.length} ${days.length === 1 ? 'day' : 'days'} from ${tool} (${describeDates(days)})`;
  if (!done) return `${named} would be deleted. Nothing was changed: add --yes to do it.\n`;
  const stay = `${left.length} ${left.length === 1 ? 'day stays, as' : 'days stay, as'} something else was counted on ${left.length === 1 ? 'it' : 'them'} (${describeDates(left)}).\n`;
  return `${days.length > 0 ? `${named} ${days.length === 1 ? 'was' : 'were'} deleted.\n` : ''}${left.length > 0 ? stay : ''}`;
}

/** Removes imported numbers of a search engine. */
export const removeSearch = operation({
  via: reportRoute,
  name: 'analytics.imported_search.remove',
  method: 'DELETE',
  path: `${path}/search/:tool`,
  access: 'project',
  role: 'owner',
  summary: 'Remove the numbers that were imported from a search engine',
  description: `Tools: ${searchToolNames.map((name) => `\`${name}\``).join(', ')}.`,
  query: removeQuery,
  answers: { 200: { says: 'What was removed', json: removedSearchReply } },
  async run({ store, entries }, { project: { id: projectId }, params, query: { dryRun } }) {
    const tool = parseTool(searchToolNames, params.tool);
    const done = dryRun === 'false';
    const noted = entries({ action: 'search_numbers.removed', projectId, subject: searchTools[tool] });
    const periods = done
      ? await store.callAudited('searches', 'removeTool', [projectId, tool], noted)
      : (await store.searches.listPeriods({ projectId, from: null, to: null })).filter(
          (period) => period.tool === tool,
        ).length;
    return { projectId, tool, done, periods };
  },
  command: {
    name: 'import-search --remove',
    operands: [],
    options: removeOptions,
    read: ({ values }) => readRemoval(searchToolNames, values),
    print: ({ tool, periods, done }) =>
      describeRemovedNumbers(searchTools[tool as SearchTool], periods, done),
  },
});

function describeRemovedNumbers(title: string, periods: number, isDone: boolean): string {
  if (periods === 0) return `There are no numbers of ${title}. Nothing was changed.\n`;
  const named = `The numbers of ${title} (${periods} ${periods === 1 ? 'table' : 'tables'} of a day or a range)`;
  return isDone
    ? `${named} were deleted.\n`
    : `${named} would be deleted. Nothing was changed: add --yes to do it.\n`;
}

/** What was imported, and taking it back; the commands are options of those that import. */
export const importOperations = [listImports, undoImport, removeStats, removeSearch];
