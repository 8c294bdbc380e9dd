import type { Statement } from 'better-sqlite3';
import { tallies } from '../../../../../shared/reports/tallies.ts';
import { what } from '../../../../counting/what.ts';
import { type KeptDay, toDayCounts } from '../../../counts/analytics-rows.ts';
import type { DaysQuery, Glance, WayDays } from '../../../counts/analytics-store.ts';
import type { Connection } from '../../connection.ts';

/** What a project's row and its days say: `@project` is its number. */
type Days = Omit<DaysQuery, 'projectId'> & { project: number };

/** Days with commas between them: one row for each of them would be most of the answer. */
type Way = Omit<WayDays, 'days'> & { days: string };

/** Tells of several projects at once how many came to them. */
export class Glances {
  readonly #db: Connection;
  readonly #project: Statement<[string], number>;
  readonly #days: Statement<[Days], KeptDay>;
  readonly #ways: Statement<[Days], Way>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare<[string], number>('select id from projects where public_id = ?').pluck();
    this.#days = db.prepare(
      `select day, human_visitors, ai_visitors, visitors, human_views, ai_views from counts
       where project = @project and what = ${what.site} and parent = 0 and span = 1
         and day >= @from and day < @to
       order by day`,
    );
    this.#ways = db.prepare(
      `select subject as "group", name, group_concat(day) as days from tallies
       where project = @project and tally = ${tallies['ways-in'].number} and day >= @from and day < @to
       group by subject, name`,
    );
  }

  readGlances(queries: readonly DaysQuery[]): Glance[] {
    return this.#db.transaction(() => queries.map((query) => this.#read(query)))();
  }

  #read({ projectId, from, to }: DaysQuery): Glance {
    const project = this.#project.get(projectId);
    if (project === undefined) return { days: [], ways: [] };
    const days = { project, from, to };
    return { days: this.#days.all(days).map(toDayCounts), ways: this.#ways.all(days).map(toWayDays) };
  }
}

function toWayDays({ days, ...way }: Way): WayDays {
  return { ...way, days: days.split(',').map(Number) };
}
