import type { FreshnessQuery, FreshnessReply } from '../../shared/reports/sites.ts';
import { type Day, fromDay } from '../counting/calendar.ts';
import { searchableText, wantedText } from '../counting/names/name-search.ts';
import type { ReadDays } from '../counting/read-days.ts';
import type { LiveProject } from '../projects/registry.ts';
import type { AnalyticsStore } from '../store/counts/analytics.ts';
import type { SitePage } from './sitemap/site-pages.ts';

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
