import { type GlanceQuery, type GlanceReply, glanceQuery } from '../../shared/reports/analytics.ts';
import { overview } from '../../shared/reports/insight-reports.ts';
import { glanceReply } from '../../shared/reports/replies.ts';
import type { Context } from '../context.ts';
import { fromDay } from '../counting/calendar.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { DaysQuery, Glance } from '../store/counts/analytics-store.ts';
import { countCells, maxCsvRows } from './csv.ts';
import { declaredRoute } from './declared-route.ts';
import { sayIncluded } from './filters.ts';
import { measuredBy, unmeasuredDays } from './measured.ts';
import { parseRange, requireDays } from './range.ts';
import { sumOf } from './series.ts';

const standardDays = 30;
/** Of each project, as all of them are in one answer. */
const maxDays = 366;

/** The overview of all projects has one limit, as it takes about as long as a few reports. */
export const glanceRoute = declaredRoute(
  { access: 'projects', name: 'analytics', path: '/v1/analytics' },
  '',
  overview,
  {
    ...{ name: 'glance', file: 'projects' },
    query: glanceQuery,
    reply: glanceReply,
    says: 'A page of projects, or a file of them all',
    async read(context, { projects, query }) {
      const { limit, offset, format } = query;
      const all = projects.sort(byName);
      const end = offset + limit;
      const part = format === 'csv' ? all.slice(0, maxCsvRows) : all.slice(offset, end);
      const read = await readProjects(context, part, query);
      return {
        answer: () => ({ projects: read, hasMore: all.length > end }),
        ...(read.some(isIncluding) && { moreColumns: ['includesExcluded'] }),
        rows: read.map(({ id, name, totals, measured, ...one }) => ({
          ...{ id, name, ...countCells(totals, measured) },
          ...(isIncluding(one) && { includesExcluded: 'yes' }),
        })),
        isCut: all.length > maxCsvRows,
        standardDays,
      };
    },
  },
);

const isIncluding = ({ includesExcluded }: { includesExcluded?: string | undefined }) =>
  includesExcluded !== undefined;

/** Two projects may have the same name. */
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
function rangeOf({ now }: Context, { id, calendar, settings }: LiveProject, query: GlanceQuery): DaysQuery {
  const range = parseRange(query, settings.timeZone);
  const to = range.to ?? calendar.dayOf(now()) + 1;
  const from = Math.min(range.from ?? to - standardDays, to);
  requireDays({ from, to }, maxDays);
  return { projectId: id, from, to };
}

function toReply(
  { id, settings }: LiveProject,
  { from, to }: DaysQuery,
  { days, dataSources }: Glance,
): GlanceReply['projects'][number] {
  const { name, timeZone } = settings;
  return {
    id,
    name,
    timeZone,
    ...sayIncluded(settings),
    totals: sumOf(days),
    firstDay: String(fromDay(from)),
    daily: dailyOf({ days, dataSources }, { from, to }),
    measured: measuredBy(dataSources),
  };
}

/**
 * Numbers alone, as an object for each day would make the answer four times as long. Days without a view are included, and a
 * zero that nobody measured is null.
 */
function dailyOf(
  { days, dataSources }: Glance,
  { from, to }: Pick<DaysQuery, 'from' | 'to'>,
): GlanceReply['projects'][number]['daily'] {
  const byDay = new Map(days.map(({ day, visitors }) => [day, visitors]));
  const dates = Array.from({ length: to - from }, (_, i) => from + i);
  const unmeasured = unmeasuredDays(dataSources);
  const known = (kind: 'human' | 'ai') =>
    dates.map((day) => byDay.get(day)?.[kind] || (unmeasured[kind].has(day) ? null : 0));
  return {
    human: known('human'),
    ai: known('ai'),
    total: dates.map((day) => byDay.get(day)?.total ?? 0),
  };
}
