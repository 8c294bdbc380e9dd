import type { Response } from 'express';
import type { z } from 'zod';
import { operationOf, type Report } from '../../shared/reports/report.ts';
import type { Context } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import type { Call, Route } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import { type Cell, type Table as CsvTable, sendCsv } from './csv.ts';
import { fileName } from './file-name.ts';
import type { Audience } from './report-limits.ts';
import { reportRoute } from './report-route.ts';

/** Each day has its own salt: a visitor of two days is counted on both. */
const uniques = { 'X-Headcount-Uniques': '`daily`: a visitor is counted once a day.' };

/** Of whom a report is, and who asks for it: the address of its route begins so, and the name of its operation. */
export interface Base<A extends Audience | 'projects' = Audience | 'projects'> {
  access: A;
  name: string;
  path: string;
}

export const ofProject: Base<'project'> = {
  access: 'project',
  name: 'analytics',
  path: '/v1/analytics/:projectId',
};

interface FileQuery {
  format?: 'json' | 'csv';
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
}

type Row = Readonly<Record<string, unknown>>;

interface Table {
  /** Columns besides those that the report declares. */
  moreColumns?: readonly string[];
  rows: Iterable<Row> | AsyncIterable<Row>;
  /** There are more than a file has. */
  isCut?: boolean;
  /** Sentences about all numbers: each is a field of the reply, and a column of the file. */
  included?: Said;
}

interface Said {
  /** They hold what is excluded for the past, too. */
  includesExcluded?: string;
  /** They leave out days of which only totals are kept. */
  lacksDetails?: string;
  /** Views by people are at least so many. */
  lacksPeople?: string;
}

/** The reply, and the rows of a file. */
export interface Found<Reply> extends Partial<Table> {
  answer(): Reply | Promise<Reply>;
  /** How many it has where none are asked for. */
  standardDays?: number;
}

export interface Reading<A extends Base['access'], Query, Reply> {
  query?: z.ZodObject & z.ZodType<Query>;
  reply: () => z.ZodType<Reply>;
  /** The response. */
  says: string;
  /** The end of the name of the operation, where the route does not have it. */
  name?: string;
  refusals?: readonly ErrorCode[];
  /** What files call it, where the route does not have it. */
  file?: string;
  read(context: Context, call: Call<A, Query>): Found<Reply> | Promise<Found<Reply>>;
}

/** The route of a report, and the same rows for a file of several reports. */
export interface ReportRoute extends Route {
  /** Missing: it is no file. @param call whose query is parsed by the route's */
  readTable?: (context: Context, call: Call<Base['access'], unknown>) => Promise<CsvTable>;
}

/** The route of a report as it is declared. Those with columns are files, too, of which a bounded number run at once. */
export function declaredRoute<A extends Base['access'], Query extends FileQuery, Reply extends object>(
  { access, name: group, path: start }: Base<A>,
  path: string,
  { summary, description, columns, countsVisitors }: Report,
  { query, reply, says, refusals, read, ...named }: Reading<A, Query, Reply>,
): ReportRoute {
  const { name = operationOf(path), file = path.replace(/\/:\w+\//, '-') } = named;
  const tableOf = (context: Context, call: Call<A, Query>, found: Found<Reply>): CsvTable => {
    const { rows = [], moreColumns = [], isCut = false, included = {}, standardDays } = found;
    const { project } = call as { project?: LiveProject };
    const all = [...(columns ?? []), ...moreColumns];
    const said = Object.keys(included);
    return {
      name: fileName(context, project ?? null, file, call.query, standardDays),
      ...{ columns: [...all, ...said], rows: cellsOf(rows, all, said), isCut },
    };
  };
  const send = async (context: Context, call: Call<A, Query>): Promise<Reply | undefined> => {
    const found = await read(context, call);
    const { res } = call as { res: Response };
    if (countsVisitors) res.set('X-Headcount-Uniques', 'daily');
    if (call.query?.format !== 'csv') return { ...(await found.answer()), ...found.included };
    await sendCsv(res, { ...tableOf(context, call, found), maxMs: context.timing.fileMs });
    return undefined;
  };
  const declared = reportRoute({
    name: `${group}.${name}`,
    method: 'GET',
    path: path === '' ? start : `${start}/${path}`,
    access,
    scope: 'read',
    summary,
    ...(description !== undefined && { description }),
    ...(query && { query }),
    answers: {
      200: {
        ...{ says, json: reply },
        ...(columns && { types: ['text/csv'] }),
        ...(countsVisitors && { headers: uniques }),
      } as { says: string; json: () => z.ZodType<Reply>; types: string[] },
    },
    ...(refusals && { refusals }),
    handle(context, call) {
      if (!call.query?.format) return send(context, call);
      const { [access === 'page_link' ? access : 'project']: limits } = context.reportLimits;
      const { project } = call as { project?: LiveProject };
      return limits[call.query.format].run(project?.id ?? '*', () => send(context, call));
    },
  });
  if (!columns) return declared;
  return {
    ...declared,
    async readTable(context, call) {
      const own = call as unknown as Call<A, Query>;
      return tableOf(context, own, await read(context, own));
    },
  };
}

/** @param said further columns, in which each row says yes */
async function* cellsOf(
  rows: Table['rows'],
  columns: readonly string[],
  said: readonly string[],
): AsyncGenerator<Cell[]> {
  for await (const row of rows)
    yield [...columns.map((column) => toCell(row[column])), ...said.map(() => 'yes')];
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' || typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(' ') : String(value);
}
