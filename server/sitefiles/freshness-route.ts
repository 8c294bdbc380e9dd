import { insightReports } from '../../shared/reports/insight-reports.ts';
import { type FreshnessQuery, type FreshnessReply, freshnessQuery } from '../../shared/reports/sites.ts';
import { maxCsvRows, sendCsv } from '../analytics/csv.ts';
import { fileName } from '../analytics/file-name.ts';
import { asCounted } from '../analytics/filters.ts';
import { readMeasured } from '../analytics/measured.ts';
import type { Context } from '../context.ts';
import { type Day, fromDay } from '../counting/calendar.ts';
import { searchableText, wantedText } from '../counting/names/name-search.ts';
import type { ReadDays } from '../counting/read-days.ts';
import { ApiError } from '../errors.ts';
import type { Call } from '../http/route.ts';
import { insightRoute } from '../insights/report-call.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { SitePage } from './sitemap/site-pages.ts';

const { columns } = insightReports.freshness;

/** When AI clients read the pages that the site's sitemaps list. */
export const freshnessRoute = insightRoute('freshness', {
  query: freshnessQuery,
  reply: async () => (await import('../../shared/replies/sites.ts')).freshnessReply,
  says: 'A page of rows, or all of them as a file',
  send: answer,
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

export type FreshnessRow = FreshnessReply['pages'][number];

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
export class Freshness {
  readonly #store: Parts['store'];
  readonly #projectId: string;
  readonly #pages: readonly SitePage[];
  readonly #clients: readonly (string | null)[];
  readonly #today: Day;

  private constructor({ store, project, pages, today }: Parts, clients: readonly (string | null)[]) {
    this.#store = store;
    this.#projectId = project.id;
    this.#pages = pages;
    this.#clients = clients;
    this.#today = today;
  }

  static async ask(
    parts: Parts,
    {
      client = null,
      search,
      unreadFor,
    }: Pick<FreshnessQuery, 'search'> & {
      client?: string | null | undefined;
      unreadFor?: number | undefined;
    },
  ): Promise<Freshness> {
    const clients = client === '*' ? await listClients(parts) : [client];
    const wanted = wantedText(search ?? '');
    const found = search
      ? parts.pages.filter(({ path }) => searchableText(path).includes(wanted))
      : parts.pages;
    const pages = unreadFor === undefined ? found : await unread(found, parts, { client, unreadFor });
    return new Freshness({ ...parts, pages }, clients);
  }

  get length(): number {
    return this.#pages.length * this.#clients.length;
  }

  async *rows(from: number, to: number): AsyncGenerator<FreshnessRow> {
    const end = Math.min(to, this.length);
    for (let at = from; at < end; at += rowsAtATime) {
      yield* await this.#read(at, Math.min(at + rowsAtATime, end));
    }
  }

  async #read(from: number, to: number): Promise<FreshnessRow[]> {
    const cells = Array.from({ length: to - from }, (_, i) => this.#cell(from + i));
    const rows = new Map<Cell, FreshnessRow>();
    for (const client of new Set(cells.map(({ client }) => client))) {
      const own = cells.filter((cell) => cell.client === client);
      const pages = own.map(({ page }) => ({ path: page.path, since: page.lastmod }));
      const reads = await this.#store.findReads({ projectId: this.#projectId, client, pages });
      for (const [i, cell] of own.entries()) rows.set(cell, toRow(cell, reads[i] as ReadDays, this.#today));
    }
    return cells.map((cell) => rows.get(cell) as FreshnessRow);
  }

  /** Pages in their order, and of each all clients. */
  #cell(place: number): Cell {
    const { length } = this.#clients;
    return {
      page: this.#pages[Math.floor(place / length)] as SitePage,
      client: this.#clients[place % length] as string | null,
    };
  }
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
