import { Resolver } from 'node:dns/promises';
import { createHttpsGetBytes, type HttpsGetBytes } from '../net/https-get.ts';
import type { LiveProject, Registry } from '../projects/registry.ts';
import type { RobotsVersion, SiteStore } from '../store/sites.ts';
import { type AiView, RobotsBook } from './robots/robots-book.ts';
import { lookAtSite, type SiteOfProject } from './site-look.ts';
import { type SitePage, sitePages } from './sitemap/site-pages.ts';

interface Parts extends SiteFilesOptions {
  store: SiteStore;
  registry: Pick<Registry, 'project' | 'projects'>;
  /** Nobody is asked; what is kept is used. */
  offline: boolean;
  now: () => number;
  log: { warn(message: string): void };
}

/** What tests put in the place of the usual. */
export interface SiteFilesOptions {
  get?: HttpsGetBytes;
  /** Between two looks for what is due. */
  everyMs?: number;
  /** What one site may take for all of its files. */
  siteTimeoutMs?: number;
}

/** After so long what other nodes fetched is taken, and it is asked again whether a look is due. */
const shareMs = 10 * 60_000;
/** Clocks of nodes may differ by so much. */
const skewMs = 3_600_000;
/** Looked at together, so that slow ones hold up no others. */
const maxLooks = 4;
/** Sites whose pages are held in memory: some 10 MB each at the worst. */
const maxHeldSites = 8;

interface HeldPages {
  fetchedAt: number;
  /** Of which they follow. */
  settings: LiveProject['settings'];
  pages: Promise<SitePage[]>;
}

/** What the sites of projects say of themselves: their robots.txt and sitemaps, fetched daily where the owner wants it. */
export class SiteFiles {
  readonly #parts: Parts;
  readonly #book = new RobotsBook();
  readonly #stopped = new AbortController();
  readonly #looks = new Map<string, { host: string; nextAt: number }>();
  readonly #held = new Map<string, HeldPages>();
  #get: HttpsGetBytes | undefined;
  #takenAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #looking = new Map<string, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#get = parts.get;
  }

  /** Whether the robots.txt that was known when the client asked disallows it. */
  disallows(view: AiView): boolean {
    return this.#book.disallows(view);
  }

  /** What became of the newest robots.txt; null: none was asked for yet. */
  robotsStatus(projectId: string, host: string): RobotsVersion['status'] | null {
    return this.#book.newest(projectId, host)?.status ?? null;
  }

  /** The pages that the site's sitemaps list; null: none is known. */
  async pages(project: LiveProject): Promise<SitePage[] | null> {
    const { store } = this.#parts;
    const fetchedAt = await store.sitemapTime(project.id);
    if (fetchedAt === null) return null;
    const held = this.#held.get(project.id);
    if (held?.fetchedAt === fetchedAt && held.settings === project.settings) return held.pages;
    const pages = this.#readPages(project);
    this.#held.delete(project.id);
    this.#held.set(project.id, { fetchedAt, settings: project.settings, pages });
    const [oldest] = this.#held.keys();
    if (this.#held.size > maxHeldSites && oldest !== undefined) this.#held.delete(oldest);
    // A failure is not kept.
    pages.catch(() => this.#held.delete(project.id));
    return pages;
  }

  /** Takes what is kept. */
  async load(): Promise<void> {
    if (this.#sites().length === 0) return;
    const since = this.#takenAt === undefined ? 0 : this.#takenAt - skewMs;
    const takenAt = this.#parts.now();
    for (const version of await this.#parts.store.listRobots(since)) this.#book.put(version);
    this.#takenAt = takenAt;
  }

  start(): void {
    const { everyMs = 60_000 } = this.#parts;
    const wait = (ms: number) => {
      if (!this.#stopped.signal.aborted) this.#timer = setTimeout(run, ms).unref();
    };
    const run = () => {
      this.#running = this.#look().then(() => wait(everyMs));
    };
    // Not all installations on the minute.
    wait(Math.random() * everyMs);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#running;
    await Promise.all(this.#looking.values());
  }

  async #readPages(project: LiveProject): Promise<SitePage[]> {
    const copy = await this.#parts.store.readSitemap(project.id);
    return copy ? sitePages(copy, project) : [];
  }

  #sites(): SiteOfProject[] {
    return Array.from(this.#parts.registry.projects(), ({ id, settings }) => ({
      projectId: id,
      host: settings.siteHost,
    })).filter((site): site is SiteOfProject => site.host !== null);
  }

  async #look(): Promise<void> {
    const { offline, now, registry } = this.#parts;
    try {
      if (this.#takenAt === undefined || now() - this.#takenAt >= shareMs) await this.load();
    } catch (error) {
      this.#warn('What is known of sites could not be read', error);
      return;
    }
    this.#book.keepOnly((id) => registry.project(id) !== undefined);
    for (const site of offline ? [] : this.#sites().filter((site) => this.#isDue(site))) {
      if (this.#looking.size >= maxLooks) await Promise.race(this.#looking.values());
      if (this.#stopped.signal.aborted) return;
      const look = this.#lookAt(site).finally(() => this.#looking.delete(site.projectId));
      this.#looking.set(site.projectId, look);
    }
  }

  #isDue({ projectId, host }: SiteOfProject): boolean {
    const last = this.#looks.get(projectId);
    if (this.#looking.has(projectId)) return false;
    return last?.host !== host || this.#parts.now() >= last.nextAt;
  }

  async #lookAt(site: SiteOfProject): Promise<void> {
    const { store, now, siteTimeoutMs: timeoutMs = 60_000 } = this.#parts;
    this.#looks.set(site.projectId, { host: site.host, nextAt: now() + shareMs });
    try {
      const parts = { store, book: this.#book, get: this.#getter(), now, timeoutMs };
      const nextAt = await lookAtSite(site, parts, this.#stopped.signal, 0.9 + Math.random() * 0.2);
      if (nextAt !== null) this.#looks.set(site.projectId, { host: site.host, nextAt });
    } catch (error) {
      this.#warn(`The site ${site.host} could not be read`, error);
    }
  }

  #warn(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    this.#parts.log.warn(`${what}: ${reason}`);
  }

  /** Made with the first look, as most servers look at none. */
  #getter(): HttpsGetBytes {
    this.#get ??= createHttpsGetBytes({ resolver: new Resolver({ timeout: 2_000, tries: 2 }) });
    return this.#get;
  }
}
