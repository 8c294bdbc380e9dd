import type { Request, Response } from 'express';
import {
  filterParameters,
  type HoursReply,
  type NowReply,
  type ReportQuery,
  reportQuery,
  type SeriesQuery,
  type SeriesReply,
  seriesQuery,
} from '../../shared/reports/analytics.ts';
import { nameOf, operationOf, type Report } from '../../shared/reports/report.ts';
import { type CountedPath, countedPaths, type ReportPath, reports } from '../../shared/reports/reports.ts';
import type { Context } from '../context.ts';
import type { Call, Route } from '../http/route.ts';
import { checkOfClaim } from '../identity/claim.ts';
import { cellsOf, countColumns, maxCsvRows, sendCsv } from './csv.ts';
import { fileName } from './file-name.ts';
import { asCounted, eventAsCounted, goalAsSet, limits, namesIn, readFilter } from './filters.ts';
import { readHours } from './hours.ts';
import { readMeasured } from './measured.ts';
import { parseRange } from './range.ts';
import type { Audience } from './report-limits.ts';
import { reportRoute } from './report-route.ts';
import { type ReportRows, readOf, withCost } from './reports.ts';
import { readSeries } from './series.ts';

/** Each day has its own salt: who comes on two days is counted on both. */
const uniques = { 'X-Headcount-Uniques': '`daily`: a visitor is counted once a day.' };
const csvType = 'text/csv';

const replies = () => import('../../shared/replies/analytics.ts');
const seriesReplies = () => import('../../shared/replies/series.ts');

const wholeFile = { limit: maxCsvRows, offset: 0 };

/** Counts by day range, paged. */
export const analyticsRoutes: readonly Route[] = reportRoutes('project', {
  name: 'analytics',
  path: '/v1/analytics/:projectId',
});

/** Every report of one project, below the path and the name that are given. */
export function reportRoutes(access: Audience, base: { name: string; path: string }): Route[] {
  const at = (path: ReportPath): Endpoint => ({
    name: `${base.name}.${operationOf(path)}`,
    method: 'GET',
    path: `${base.path}/${path}`,
    access,
    scope: 'read',
    summary: reports[path].summary,
  });
  return [
    ...countedPaths.map((path) => rowsRoute(at(path), path)),
    seriesRoute(at('series')),
    hoursRoute(at('hours')),
    nowRoute(at('now')),
    filtersRoute(at('filters')),
  ];
}

interface Endpoint {
  name: string;
  method: 'GET';
  path: string;
  access: Audience;
  scope: 'read';
  summary: string;
}

function rowsRoute(endpoint: Endpoint, path: CountedPath): Route {
  const report: Report = reports[path];
  const query = report.takesSearch === false ? reportQuery.omit({ search: true }) : reportQuery;
  return reportRoute({
    ...endpoint,
    query: query.extend(filterParameters(namesIn(report.filters))),
    answers: {
      200: {
        says: 'A page of rows, or all of them as a file',
        json: async () => (await import('../../shared/replies/reports.ts')).replyOf(path),
        types: [csvType],
        ...(report.countsVisitors && { headers: uniques }),
      },
    },
    handle: (context, call) =>
      context.reportLimits[endpoint.access][call.query.format].run(call.project.id, () =>
        sendReport(context, path, call),
      ),
  });
}

function seriesRoute(endpoint: Endpoint): Route {
  return reportRoute({
    ...endpoint,
    query: seriesQuery.extend(filterParameters(namesIn(reports.series.filters))),
    answers: {
      200: {
        says: 'The days, or a file of them',
        json: async () => (await seriesReplies()).seriesReply,
        types: [csvType],
        headers: uniques,
      },
    },
    handle: (context, call) =>
      context.reportLimits[endpoint.access][call.query.format].run(call.project.id, () =>
        sendSeries(context, call),
      ),
  });
}

function hoursRoute(endpoint: Endpoint): Route {
  return reportRoute({
    ...endpoint,
    query: seriesQuery,
    answers: {
      200: {
        says: 'The hours, or a file of them',
        json: async () => (await seriesReplies()).hoursReply,
        types: [csvType],
        headers: uniques,
      },
    },
    handle: (context, call) =>
      context.reportLimits[endpoint.access][call.query.format].run(call.project.id, () =>
        sendHours(context, call),
      ),
  });
}

