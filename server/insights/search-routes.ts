import {
  type SearchEnginesQuery,
  type SearchNamesQuery,
  searchEnginesQuery,
  searchNamesQuery,
} from '../../shared/reports/search-engines.ts';
import { maxCsvRows } from '../analytics/csv.ts';
import { parseRange } from '../analytics/range.ts';
import { reportRoute } from '../analytics/report-route.ts';
import type { Context } from '../context.ts';
import type { Route } from '../http/route.ts';
import { fileOf, limited, type ProjectCall } from './report-call.ts';
import { choosePeriods, readSearchEngines, toNameRow, toPeriodReply } from './search-engines.ts';
import { sendTable } from './table.ts';

const replies = () => import('../../shared/replies/search-engines.ts');

const base = '/v1/analytics/:projectId';
const csv = ['text/csv'];

/** What search engines tell of the site, as it was imported. */
export const searchRoutes: readonly Route[] = [
  reportRoute({
    name: 'analytics.search-engines',
    method: 'GET',
    path: `${base}/search-engines`,
    access: 'project',
    scope: 'read',
    summary: 'Clicks, impressions and citations that search engines tell, beside people who came from there',
    description:
      'Imported by `headcount searches`; of days that a tool told. `people` is counted here, and never added to `clicks`.',
    query: searchEnginesQuery,
    answers: {
      200: {
        says: 'A page of rows, or a file',
        json: async () => (await replies()).searchEnginesReply,
        types: csv,
      },
    },
    handle: limited(sendSearchEngines),
  }),
  reportRoute({
    name: 'analytics.search-names',
    method: 'GET',
    path: `${base}/search-names`,
    access: 'project',
    scope: 'read',
    summary: 'Queries, pages, countries and devices, as search engines tell them',
    description:
      'Of each tool the days asked for, where it told them by day; otherwise the newest range that it told as a whole and that has one of them.',
    query: searchNamesQuery,
    answers: {
      200: {
        says: 'A page of rows, or a file',
        json: async () => (await replies()).searchNamesReply,
        types: csv,
      },
    },
    handle: limited(sendSearchNames),
  }),
];

async function sendSearchEngines(context: Context, { project, query, res }: ProjectCall<SearchEnginesQuery>) {
  const range = parseRange(query, project.settings.timeZone);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'search-engines', query),
    columns: [
      ...(['date', 'tool', 'from', 'to', 'days', 'clicks', 'impressions', 'position'] as const),
      ...(['citations', 'citedPages', 'people'] as const),
    ],
    rows: await readSearchEngines({ store: context.store, projectId: project.id }, range, query),
  });
  return page && { searchEngines: page.rows, hasMore: page.hasMore };
}

async function sendSearchNames(context: Context, { project, query, res }: ProjectCall<SearchNamesQuery>) {
  const { store } = context;
  const { of, format, limit, offset } = query;
  const range = parseRange(query, project.settings.timeZone);
  const chosen = await choosePeriods({ store, projectId: project.id }, range, query);
  const part = format === 'csv' ? { limit: maxCsvRows + 1, offset: 0 } : { limit: limit + 1, offset };
  const rows = await store.searches.listNames({ projectId: project.id, kind: of, chosen, ...part });
  const page = await sendTable(
    res,
    { format, limit, offset: 0 },
    {
      ...fileOf(context, project, 'search-names', query),
      columns: ['tool', 'name', 'from', 'to', 'clicks', 'impressions', 'position', 'citations'],
      rows: rows.map(toNameRow),
    },
  );
  return page && { of, periods: chosen.map(toPeriodReply), names: page.rows, hasMore: page.hasMore };
}
