import { has, type Sql } from '../database/sql.ts';

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

export type SiteStore = ReturnType<typeof sites> & ReturnType<typeof sitemaps>;

/** What sites say of themselves, so that a start fetches nothing and one node fetches for all. */
export function sites(sql: Sql) {
  return {
    /** Of all projects, what is known since then, oldest first. */
    listRobots: (since: number): Promise<RobotsVersion[]> =>
      sql.query<RobotsVersion>(
        `select p.public_id as "projectId", r.host, r.known_at as "knownAt", r.status, r.text
         from robots r join projects p on p.id = r.project where r.known_at >= $1 order by r.known_at, p.id`,
        [since],
      ),

    /** One that is there already stays as it is. A project that is gone keeps nothing. */
    keepRobots: ({ projectId, host, knownAt, status, text }: RobotsVersion): Promise<void> =>
      sql.transaction(async (transaction) => {
        await transaction.query(
          `insert into robots (project, known_at, host, status, text)
           select id, $2, $3, $4, $5 from projects where public_id = $1 on conflict do nothing`,
          [projectId, knownAt, host, status, text],
        );
        const ofProject = 'project = (select id from projects where public_id = $1)';
        await transaction.query(
          `delete from robots where ${ofProject} and known_at not in (
             select known_at from robots where ${ofProject} order by known_at desc limit ${maxRobotsVersions})`,
          [projectId],
        );
      }),

    async readSite(projectId: string): Promise<SiteState | null> {
      const [state] = await sql.query<SiteState>(
        `select s.host, s.fetched_at as "fetchedAt", s.trouble
         from site_looks s join projects p on p.id = s.project where p.public_id = $1`,
        [projectId],
      );
      return state ?? null;
    },

    /** When the copy was fetched that `readSitemap` answers; null: there is none. */
    async sitemapTime(projectId: string): Promise<number | null> {
      const [sitemap] = await sql.query<{ fetchedAt: number }>(
        `select s.fetched_at as "fetchedAt" from sitemaps s join projects p on p.id = s.project
         where p.public_id = $1`,
        [projectId],
      );
      return sitemap?.fetchedAt ?? null;
    },

    async keepSitemap({ projectId, host, fetchedAt, pages }: SitemapCopy): Promise<void> {
      await sql.query(
        `insert into sitemaps (project, host, fetched_at, pages)
         select id, $2, $3, $4 from projects where public_id = $1
         on conflict (project) do update
           set host = excluded.host, fetched_at = excluded.fetched_at, pages = excluded.pages`,
        [projectId, host, fetchedAt, pages],
      );
    },

    /** Lets one node look at the site, until `dueAt` at most; false: it is not due, another one is about it, or the project is gone. */
    async claimSite({ projectId, host, now, dueAt }: SiteFetch): Promise<boolean> {
      return has(
        sql,
        `insert into site_looks as s (project, host, due_at)
         select id, $2, $4 from projects where public_id = $1
         on conflict (project) do update set host = excluded.host, due_at = excluded.due_at
           where s.host <> excluded.host or s.due_at <= $3
         returning project`,
        [projectId, host, now, dueAt],
      );
    },

    /** The look is over. */
    async settleSite({ projectId, host, now, dueAt, trouble }: SiteFetch & { trouble: string }) {
      await sql.query(
        `update site_looks set due_at = $4, fetched_at = $3, trouble = $5
         where host = $2 and project = (select id from projects where public_id = $1)`,
        [projectId, host, now, dueAt, trouble],
      );
    },
  };
}

/** Apart, as the pages of a large site are megabytes. */
export function sitemaps(sql: Sql) {
  return {
    async readSitemap(projectId: string): Promise<SitemapCopy | null> {
      const [sitemap] = await sql.query<SitemapCopy>(
        `select p.public_id as "projectId", s.host, s.fetched_at as "fetchedAt", s.pages
         from sitemaps s join projects p on p.id = s.project where p.public_id = $1`,
        [projectId],
      );
      return sitemap ?? null;
    },
  };
}
