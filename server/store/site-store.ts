/** What is known of a site's robots.txt from a moment on. */
export interface RobotsVersion {
  projectId: string;
  host: string;
  /** Milliseconds since 1970. */
  knownAt: number;
  /** `missing`: there is none, so that nothing is disallowed; `unreachable`: the site could not say, and never has before. */
  status: 'found' | 'missing' | 'unreachable';
  /** Empty unless it was found. */
  text: string;
}

/** The pages that a site's own sitemaps list. */
export interface SitemapCopy {
  projectId: string;
  host: string;
  /** Milliseconds since 1970. */
  fetchedAt: number;
  /** JSON, as sitefiles writes and reads it. */
  pages: string;
}

/** How far a project's site is known. */
export interface SiteState {
  host: string;
  /** When it was last looked at, in milliseconds since 1970; null: never to the end. */
  fetchedAt: number | null;
  /** What could not be read then, in a sentence; empty: nothing. */
  trouble: string;
}

/** A look at a site, which one node takes for all. */
export interface SiteFetch {
  projectId: string;
  host: string;
  /** In milliseconds since 1970. */
  now: number;
  /** When it is due again. */
  dueAt: number;
}

/** Versions of a robots.txt that are kept for each project; the oldest go first. */
export const maxRobotsVersions = 20;

/** What sites say of themselves, so that a start fetches nothing and one node fetches for all. The rules of `Store` hold. */
export interface SiteStore {
  /** Of all projects, what is known since then, oldest first. */
  listRobots(since: number): Promise<RobotsVersion[]>;
  /** One that is there already stays as it is. A project that is gone keeps nothing. */
  keepRobots(version: RobotsVersion): Promise<void>;
  readSite(projectId: string): Promise<SiteState | null>;
  /** When the copy was fetched that `readSitemap` answers; null: there is none. */
  sitemapTime(projectId: string): Promise<number | null>;
  readSitemap(projectId: string): Promise<SitemapCopy | null>;
  keepSitemap(copy: SitemapCopy): Promise<void>;
  /** Lets one node look at the site, until `dueAt` at most; false: it is not due, another one is about it, or the project is gone. */
  claimSite(fetch: SiteFetch): Promise<boolean>;
  /** The look is over. */
  settleSite(fetch: SiteFetch & { trouble: string }): Promise<void>;
}
