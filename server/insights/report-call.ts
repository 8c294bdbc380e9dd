import { insightReports } from '../../shared/reports/insight-reports.ts';
import { maxCsvRows } from '../analytics/csv.ts';
import {
  declaredRoute,
  type Found,
  ofProject,
  type Reading,
  type ReportRoute,
} from '../analytics/declared-route.ts';
import { parseRange, requireDays } from '../analytics/range.ts';
import type { Context } from '../context.ts';
import type { Day } from '../counting/calendar.ts';
import type { Call } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { BoundedRange } from './days.ts';

export function todayOf({ now }: Context, { calendar }: LiveProject): Day {
  return calendar.dayOf(now());
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

/** A page of rows, or all of them as a file. */
interface TableQuery {
  /** Left out: all there are. */
  limit?: number;
  offset?: number;
  format: 'json' | 'csv';
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}

/** The result of a report, and the response with a page of it. */
interface Rows<Row, Reply> {
  rows: readonly Row[];
  /** The rows begin at the offset. */
  isPage?: true;
  included?: Found<Reply>['included'];
  answer(page: Row[], hasMore: boolean): Reply | Promise<Reply>;
}

type Declared = typeof insightReports;
type WithColumns = {
  [Path in keyof Declared]: Declared[Path] extends { columns: readonly string[] } ? Path : never;
}[keyof Declared];

/** The route of a report that is rows of the columns it declares. */
export const rowsRoute = <
  Path extends WithColumns,
  Query extends TableQuery,
  Reply extends object,
  Row extends Record<Declared[Path]['columns'][number], unknown>,
>(
  path: Path,
  {
    read,
    says = 'A page of rows, or a file',
    ...options
  }: Omit<Reading<'project', Query, Reply>, 'read' | 'says'> & {
    says?: string;
    read(context: Context, call: Call<'project', Query>): Promise<Rows<Row, Reply>>;
  },
): ReportRoute =>
  declaredRoute(ofProject, path, insightReports[path], {
    ...{ says, ...options },
    async read(context, call) {
      const { rows, isPage, answer, included = {} } = await read(context, call);
      const { limit = rows.length, offset = 0 } = call.query;
      const from = isPage ? 0 : offset;
      return {
        answer: () => answer(rows.slice(from, from + limit), rows.length > from + limit),
        rows: rows.slice(0, maxCsvRows),
        ...{ isCut: rows.length > maxCsvRows, included },
      };
    },
  });
