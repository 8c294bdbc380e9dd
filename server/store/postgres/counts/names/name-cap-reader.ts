import type { Day } from '../../../../counting/calendar.ts';
import { type KeptCapped, toCappedRow } from '../../../counts/analytics-rows.ts';
import type { CappedDay, CappedRow } from '../../../counts/analytics-store.ts';
import type { RangeQuery } from '../../../counts/range-query.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Database } from '../../database.ts';
import { findProject, ofProject, placeOf } from '../counted-project.ts';

const key = 'what, cap, kind, client';

/** Tells what was counted under `(other)`, and who had used up which part of a day's new names. */
export class NameCapReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  readCapped({ projectId, from, to, limit, offset }: RangeQuery): Promise<PageOfRows<CappedRow>> {
    return this.#database.snapshot(async (session) => {
      const project = await findProject(session, projectId);
      if (!project) return { rows: [], hasMore: false };
      const rows = await session.query<KeptCapped>(
        `select ${key}, sum(views) as views from name_caps c
         where ${ofProject('c', project)} and day >= coalesce($3, day) and day < coalesce($4, day + 1)
         group by ${key} order by views desc, ${key} limit $5 offset $6`,
        [...placeOf(project), from, to, limit + 1, offset],
      );
      return toPage(rows.map(toCappedRow), { limit });
    });
  }

  async listCapped(since: Day): Promise<CappedDay[]> {
    const rows = await this.#database.query<KeptCapped & { projectId: string; day: Day }>(
      `select p.public_id as "projectId", day, ${key}, views
       from (
         select project, day, ${key}, sum(views) as views from name_caps where day >= $1 group by project, day, ${key}
       ) c join projects p on p.id = c.project
       order by p.id, day, views desc, ${key}`,
      [since],
    );
    return rows.map(({ projectId, day, ...row }) => ({ projectId, day, ...toCappedRow(row) }));
  }
}
