import type { Request } from 'express';
import {
  filterParameters,
  peopleParameter,
  type ReportQuery,
  reportQuery,
  seriesQuery,
} from '../../shared/reports/analytics.ts';
import {
  filtersReply,
  hoursReply,
  type LiveReply,
  liveReply,
  nowReply,
  replyOf,
  sectionSuggestionsReply,
  seriesReply,
} from '../../shared/reports/replies.ts';
import { nameOf, type Report } from '../../shared/reports/report.ts';
import { type CountedPath, countedPaths, reports } from '../../shared/reports/reports.ts';
import type { Context } from '../context.ts';
import type { Call, Route } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import { boundColumns, readCombinedRows, withMost } from './combined.ts';
import { maxCsvRows } from './csv.ts';
import { type Base, declaredRoute, type Found, ofProject, type ReportRoute } from './declared-route.ts';
import {
  asCounted,
  askedOf,
  combinedIn,
  eventAsCounted,
  goalAsSet,
  limits,
  namesIn,
  readFilter,
  sayIncluded,
  sayLacking,
} from './filters.ts';
import { readHours } from './hours.ts';
import { readMeasured } from './measured.ts';
import { parseRange } from './range.ts';
import type { Audience } from './report-limits.ts';
import { reportRoute } from './report-route.ts';
import { checkOfClaim, readOf, withCost } from './reports.ts';
import { readSuggestions } from './section-suggestions.ts';
import { readSeries } from './series.ts';

const wholeFile = { limit: maxCsvRows, offset: 0 };

/** Counts by day range, paged. */
export const analyticsRoutes: readonly ReportRoute[] = reportRoutes(ofProject);

/** Every report of counts of one project. */
export function reportRoutes<A extends Audience>(base: Base<A>): ReportRoute[] {
  return [
    ...countedPaths.map((path) => countedRoute(base, path)),
    declaredRoute(base, 'series', reports.series, {
      query: seriesQuery.extend(filterParameters(namesIn(reports.series))),
      reply: seriesReply,
      says: 'The days, or a file of them',
      read: readSeries,
    }),
    declaredRoute(base, 'hours', reports.hours, {
      query: seriesQuery,
      reply: hoursReply,
      says: 'The hours, or a file of them',
      read: readHours,
    }),
    declaredRoute(base, 'now', reports.now, {
      reply: nowReply,
      says: 'How many',
      read: ({ store, ingest, latelyMeasured, live, now }, { project }) => ({
        async answer() {
          const { id, calendar, settings } = project;
          const { pastCountries } = askedOf(store, id, settings);
          const [visitors, measured, { includesExcluded }] = await Promise.all([
            ingest.recent(id),
            latelyMeasured.read(store, id, calendar.dayOf(now()), now()),
            pastCountries.length > 0 ? live.read(project) : { includesExcluded: undefined },
          ]);
          return { visitors, measured, ...(includesExcluded !== undefined && { includesExcluded }) };
        },
      }),
    }),
    liveRoute(base),
    declaredRoute(base, 'section-suggestions', reports['section-suggestions'], {
      reply: sectionSuggestionsReply,
      says: 'Globs with names',
      read: (context, { project }) => ({ answer: () => suggest(context, project) }),
    }),
    declaredRoute(base, 'filters', reports.filters, {
      reply: filtersReply,
      says: 'The parameters',
      read: () => ({
        answer: () => ({
          reports: Object.entries(limits).map(([report, filters]) => ({
            report,
            filters: filters.map((names) => [...names]),
            combined: [...combinedIn(report)],
          })),
        }),
      }),
    }),
  ];
}

/** Of the sitemaps, those that were changed last. */
const maxListedPages = 10_000;

/** By what was viewed lately, and what the sitemaps list. */
async function suggest(context: Context, project: LiveProject) {
  const listed = (project.settings.siteHost && (await context.siteFiles.pages(project))) || [];
  const paths = listed.slice(0, maxListedPages).map(({ path }) => path);
  return readSuggestions(context, project, paths);
}

