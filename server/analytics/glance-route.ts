import { type GlanceQuery, type GlanceReply, glanceQuery } from '../../shared/reports/analytics.ts';
import type { Context } from '../context.ts';
import { fromDay } from '../counting/calendar.ts';
import type { Call, Route } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { DaysQuery, Glance } from '../store/counts/analytics-store.ts';
import { cellsOf, countColumns, maxCsvRows, sendCsv } from './csv.ts';
import { measuredBy, unmeasuredDays } from './measured.ts';
import { parseRange, requireDays } from './range.ts';
import { reportRoute } from './report-route.ts';
import { sumOf } from './series.ts';

type GlanceCall = Call<'projects', GlanceQuery>;

const standardDays = 30;
/** Of each project, as all of them are in one answer. */
const maxDays = 366;

/** All projects at a glance: they share one limit, as one answer of theirs takes about as long as a few reports. */
export const glanceRoute: Route = reportRoute({
  name: 'analytics.glance',
  method: 'GET',
  path: '/v1/analytics',
  access: 'projects',
  scope: 'read',
  summary: 'All projects at a glance: their visitors day by day',
  query: glanceQuery,
  answers: {
    200: {
      says: 'A page of projects, or a file of them all',
      json: async () => (await import('../../shared/replies/glance.ts')).glanceReply,
      types: ['text/csv'],
      headers: { 'X-Headcount-Uniques': '`daily`: a visitor is counted once a day.' },
    },
  },
  handle: (context, call) =>
    context.reportLimits.project[call.query.format].run('*', () => sendGlance(context, call)),
});

async function sendGlance(
  context: Context,
  { projects, query, res }: GlanceCall,
): Promise<GlanceReply | undefined> {
  const { limit, offset, format } = query;
  const all = projects.sort(byName);
  res.set('X-Headcount-Uniques', 'daily');
  if (format === 'json') {
    const page = all.slice(offset, offset + limit);
    return { projects: await readProjects(context, page, query), hasMore: all.length > offset + limit };
  }
  const read = await readProjects(context, all.slice(0, maxCsvRows), query);
  await sendCsv(res, {
    name: 'headcount-projects',
    columns: ['id', 'name', ...countColumns],
    rows: read.map(({ id, name, totals, measured }) => [id, name, ...cellsOf(totals, measured)]),
    isCut: all.length > maxCsvRows,
    maxMs: context.timing.fileMs,
  });
  return undefined;
}

/** Two may have the same name. */
function byName(a: LiveProject, b: LiveProject): number {
  const [first, second] = [a.settings.name, b.settings.name];
  return first < second || (first === second && a.id < b.id) ? -1 : 1;
}

async function readProjects(
  context: Context,
  projects: readonly LiveProject[],
  query: GlanceQuery,
): Promise<GlanceReply['projects']> {
  const ranges = projects.map((project) => rangeOf(context, project, query));
  const glances = await context.store.readGlances(ranges);
  return projects.map((project, i) => toReply(project, ranges[i] as DaysQuery, glances[i] as Glance));
}

/** In the project's own time zone. @throws ApiError `invalid` */
function rangeOf({ ingest, now }: Context, { id, settings }: LiveProject, query: GlanceQuery): DaysQuery {
  const range = parseRange(query, settings.timeZone);
  const to = range.to ?? ingest.dayOf(settings.timeZone, now()) + 1;
  const from = Math.min(range.from ?? to - standardDays, to);
  requireDays({ from, to }, maxDays);
  return { projectId: id, from, to };
}

function toReply(
  { id, settings: { name, timeZone } }: LiveProject,
  { from, to }: DaysQuery,
  { days, ways }: Glance,
): GlanceReply['projects'][number] {
  return {
    id,
    name,
    timeZone,
    totals: sumOf(days),
    firstDay: String(fromDay(from)),
    daily: dailyOf({ days, ways }, { from, to }),
    measured: measuredBy(ways),
  };
}

/**
 * Numbers alone, as an object for each day would make the answer four times as long. Days without a view stand there too, and a
 * zero that nobody measured is null.
 */
function dailyOf(
  { days, ways }: Glance,
  { from, to }: Pick<DaysQuery, 'from' | 'to'>,
): GlanceReply['projects'][number]['daily'] {
  const byDay = new Map(days.map(({ day, visitors }) => [day, visitors]));
  const dates = Array.from({ length: to - from }, (_, i) => from + i);
  const unmeasured = unmeasuredDays(ways);
  const known = (kind: 'human' | 'ai') =>
    dates.map((day) => byDay.get(day)?.[kind] || (unmeasured[kind].has(day) ? null : 0));
  return {
    human: known('human'),
    ai: known('ai'),
    total: dates.map((day) => byDay.get(day)?.total ?? 0),
  };
}
