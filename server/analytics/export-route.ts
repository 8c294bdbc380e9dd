import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { filterParameters, reportQuery } from '../../shared/reports/analytics.ts';
import { filterNames } from '../../shared/reports/pairs.ts';
import type { Report } from '../../shared/reports/report.ts';
import { reports } from '../../shared/reports/reports.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { parse } from '../http/parse.ts';
import type { Call, Route } from '../http/route.ts';
import { type Cell, maxCsvRows, rowsPerChunk, sendZip, type Table } from './csv.ts';
import type { Base, ReportRoute } from './declared-route.ts';
import { fileName } from './file-name.ts';
import { parseRange } from './range.ts';
import type { Audience } from './report-limits.ts';
import { reportRoute } from './report-route.ts';

const exportQuery = z.object({
  ...reportQuery.pick({ dateFrom: true, dateTo: true }).shape,
  ...filterParameters(filterNames),
});
type ExportQuery = z.infer<typeof exportQuery>;
type ExportCall = Call<Audience, ExportQuery>;

/** One file is of all goals. */
const isOfGoals = (report: string) => report.startsWith('goals/:goal/');

/** All reports of a range as files in one archive. */
export function exportRoute(base: Base<Audience>, routes: readonly ReportRoute[]): Route {
  const files = routes
    .map((route) => ({ ...route, report: route.path.slice(base.path.length + 1) }))
    .filter(
      ({ report, query, readTable }) =>
        readTable && query && 'dateFrom' in query.shape && (!report.includes(':') || isOfGoals(report)),
    );
  return reportRoute({
    ...{ name: `${base.name}.export`, method: 'GET', path: `${base.path}/export` },
    ...{ access: base.access, scope: 'read', query: exportQuery },
    summary: 'Export all reports of a range in one archive',
    description:
      'One CSV file a report, as `format=csv` sends it; those of a goal are of all goals, with a column `goal`. Reports that the filters cannot limit, and goals that a file has no room for, are listed in `left-out`, with the reason.',
    answers: { 200: { says: 'A ZIP archive', types: ['application/zip'] } },
    refusals: ['overloaded'],
    async handle(context, call) {
      const { project, query, res } = call;
      // What no report takes is an error, and no archive of errors.
      parseRange(query, project.settings.timeZone);
      await context.reportLimits[base.access].csv.run(project.id, () =>
        sendZip(res, {
          name: fileName(context, project, 'reports', query),
          tables: readTables(context, call, files),
          maxMs: context.timing.fileMs,
        }),
      );
    },
  });
}

async function* readTables(
  context: Context,
  call: ExportCall,
  files: readonly (ReportRoute & { report: string })[],
): AsyncGenerator<Table> {
  const { project, query } = call;
  const leftOut: string[][] = [];
  for (const route of files) {
    const { report } = route;
    if (isOfGoals(report) && project.settings.goals.length === 0) continue;
    const { panels = [] }: Report = Reflect.get(reports, report);
    const parts = panels.filter((panel) => panel.query);
    for (const { name = report.replace(/\/:\w+\//, '-'), query: own } of parts.length > 0 ? parts : [{}]) {
      try {
        const table: Table & Partial<GoalsTable> = await (isOfGoals(report)
          ? readOfGoals(context, call, route)
          : readTable(context, call, route, own));
        yield { ...table, name: fileName(context, project, name, query) };
        const { missing = [] } = table;
        if (missing.length > 0)
          leftOut.push([
            name,
            `A file has at most ${maxCsvRows.toLocaleString('en-US')} rows: rows of ${missing.map((goal) => `"${goal}"`).join(', ')} are missing.`,
          ]);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'invalid')) throw error;
        leftOut.push([name, error.message]);
      }
    }
  }
  if (leftOut.length === 0) return;
  const name = fileName(context, project, 'left-out', query);
  yield { name, columns: ['report', 'reason'], rows: leftOut, isCut: false };
}

/** With the goals of which not all rows are in it. */
interface GoalsTable extends Table {
  missing: string[];
}

/** As many rows as a file has, whatever the number of goals. @throws ApiError as `readTable` */
async function readOfGoals(context: Context, call: ExportCall, route: ReportRoute): Promise<GoalsTable> {
  const { project, req } = call;
  const rows: Cell[][] = [];
  let columns: readonly string[] = [];
  let missing: string[] = [];
  for (const [i, goal] of project.settings.goals.entries()) {
    const ofGoal = Object.assign(Object.create(req), { params: { ...req.params, goal } });
    const table = await readTable(context, { ...call, req: ofGoal }, route, undefined);
    columns = ['goal', ...table.columns];
    let isCut = table.isCut;
    for await (const row of table.rows) {
      if (rows.length === maxCsvRows) {
        isCut = true;
        break;
      }
      rows.push([goal, ...row]);
      // Hits are answered between.
      if (rows.length % rowsPerChunk === 0) await nextTurn();
    }
    if (isCut) {
      missing = project.settings.goals.slice(i);
      break;
    }
  }
  return { name: '', columns, rows, isCut: missing.length > 0, missing };
}

/** @throws ApiError `invalid` where the report has no such filters or not so many days */
async function readTable(
  context: Context,
  call: ExportCall,
  { query: schema, readTable }: ReportRoute,
  own: object | undefined,
): Promise<Table> {
  const unknown = Object.keys(call.query).filter((name) => !(schema && name in schema.shape));
  if (unknown.length > 0)
    throw new ApiError(
      'invalid',
      `The report has no filter ${unknown.map((name) => `"${name}"`).join(', ')}.`,
    );
  const query = parse(
    schema as NonNullable<typeof schema>,
    { ...call.query, ...own, format: 'csv' },
    'The query',
  );
  return (readTable as NonNullable<typeof readTable>)(context, { ...call, query });
}
