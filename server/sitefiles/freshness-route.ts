import { type FreshnessQuery, type FreshnessReply, freshnessQuery } from '../../shared/reports/sites.ts';
import { maxCsvRows, sendCsv } from '../analytics/csv.ts';
import { fileName } from '../analytics/file-name.ts';
import { asCounted } from '../analytics/filters.ts';
import { readMeasured } from '../analytics/measured.ts';
import { reportRoute } from '../analytics/report-route.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import { Freshness } from './freshness.ts';

const columns = [
  'path',
  'lastmod',
  'client',
  'firstRead',
  'lastRead',
  'readSince',
  'daysUntilRead',
  'daysSinceRead',
] as const;

/** When AI clients read the pages that the site's sitemaps list. */
export const freshnessRoute = reportRoute({
  name: 'analytics.freshness',
  method: 'GET',
  path: '/v1/analytics/:projectId/freshness',
  access: 'project',
  scope: 'read',
  summary: "When AI clients read the pages of the site's sitemap",
  description:
    'Pages by `lastmod`, the latest first. Days are those of the project; a read on the day of a change may have been before it.',
  query: freshnessQuery,
  answers: {
    200: {
      says: 'A page of rows, or all of them as a file',
      json: async () => (await import('../../shared/replies/sites.ts')).freshnessReply,
      types: ['text/csv'],
    },
  },
  handle: (context, call) =>
    context.reportLimits.project[call.query.format].run(call.project.id, () => answer(context, call)),
});

async function answer(
  context: Context,
  { project, query, res }: Call<'project', FreshnessQuery>,
): Promise<FreshnessReply | undefined> {
  const { unreadFor, limit, offset, format } = query;
  if (query.client === '*' && unreadFor !== undefined) {
    throw new ApiError(
      'invalid',
      'The query is not valid: unreadFor is of one client or of any, not of each.',
      {
        details: [{ message: 'cannot be given with client=*', path: 'unreadFor' }],
      },
    );
  }
  const { store, ingest, now, timing } = context;
  const names = { store, projectId: project.id, keptParameters: project.settings.keptParameters };
  const { client: written } = query;
  const client = written && written !== '*' ? await asCounted('client', written, names) : written;
  const site = await readSite(context, project);
  const today = ingest.dayOf(project.settings.timeZone, now());
  const pages = site ? ((await context.siteFiles.pages(project)) ?? []) : [];
  const freshness = await Freshness.ask({ store, project, pages, today }, { ...query, client });
  if (format === 'json') {
    const rows = await Array.fromAsync(freshness.rows(offset, offset + limit));
    const measured = await readMeasured(store, { projectId: project.id, from: null, to: null });
    return { site, pages: rows, hasMore: freshness.length > offset + limit, measured };
  }
  const rows = freshness.rows(0, maxCsvRows);
  await sendCsv(res, {
    name: fileName(context, project, 'freshness'),
    columns,
    rows: mapRows(rows, (row) => columns.map((column) => row[column])),
    isCut: freshness.length > maxCsvRows,
    maxMs: timing.fileMs,
  });
  return undefined;
}

async function* mapRows<Row, Mapped>(
  rows: AsyncIterable<Row>,
  map: (row: Row) => Mapped,
): AsyncGenerator<Mapped> {
  for await (const row of rows) yield map(row);
}

async function readSite(
  { store, siteFiles }: Context,
  project: LiveProject,
): Promise<FreshnessReply['site']> {
  const host = project.settings.siteHost;
  if (host === null) return null;
  const state = await store.sites.readSite(project.id);
  const { fetchedAt = null, trouble = '' } = state?.host === host ? state : {};
  return {
    host,
    robots: siteFiles.robotsStatus(project.id, host),
    pages: (await siteFiles.pages(project))?.length ?? null,
    fetchedAt: fetchedAt === null ? null : new Date(fetchedAt).toISOString(),
    trouble: trouble || null,
  };
}
