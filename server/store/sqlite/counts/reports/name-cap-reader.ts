import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../../counting/calendar.ts';
import { type KeptCapped, toCappedRow } from '../../../counts/analytics-rows.ts';
import type { CappedDay, CappedRow } from '../../../counts/analytics-store.ts';
import type { RangeQuery } from '../../../counts/range-query.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Connection } from '../../connection.ts';

/** Tells what was counted under `(other)`, and who had used up which part of a day's new names. */
export class NameCapReader {
  readonly #rows: Statement<
    [{ projectId: string; from: Day; to: Day; limit: number; offset: number }],
    KeptCapped
  >;

  constructor(db: Connection) {
    this.#rows = db.prepare(
      `select what, cap, kind, client, sum(views) as views from name_caps c join projects p on p.id = c.project
       where p.public_id = @projectId and day >= @from and day < @to
       group by what, cap, kind, client order by views desc, what, cap, kind, client limit @limit offset @offset`,
    );
  }

  readCapped({ projectId, from, to, limit, offset }: RangeQuery): PageOfRows<CappedRow> {
    const range = { projectId, from: from ?? -1e9, to: to ?? 1e9 };
    const rows = this.#rows.all({ ...range, limit: limit + 1, offset }).map(toCappedRow);
    return toPage(rows, { limit });
  }
}

/** The same of all projects, for the log. */
export class RecentNameCaps {
  readonly #since: Statement<[Day], KeptCapped & { projectId: string; day: Day }>;

  constructor(db: Connection) {
    this.#since = db.prepare(
      `select p.public_id as projectId, day, what, cap, kind, client, views
       from name_caps c join projects p on p.id = c.project where day >= ?
       order by p.id, day, views desc, what, cap, kind, client`,
    );
  }

  listCapped(since: Day): CappedDay[] {
    return this.#since
      .all(since)
      .map(({ projectId, day, ...row }) => ({ projectId, day, ...toCappedRow(row) }));
  }
}
