import { type Request, type Response, Router } from 'express';
import { type NowReply, type ReportQuery, reportQuery, seriesQuery } from '../../shared/analytics.ts';
import type { Context } from '../context.ts';
import { authorizedProject } from '../http/authorize.ts';
import { Gate } from '../http/concurrency-limit.ts';
import { onlyMethods } from '../http/methods.ts';
import { parse } from '../http/parse.ts';
import type { LiveProject } from '../projects/registry.ts';
import { maxCsvRows, sendCsv } from './csv.ts';
import { parseRange } from './range.ts';
import { createReports, type Reading, type Report } from './report.ts';
import { readSeries } from './series.ts';

/** Files take longer. */
const maxFiles = 4;

const wholeFile = { limit: maxCsvRows, offset: 0 };

type Gates = Record<ReportQuery['format'], Gate>;

/** Answers about one project. */
type Answer = (project: LiveProject, req: Request, res: Response) => Promise<void>;

interface ReportRoutes {
  /** Path of the routes up to the report. */
  base: string;
  /** Whose report it is. @throws ApiError for who may not see it */
  findProject: (req: Request) => LiveProject;
  /** Reports that run or wait at once; one takes some 20 ms of a thread of its own, which all share. */
  maxReports: number;
  /** Names of reports that are not offered. */
  without?: readonly string[];
}

/** `GET /v1/analytics/{projectId}/…`: counts by day range, paged. */
export function analyticsRoutes(context: Context): Router {
  return reportRoutes(context, {
    base: '/:projectId',
    findProject: (req) => authorizedProject(context, req),
    maxReports: 200,
  });
}

export function reportRoutes(
  context: Context,
  { base, findProject, maxReports, without = [] }: ReportRoutes,
): Router {
  const router = Router();
  const gates: Gates = { json: new Gate(maxReports), csv: new Gate(maxFiles) };
  const answers: Record<string, Answer> = {
    ...Object.fromEntries(createReports(context).map((report) => [report.path, answerWith(report, gates)])),
    series: (project, req, res) => sendSeries(context, gates, project, req, res),
    now: async ({ id }, _req, res) => {
      res.json({ visitors: context.ingest.recent(id) } satisfies NowReply);
    },
  };
  for (const [path, answer] of Object.entries(answers)) {
    if (without.includes(path)) continue;
    router
      .route(`${base}/${path}`)
      .get((req, res) => answer(findProject(req), req, res.set('Cache-Control', 'no-store')))
      .all(onlyMethods('GET', 'HEAD'));
  }
  return router;
}

function answerWith(report: Report, gates: Gates): Answer {
  return async ({ id, settings }, req, res) => {
    const { limit, offset, format, search, sort, ...dates } = parse(reportQuery, req.query, 'The query');
    const days = parseRange(dates, settings.timeZone);
    const query = { projectId: id, ...days, search: search || undefined, order: sort, limit, offset };
    await gates[format].pass(async () => {
      const reading = await report.read(format === 'csv' ? { ...query, ...wholeFile } : query, req);
      // Each day has its own salt: who comes on two days is counted on both.
      if (report.countsVisitors) res.set('X-Headcount-Uniques', 'daily');
      if (format === 'csv') await sendFile(res, id, report, reading);
      else {
        const { head, rows, hasMore } = reading;
        res.json({ ...head, [report.field]: [...rows], hasMore });
      }
    });
  };
}

function sendFile(
  res: Response,
  projectId: string,
  report: Report,
  { rows, hasMore }: Reading,
): Promise<void> {
  const { columns, path } = report;
  const name = fileName(projectId, path.replace('/:client/', '-'));
  const cells = Iterator.from(rows).map((row) => columns.map((column) => row[column] ?? null));
  return sendCsv(res, { name, columns, rows: cells, isCut: hasMore });
}

async function sendSeries(
  context: Context,
  gates: Gates,
  project: LiveProject,
  req: Request,
  res: Response,
): Promise<void> {
  const { format } = parse(seriesQuery, req.query, 'The query');
  await gates[format].pass(async () => {
    const reply = await readSeries(context, project, req);
    res.set('X-Headcount-Uniques', 'daily');
    if (format === 'json') res.json(reply);
    else {
      const columns = ['date', 'humanVisitors', 'aiVisitors', 'visitors', 'humanViews', 'aiViews', 'views'];
      const rows = reply.days.map(({ date, visitors, views }) => [
        date,
        ...[visitors, views].flatMap(({ human, ai, total }) => [human, ai, total]),
      ]);
      await sendCsv(res, { name: fileName(project.id, 'series'), columns, rows, isCut: false });
    }
  });
}

/** Ids of projects have letters and digits only. */
function fileName(projectId: string, report: string): string {
  return `headcount-${projectId}-${report}`;
}
