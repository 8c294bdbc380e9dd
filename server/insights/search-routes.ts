import { insightReports } from '../../shared/reports/insight-reports.ts';
import {
  type SearchEnginesQuery,
  type SearchNamesQuery,
  searchEnginesQuery,
  searchNamesQuery,
} from '../../shared/reports/search-engines.ts';
import { maxCsvRows } from '../analytics/csv.ts';
import { parseRange } from '../analytics/range.ts';
import type { Context } from '../context.ts';
import type { Route } from '../http/route.ts';
import { fileOf, insightRoute, type ProjectCall } from './report-call.ts';
import { choosePeriods, readSearchEngines, toNameRow, toPeriodReply } from './search-engines.ts';
import { sendTable } from './table.ts';

const replies = () => import('../../shared/replies/search-engines.ts');

/** What search engines tell of the site, as it was imported. */
export const searchRoutes: readonly Route[] = [
  insightRoute('search-engines', {
    query: searchEnginesQuery,
    reply: async () => (await replies()).searchEnginesReply,
    send: sendSearchEngines,
  }),
  insightRoute('search-names', {
    query: searchNamesQuery,
    reply: async () => (await replies()).searchNamesReply,
    send: sendSearchNames,
  }),
];

async function sendSearchEngines(context: Context, { project, query, res }: ProjectCall<SearchEnginesQuery>) {
  const range = parseRange(query, project.settings.timeZone);
  const page = await sendTable(res, query, {
    ...fileOf(context, project, 'search-engines', query),
    columns: insightReports['search-engines'].columns,
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
      columns: insightReports['search-names'].columns,
      rows: rows.map(toNameRow),
    },
  );
  return page && { of, periods: chosen.map(toPeriodReply), names: page.rows, hasMore: page.hasMore };
}
