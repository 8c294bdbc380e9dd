import type { z } from 'zod';
import { insightReports } from '../../shared/reports/insight-reports.ts';
import { operationOf, type Report } from '../../shared/reports/report.ts';
import { fileName } from '../analytics/file-name.ts';
import { parseRange, requireDays } from '../analytics/range.ts';
import { reportRoute } from '../analytics/report-route.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import type { ErrorCode } from '../errors.ts';
import type { Call, Route } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { BoundedRange } from './days.ts';
import type { TableQuery } from './table.ts';

export type ProjectCall<Query = undefined, Body = undefined> = Call<'project', Query, Body>;

interface Options<Query, Reply> {
  query: z.ZodObject & z.ZodType<Query>;
  reply: () => Promise<z.ZodType<Reply>>;
  /** What is answered. */
  says?: string;
  /** The end of the name of the operation, where the route does not tell it. */
  name?: string;
  refusals?: readonly ErrorCode[];
  /** Returns nothing where it sent a file. */
  send(context: Context, call: ProjectCall<Query>): Promise<Reply | undefined>;
}

/** The route of a report as it is declared. As many run at once as of other reports. */
export function insightRoute<Query extends Pick<TableQuery, 'format'>, Reply extends object>(
  path: keyof typeof insightReports,
  {
    query,
    reply,
    says = 'A page of rows, or a file',
    name = operationOf(path),
    refusals,
    send,
  }: Options<Query, Reply>,
): Route {
  const { summary, description }: Report = insightReports[path];
  return reportRoute({
    name: `analytics.${name}`,
    method: 'GET',
    path: `/v1/analytics/:projectId/${path}`,
    access: 'project',
    scope: 'read',
    summary,
    ...(description !== undefined && { description }),
    query,
    answers: { 200: { says, json: reply, types: ['text/csv'] } },
    ...(refusals && { refusals }),
    handle: (context, call) =>
      context.reportLimits.project[call.query.format].run(call.project.id, () => send(context, call)),
  });
}

export function todayOf({ ingest, now }: Context, { settings }: LiveProject): Day {
  return ingest.dayOf(settings.timeZone, now());
}

/** From the first day with a count to today, where the query names no others. @throws ApiError `invalid` */
export async function daysOf(
  context: Context,
  project: LiveProject,
  query: { dateFrom?: string | undefined; dateTo?: string | undefined },
  most: number,
): Promise<BoundedRange> {
  const range = parseRange(query, project.settings.timeZone);
  const to = range.to ?? todayOf(context, project) + 1;
  const first = range.from ?? (await context.store.firstDay(project.id)) ?? to;
  const from = range.from ?? Math.max(Math.min(first, to), to - most);
  requireDays({ from, to }, most);
  return { from, to };
}

/** Of its file. */
export function fileOf(
  context: Context,
  project: LiveProject,
  report: string,
  query?: Parameters<typeof fileName>[3],
): { name: string; maxMs: number } {
  return { name: fileName(context, project, report, query), maxMs: context.timing.fileMs };
}
