import { fileName } from '../analytics/file-name.ts';
import { parseRange, requireDays } from '../analytics/range.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import type { Call } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { BoundedRange } from './days.ts';
import type { TableQuery } from './table.ts';

export type ProjectCall<Query = undefined, Body = undefined> = Call<'project', Query, Body>;

type Handler<Query, Reply> = (context: Context, call: ProjectCall<Query>) => Promise<Reply>;

/** As many at once as of other reports. */
export function limited<Query extends { format: TableQuery['format'] }, Reply>(
  send: Handler<Query, Reply>,
): Handler<Query, Reply> {
  return (context, call) =>
    context.reportLimits.project[call.query.format].run(call.project.id, () => send(context, call));
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
