import {
  maxRobotsVersions,
  type RobotsVersion,
  type SiteFetch,
  type SitemapCopy,
  type SiteState,
  type SiteStore,
} from '../../site-store.ts';
import type { Database } from '../database.ts';

/** What sites say of themselves, and when they are to be asked again. */
export class SiteLooks implements SiteStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  listRobots(since: number): Promise<RobotsVersion[]> {
    return this.#database.query(
      `select p.public_id as "projectId", r.host, r.known_at as "knownAt", r.status, r.text
       from robots r join projects p on p.id = r.project where r.known_at >= $1 order by r.known_at, p.id`,
      [since],
    );
  }

  async keepRobots({ projectId, host, knownAt, status, text }: RobotsVersion): Promise<void> {
    await this.#database.transaction(async (session) => {
      await session.query(
        `insert into robots (project, known_at, host, status, text)
         select id, $2::bigint, $3, $4, $5 from projects where public_id = $1 on conflict do nothing`,
        [projectId, knownAt, host, status, text],
      );
      await session.query(
        `delete from robots r using (
           select project, known_at from robots
           where project = (select id from projects where public_id = $1)
           order by known_at desc offset ${maxRobotsVersions}) old
         where r.project = old.project and r.known_at = old.known_at`,
        [projectId],
      );
    });
  }

  async readSite(projectId: string): Promise<SiteState | null> {
    const [state] = await this.#database.query<SiteState>(
      `select s.host, s.fetched_at as "fetchedAt", s.trouble
       from site_looks s join projects p on p.id = s.project where p.public_id = $1`,
      [projectId],
    );
    return state ?? null;
  }

  async sitemapTime(projectId: string): Promise<number | null> {
    const [sitemap] = await this.#database.query<{ fetchedAt: number }>(
      `select s.fetched_at as "fetchedAt" from sitemaps s join projects p on p.id = s.project
       where p.public_id = $1`,
      [projectId],
    );
    return sitemap?.fetchedAt ?? null;
  }

  async readSitemap(projectId: string): Promise<SitemapCopy | null> {
    const [sitemap] = await this.#database.query<SitemapCopy>(
      `select p.public_id as "projectId", s.host, s.fetched_at as "fetchedAt", s.pages
       from sitemaps s join projects p on p.id = s.project where p.public_id = $1`,
      [projectId],
    );
    return sitemap ?? null;
  }

  async keepSitemap({ projectId, host, fetchedAt, pages }: SitemapCopy): Promise<void> {
    await this.#database.query(
      `insert into sitemaps (project, host, fetched_at, pages)
       select id, $2, $3::bigint, $4 from projects where public_id = $1
       on conflict (project) do update
         set host = excluded.host, fetched_at = excluded.fetched_at, pages = excluded.pages`,
      [projectId, host, fetchedAt, pages],
    );
  }

  async claimSite({ projectId, host, now, dueAt }: SiteFetch): Promise<boolean> {
    const claimed = await this.#database.query(
      `insert into site_looks as s (project, host, due_at)
       select id, $2, $4::bigint from projects where public_id = $1
       on conflict (project) do update set host = excluded.host, due_at = excluded.due_at
         where s.host <> excluded.host or s.due_at <= $3
       returning project`,
      [projectId, host, now, dueAt],
    );
    return claimed.length > 0;
  }

  async settleSite({ projectId, host, now, dueAt, trouble }: SiteFetch & { trouble: string }): Promise<void> {
    await this.#database.query(
      `update site_looks set due_at = $4, fetched_at = $3, trouble = $5
       where host = $2 and project = (select id from projects where public_id = $1)`,
      [projectId, host, now, dueAt, trouble],
    );
  }
}
