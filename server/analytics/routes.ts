import { type Request, type Response, Router } from 'express';
import { type Count, reportQuery } from '../../shared/analytics.ts';
import type { LiveProject } from '../admin/registry.ts';
import { authorizedProject } from '../authorize.ts';
import type { Context } from '../context.ts';
import { findClient } from '../identity/catalogue.ts';
import { onlyMethods } from '../methods.ts';
import { parse } from '../parse.ts';
import type { Dimension, Measure, RangeQuery } from '../store/store.ts';
import { Gate } from './gate.ts';
import { parseRange } from './range.ts';

/** Makes the body of a reply from what was asked. */
type Report = (query: RangeQuery, req: Request, res: Response) => Promise<object>;

/** Reports that run or wait at once; one takes some 20 ms of a thread of its own. */
const maxReports = 200;

/** `GET /v1/analytics/{projectId}/…`: counts by day range, paged. */
export function analyticsRoutes(context: Context): Router {
  const router = Router();
  const gate = new Gate(maxReports);
  const reports: Record<string, Report> = {
    visitors: countReport(context, 'visitors', 'path', 'visitors'),
    views: countReport(context, 'views', 'path', 'views'),
    sources: countReport(context, 'sources', 'source', 'visitors'),
    countries: countReport(context, 'countries', 'country', 'visitors'),
    devices: countReport(context, 'devices', 'device', 'visitors'),
    browsers: countReport(context, 'browsers', 'browser', 'visitors'),
    systems: countReport(context, 'systems', 'system', 'visitors'),
    'ai-clients': clientReport(context),
    'ai-clients/:client/paths': clientPathReport(context),
    dropped: droppedReport(context),
  };
  for (const [path, report] of Object.entries(reports)) {
    router
      .route(`/:projectId/${path}`)
      .get((req, res) => gate.pass(() => sendReport(context, report, req, res)))
      .all(onlyMethods('GET', 'HEAD'));
  }
  return router;
}

async function sendReport(context: Context, report: Report, req: Request, res: Response): Promise<void> {
  const project: LiveProject = authorizedProject(context, req);
  const { limit, offset, ...dates } = parse(reportQuery, req.query, 'The query');
  const range = parseRange(dates, project.settings.timeZone);
  const body = await report({ projectId: project.id, ...range, limit, offset }, req, res);
  res.set('Cache-Control', 'no-store').json(body);
}

/** Each day has its own salt: who comes on two days is counted on both. */
function sayDaily(res: Response): void {
  res.set('X-Headcount-Uniques', 'daily');
}

/** `name` is the field of the reply that holds the rows; each row names its `dimension`. */
function countReport({ store }: Context, name: string, dimension: Dimension, measure: Measure): Report {
  return async (query, _req, res) => {
    const { totals, rows, hasMore } = await store.readCounts({ ...query, dimension, measure });
    if (measure === 'visitors') sayDaily(res);
    const named = rows.map(({ name: text, ...count }): Count & Record<string, unknown> => ({
      [dimension]: text,
      ...count,
    }));
    return { totals, [name]: named, hasMore };
  };
}

function clientReport({ store }: Context): Report {
  return async (query, _req, res) => {
    const { rows, hasMore } = await store.readClients(query);
    sayDaily(res);
    const clients = rows.map(({ name, proof, visitors, views }) => {
      // A client that has left the catalogue keeps its counts.
      const { operator = null, purpose = null } = findClient(name) ?? {};
      return { client: name, operator, purpose, proof, visitors, views };
    });
    return { clients, hasMore };
  };
}

function clientPathReport({ store }: Context): Report {
  return async (query, req, res) => {
    const { rows, hasMore } = await store.readClientPaths(query, String(req.params.client));
    sayDaily(res);
    return { paths: rows, hasMore };
  };
}

function droppedReport({ store }: Context): Report {
  return async (query) => {
    const { rows, hasMore } = await store.readDropped(query);
    return { dropped: rows.map((row) => ({ ...row, family: row.family || null })), hasMore };
  };
}