/** Who is there now, once or as a stream. */
function liveRoute<A extends Audience>({ access, name, path }: Base<A>): Route {
  const { summary, description } = reports.live;
  return reportRoute({
    ...{
      name: `${name}.live`,
      method: 'GET',
      path: `${path}/live`,
      access,
      scope: 'read',
      summary,
      description,
    },
    answers: { 200: { says: 'Who is there', json: liveReply, types: ['text/event-stream'] } },
    refusals: ['overloaded'],
    async handle({ live, liveStreams }, call) {
      const { project, req, res, mayGoOn } = call as Call<'project'>;
      res.set('X-Headcount-Uniques', 'daily').vary('Accept');
      if (req.accepts(['application/json', 'text/event-stream']) !== 'text/event-stream')
        return live.read(project);
      if (req.method === 'HEAD') {
        res.type('text/event-stream').end();
        return undefined;
      }
      let sent: LiveReply | undefined;
      const send: Parameters<typeof liveStreams.run>[1] = async (stream) => {
        if (!mayGoOn()) return 'end';
        const reply = await live.read(project);
        if (reply !== sent) await stream.send({ data: reply });
        sent = reply;
        return 'more';
      };
      await liveStreams.run(res, send, () => () => undefined);
      return undefined;
    },
  });
}

function countedRoute<A extends Audience>(base: Base<A>, path: CountedPath): ReportRoute {
  const report: Report = reports[path];
  const query = report.takesSearch === false ? reportQuery.omit({ search: true }) : reportQuery;
  return declaredRoute(base, path, report, {
    query: query.extend({ ...filterParameters(namesIn(report)), ...peopleParameter(report.takesPeople) }),
    reply: () => replyOf(path),
    says: 'A page of rows, or all of them as a file',
    read: (context, call) => readCounted(context, path, call),
  });
}

/** Rows of pages, which are bounded where pages were renamed. */
const boundedRows: readonly CountedPath[] = [
  ...(['visitors', 'views', 'ai-clients/:client/paths', 'assistant-landings'] as const),
];

async function readCounted(
  { store, proofs, now }: Context,
  path: CountedPath,
  { project: { id: projectId, settings }, query, req }: Call<Audience, ReportQuery>,
): Promise<Found<object>> {
  const report: Report = reports[path];
  const { limit, offset, format, search, sort, people } = query;
  const part = format === 'csv' ? wholeFile : { limit, offset };
  const days = parseRange(query, settings.timeZone);
  const names = askedOf(store, projectId, settings);
  const { filter, conditions, pages } = await readFilter(req.query, nameOf(path), { ...names, days });
  const params = await readParams(req.params, names, settings.goals);
  const asked = {
    projectId,
    ...days,
    filter,
    pages,
    search: search || undefined,
    order: sort,
    people,
    ...part,
  };
  const showsMeasured = report.hasMeasured && format === 'json';
  const claims = (client: string) => checkOfClaim(client, proofs.feedTimes(), now());
  // Nobody is in what was not counted, and it is kept as long as totals are.
  const isOfCounted = path !== 'dropped' && path !== 'cardinality-limits';
  const [found, measured, lacking] = await Promise.all([
    conditions
      ? readCombinedRows(store, asked, path, conditions)
      : readOf(path)(store, asked, params, claims),
    showsMeasured ? readMeasured(store, asked) : undefined,
    // Filters together have bounds for such days.
    isOfCounted && !conditions && path !== 'data-sources' ? sayLacking(store, { projectId, ...days }) : {},
  ]);
  const { head, hasMore } = found;
  const isBounded =
    conditions !== undefined ||
    found.isBounded ||
    path === 'goals/:goal/channels' ||
    (names.renamedPaths.length > 0 && boundedRows.includes(path));
  const included = { ...(!conditions && isOfCounted && sayIncluded(settings)), ...lacking, ...found.said };
  const rows = report.hasCost ? withCost(found.rows, settings.trafficPrice) : found.rows;
  return {
    rows: isBounded && format === 'csv' ? Iterator.from(rows).map(withMost) : rows,
    ...(isBounded && { moreColumns: boundColumns(path) }),
    ...{ isCut: hasMore, included },
    answer: () => ({
      ...{ ...head, [report.field ?? 'rows']: [...rows], hasMore },
      ...(measured && { measured }),
    }),
  };
}

/** The names in the path of a report, as they are counted. @throws ApiError `invalid` */
async function readParams(
  { client, event, goal }: Request['params'],
  names: Parameters<typeof asCounted>[2],
  goals: readonly string[],
): Promise<Record<string, string>> {
  return {
    ...(client !== undefined && { client: await asCounted('client', String(client), names) }),
    ...(event !== undefined && { event: await eventAsCounted(String(event), names) }),
    ...(goal !== undefined && { goal: goalAsSet(String(goal), goals) }),
  };
}
