import { insightReports } from '../../shared/reports/insight-reports.ts';
import {
  type FreshnessQuery,
  type FreshnessReply,
  freshnessQuery,
  freshnessReply,
} from '../../shared/reports/sites.ts';
import { maxCsvRows } from '../analytics/csv.ts';
import { declaredRoute, type Found, ofProject } from '../analytics/declared-route.ts';
import { asCounted, askedOf, readPages } from '../analytics/filters.ts';
import { readMeasured } from '../analytics/measured.ts';
import type { Context } from '../context.ts';
import { type Day, fromDay } from '../counting/calendar.ts';
import { pageTest } from '../counting/condition.ts';
import { searchableText, wantedText } from '../counting/names/name-search.ts';
import { renamesOf } from '../counting/page/renamed.ts';
import type { ReadDays } from '../counting/read-days.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { SitePage } from './sitemap/site-pages.ts';

/** When AI clients read the pages that the site's sitemaps list. */
export const freshnessRoute = declaredRoute(ofProject, 'freshness', insightReports.freshness, {
  query: freshnessQuery,
  reply: freshnessReply,
  says: 'A page of rows, or all of them as a file',
  read: readFreshness,
});

async function readFreshness(
  context: Context,
  { project, query }: Call<'project', FreshnessQuery>,
): Promise<Found<FreshnessReply>> {
  const { unreadFor, limit, offset } = query;
  if (query.client === '*' && unreadFor !== undefined) {
    throw new ApiError(
      'invalid',
      'The query is not valid: unreadFor is of one client or of any, not of each.',
      {
        details: [{ message: 'cannot be given with client=*', path: 'unreadFor' }],
      },
    );
  }
  const { store, now } = context;
  const names = askedOf(store, project.id, project.settings);
  const { client: written } = query;
  const client = written && written !== '*' ? await asCounted('client', written, names) : written;
  const pages = await readPages(query.path, names);
  const site = await readSite(context, project);
  const today = project.calendar.dayOf(now());
  const listed = site ? ((await context.siteFiles.pages(project)) ?? []) : [];
  const isWanted = pages && pageTest(pages, renamesOf(project.settings));
  const found = isWanted ? listed.filter(({ path }) => isWanted(path)) : listed;
  const freshness = await askFreshness({ store, project, pages: found, today }, { ...query, client });
  return {
    async answer() {
      const pages = await Array.fromAsync(freshness.rows(offset, offset + limit));
      const measured = await readMeasured(store, { projectId: project.id, from: null, to: null });
      return { site, pages, hasMore: freshness.length > offset + limit, measured };
    },
    rows: freshness.rows(0, maxCsvRows),
    isCut: freshness.length > maxCsvRows,
  };
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

type FreshnessRow = FreshnessReply['pages'][number];

/** What is asked of an engine at a time, so that other reports have their turn. */
const rowsAtATime = 250;

/** More clients than these never read one site. */
const maxClients = 250;

interface Parts {
  store: Pick<AnalyticsStore, 'findReads' | 'listReadPaths' | 'readClients'>;
  project: Pick<LiveProject, 'id' | 'settings'>;
  pages: readonly SitePage[];
  today: Day;
}

interface Cell {
  page: SitePage;
  client: string | null;
}

/** When AI clients read the pages of a site's sitemaps: a row for each page, or with each client for each page and client. */
async function askFreshness(
  parts: Parts,
  { client: asked, search, unreadFor }: Pick<FreshnessQuery, 'client' | 'search' | 'unreadFor'>,
) {
  const { store, project, today } = parts;
  const client = asked ?? null;
  const clients = client === '*' ? await listClients(parts) : [client];
  const wanted = wantedText(search ?? '');
  const found = search
    ? parts.pages.filter(({ path }) => searchableText(path).includes(wanted))
    : parts.pages;
  const pages = unreadFor === undefined ? found : await unread(found, parts, { client, unreadFor });
  const length = pages.length * clients.length;

  async function* rows(from: number, to: number): AsyncGenerator<FreshnessRow> {
    const end = Math.min(to, length);
    for (let at = from; at < end; at += rowsAtATime) yield* await read(at, Math.min(at + rowsAtATime, end));
  }

  async function read(from: number, to: number): Promise<FreshnessRow[]> {
    const cells = Array.from({ length: to - from }, (_, i) => cellAt(from + i));
    const rows = new Map<Cell, FreshnessRow>();
    for (const client of new Set(cells.map(({ client }) => client))) {
      const own = cells.filter((cell) => cell.client === client);
      const pages = own.map(({ page }) => ({ path: page.path, since: page.lastmod }));
      const reads = await store.findReads({ projectId: project.id, client, pages });
      for (const [i, cell] of own.entries()) rows.set(cell, toRow(cell, reads[i] as ReadDays, today));
    }
    return cells.map((cell) => rows.get(cell) as FreshnessRow);
  }

  /** Pages in their order, and of each all clients. */
  function cellAt(place: number): Cell {
    return {
      page: pages[Math.floor(place / clients.length)] as SitePage,
      client: clients[place % clients.length] as string | null,
    };
  }

  return { length, rows };
}

async function listClients({ store, project }: Parts): Promise<string[]> {
  const query = { projectId: project.id, from: null, to: null, limit: maxClients, offset: 0 };
  const { rows } = await store.readClients(query);
  return [...new Set(rows.map(({ name }) => name))].sort();
}

async function unread(
  pages: readonly SitePage[],
  { store, project, today }: Parts,
  { client, unreadFor }: { client: string | null; unreadFor: number },
): Promise<SitePage[]> {
  const from = today - unreadFor + 1;
  const read = new Set(await store.listReadPaths({ projectId: project.id, client, from }));
  return pages.filter(({ path }) => !read.has(path));
}

function toRow({ page, client }: Cell, { first, last, since }: ReadDays, today: Day): FreshnessRow {
  const { path, lastmod } = page;
  return {
    path,
    lastmod: toDate(lastmod),
    client,
    firstRead: toDate(first),
    lastRead: toDate(last),
    readSince: toDate(since),
    daysUntilRead: lastmod === null || since === null ? null : since - lastmod,
    // A report may come in for a day that has begun elsewhere.
    daysSinceRead: last === null ? null : Math.max(0, today - last),
  };
}

function toDate(day: Day | null): string | null {
  return day === null ? null : fromDay(day).toString();
}
