import type { Statement } from 'better-sqlite3';
import {
  maxRobotsVersions,
  type RobotsVersion,
  type SiteFetch,
  type SitemapCopy,
  type SiteState,
} from '../../site-store.ts';
import type { Connection } from '../connection.ts';

/** What sites say of themselves, and when they are to be asked again. */
export class SiteLooks {
  readonly #db: Connection;
  readonly #robots: Statement<[number], RobotsVersion>;
  readonly #addRobots: Statement<[RobotsVersion]>;
  readonly #dropOldRobots: Statement<[string]>;
  readonly #state: Statement<[string], SiteState>;
  readonly #sitemapTime: Statement<[string], number>;
  readonly #putSitemap: Statement<[SitemapCopy]>;
  readonly #claim: Statement<[SiteFetch]>;
  readonly #settle: Statement<[SiteFetch & { trouble: string }]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#robots = db.prepare(
      `select p.public_id as projectId, r.host, r.known_at as knownAt, r.status, r.text
       from robots r join projects p on p.id = r.project where r.known_at >= ? order by r.known_at, p.id`,
    );
    this.#addRobots = db.prepare(
      `insert into robots (project, known_at, host, status, text)
       select id, @knownAt, @host, @status, @text from projects where public_id = @projectId
       on conflict do nothing`,
    );
    this.#dropOldRobots = db.prepare(
      `delete from robots where id in (
         select r.id from robots r join projects p on p.id = r.project
         where p.public_id = ? order by r.known_at desc limit -1 offset ${maxRobotsVersions})`,
    );
    this.#state = db.prepare(
      `select host, fetched_at as fetchedAt, trouble
       from site_looks s join projects p on p.id = s.project where p.public_id = ?`,
    );
    this.#sitemapTime = db
      .prepare<[string], number>(
        'select fetched_at from sitemaps s join projects p on p.id = s.project where p.public_id = ?',
      )
      .pluck();
    this.#putSitemap = db.prepare(
      `insert or replace into sitemaps (project, host, fetched_at, pages)
       select id, @host, @fetchedAt, @pages from projects where public_id = @projectId`,
    );
    this.#claim = db.prepare(
      `insert into site_looks as s (project, host, due_at)
       select id, @host, @dueAt from projects where public_id = @projectId
       on conflict (project) do update set host = excluded.host, due_at = excluded.due_at
         where s.host <> excluded.host or s.due_at <= @now`,
    );
    this.#settle = db.prepare(
      `update site_looks set due_at = @dueAt, fetched_at = @now, trouble = @trouble
       where host = @host and project = (select id from projects where public_id = @projectId)`,
    );
  }

  listRobots(since: number): RobotsVersion[] {
    return this.#robots.all(since);
  }

  keepRobots(version: RobotsVersion): void {
    this.#db
      .transaction(() => {
        this.#addRobots.run(version);
        this.#dropOldRobots.run(version.projectId);
      })
      .immediate();
  }

  readSite(projectId: string): SiteState | null {
    return this.#state.get(projectId) ?? null;
  }

  sitemapTime(projectId: string): number | null {
    return this.#sitemapTime.get(projectId) ?? null;
  }

  keepSitemap(copy: SitemapCopy): void {
    this.#putSitemap.run(copy);
  }

  claimSite(fetch: SiteFetch): boolean {
    return this.#claim.run(fetch).changes === 1;
  }

  settleSite(fetch: SiteFetch & { trouble: string }): void {
    this.#settle.run(fetch);
  }
}

/** The pages of a large site are megabytes. */
export class SitemapReader {
  readonly #sitemap: Statement<[string], SitemapCopy>;

  constructor(db: Connection) {
    this.#sitemap = db.prepare(
      `select p.public_id as projectId, s.host, s.fetched_at as fetchedAt, s.pages
       from sitemaps s join projects p on p.id = s.project where p.public_id = ?`,
    );
  }

  readSitemap(projectId: string): SitemapCopy | null {
    return this.#sitemap.get(projectId) ?? null;
  }
}