function nowRoute(endpoint: Endpoint): Route {
  return reportRoute({
    ...endpoint,
    answers: { 200: { says: 'How many', json: async () => (await replies()).nowReply } },
    handle: async ({ store, ingest, latelyMeasured, now }, { project }): Promise<NowReply> => {
      const today = ingest.dayOf(project.settings.timeZone, now());
      const [visitors, measured] = await Promise.all([
        ingest.recent(project.id),
        latelyMeasured.read(store, project.id, today, now()),
      ]);
      return { visitors, measured };
    },
  });
}

function filtersRoute(endpoint: Endpoint): Route {
  return reportRoute({
    ...endpoint,
    answers: { 200: { says: 'The parameters', json: async () => (await replies()).filtersReply } },
    handle: () => ({
      reports: Object.entries(limits).map(([report, filters]) => ({
        report,
        filters: filters.map((names) => [...names]),
      })),
    }),
  });
}

async function sendReport(
  context: Context,
  path: CountedPath,
  { project, query, req, res }: Call<Audience, ReportQuery>,
): Promise<object | undefined> {
  const report: Report = reports[path];
  const { store, timing, proofs, now } = context;
  const { id, settings } = project;
  const { limit, offset, format, search, sort } = query;
  const part = format === 'csv' ? wholeFile : { limit, offset };
  const days = parseRange(query, settings.timeZone);
  const names = { store, projectId: id, keptParameters: settings.keptParameters };
  const filter = await readFilter(req.query, nameOf(path), names);
  const params = await readParams(req.params, names, settings.goals);
  const asked = { projectId: id, ...days, filter, search: search || undefined, order: sort, ...part };
  const isTold = report.tellsMeasured && format === 'json';
  const claims = (client: string) => checkOfClaim(client, proofs.feedTimes(), now());
  const [found, measured] = await Promise.all([
    readOf(path)(store, asked, params, claims),
    isTold ? readMeasured(store, asked) : undefined,
  ]);
  const rows = report.tellsCost ? withCost(found.rows, settings.trafficPrice) : found.rows;
  if (report.countsVisitors) res.set('X-Headcount-Uniques', 'daily');
  if (format === 'json') {
    const page = { [report.field ?? 'rows']: [...rows], hasMore: found.hasMore };
    return { ...found.head, ...page, ...(measured && { measured }) };
  }
  const name = fileName(context, project, path.replace(/\/:\w+\//, '-'), query);
  await sendFile(res, name, report, { ...found, rows, maxMs: timing.fileMs });
  return undefined;
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

function sendFile(
  res: Response,
  name: string,
  { columns = [] }: Report,
  { rows, hasMore, maxMs }: ReportRows & { maxMs: number },
): Promise<void> {
  const cells = Iterator.from(rows).map((row) => columns.map((column) => row[column] ?? null));
  return sendCsv(res, { name, columns, rows: cells, isCut: hasMore, maxMs });
}

async function sendSeries(
  context: Context,
  { project, query, req, res }: Call<Audience, SeriesQuery>,
): Promise<SeriesReply | undefined> {
  const { id: projectId, settings } = project;
  const { keptParameters } = settings;
  const filter = await readFilter(req.query, 'series', { store: context.store, projectId, keptParameters });
  const reply = await readSeries(context, project, { ...query, filter });
  res.set('X-Headcount-Uniques', 'daily');
  if (query.format === 'json') return reply;
  const rows = reply.days.map(({ date, measured, ...count }) => [date, ...cellsOf(count, measured)]);
  const name = fileName(context, project, 'series', query);
  const maxMs = context.timing.fileMs;
  await sendCsv(res, { name, columns: ['date', ...countColumns], rows, isCut: false, maxMs });
  return undefined;
}

async function sendHours(
  context: Context,
  { project, query, res }: Call<Audience, SeriesQuery>,
): Promise<HoursReply | undefined> {
  const reply = await readHours(context, project, query);
  res.set('X-Headcount-Uniques', 'daily');
  if (query.format === 'json') return reply;
  const rows = reply.days.flatMap(({ date, hours, measured }) =>
    hours.map(({ hour, ...count }) => [date, hour, ...cellsOf(count, measured)]),
  );
  const name = fileName(context, project, 'hours', query);
  const maxMs = context.timing.fileMs;
  await sendCsv(res, { name, columns: ['date', 'hour', ...countColumns], rows, isCut: false, maxMs });
  return undefined;
}
