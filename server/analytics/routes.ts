import { type Request, type Response, Router } from 'express';
import { type Count, reportQuery } from '../../shared/analytics.ts';
import { authorizedProject } from '../authorize.ts';
import type { Context } from '../context.ts';
import { onlyMethods } from '../methods.ts';
import { parse } from '../parse.ts';
import type { Dimension, Measure } from '../store/store.ts';
import { Gate } from './gate.ts';
import { parseRange } from './range.ts';

interface Report {
  /** The last part of the address, and the field of the reply that holds the rows. */
  name: string;
  dimension: Dimension;
  measure: Measure;
}

const reports: readonly Report[] = [
  { name: 'visitors', dimension: 'path', measure: 'visitors' },
  { name: 'views', dimension: 'path', measure: 'views' },
  { name: 'sources', dimension: 'source', measure: 'visitors' },
  { name: 'countries', dimension: 'country', measure: 'visitors' },
  { name: 'devices', dimension: 'device', measure: 'visitors' },
  { name: 'browsers', dimension: 'browser', measure: 'visitors' },
  { name: 'systems', dimension: 'system', measure: 'visitors' },
];

/** Reports that run or wait at once; one takes some 20 ms of a thread of its own. */
const maxReports = 200;

/** `GET /v1/analytics/{projectId}/…`: counts by day range, paged. */
export function analyticsRoutes(context: Context): Router {
  const router = Router();
  const gate = new Gate(maxReports);
  for (const report of reports) {
    router
      .route(`/:projectId/${report.name}`)
      .get((req, res) => gate.pass(() => sendReport(context, report, req, res)))
      .all(onlyMethods('GET', 'HEAD'));
  }
  return router;
}

async function sendReport(context: Context, report: Report, req: Request, res: Response): Promise<void> {
  const { name, dimension, measure } = report;
  const project = authorizedProject(context, req);
  const query = parse(reportQuery, req.query, 'The query');
  const range = parseRange(query, project.settings.timeZone);
  const { limit, offset } = query;
  const counts = await context.store.readCounts({
    projectId: project.id,
    dimension,
    measure,
    ...range,
    limit,
    offset,
  });
  // Each day has its own salt: who comes on two days is counted on both.
  if (measure === 'visitors') res.set('X-Headcount-Uniques', 'daily');
  const rows = counts.rows.map(({ name: text, ...count }): Count & Record<string, unknown> => ({
    [dimension]: text,
    ...count,
  }));
  res.set('Cache-Control', 'no-store').json({ totals: counts.totals, [name]: rows, hasMore: counts.hasMore });
}
