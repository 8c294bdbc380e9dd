import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../../counting/calendar.ts';
import type { KindBit } from '../../../../counting/sum.ts';
import { DayVisits, type PageSums } from '../../../../counting/visit.ts';
import { what } from '../../../../counting/what.ts';
import type { Connection } from '../../connection.ts';
import type { DayTable } from '../day-table.ts';
import { bytesOfViews, unpackViews } from './packed-views.ts';

/** Keeps the views of open days. Used inside transactions. */
export class VisitViews {
  readonly #append: Statement<[{ day: number; human: number; ai: number; views: Uint8Array }]>;

  constructor(db: Connection) {
    this.#append = db.prepare(
      `insert into visit_views (day, number, human_views, ai_views, views)
       select @day, coalesce(max(number), 0) + 1, @human, @ai, @views from visit_views where day = @day`,
    );
  }

  add(table: DayTable): void {
    const { humanViews: human, aiViews: ai } = table.site;
    if (human + ai === 0) return;
    this.#append.run({ day: table.row.id, human, ai, views: bytesOfViews(table.views()) });
  }
}

/** Days by their rows, some of which may have no views. */
export interface VisitDay {
  id: number;
  day: Day;
}

/** Of a day whose views are all known: what its visits add, by the paths' names. */
export interface MeasuredDay {
  day: Day;
  all: DayVisits['all'];
  sums: PageSums;
  /** By the numbers that the sums have. */
  paths: readonly string[];
}

/** Works out the visits of days that are not sealed. */
export class OpenVisits {
  readonly #days: Statement<[number, Day, Day], VisitDay>;
  readonly #views: Statement<[number], Buffer>;
  readonly #paths: Statement<[number], { id: number; text: string }>;
  readonly #unknown: Statement<[{ project: number; id: number; day: Day }], number>;

  constructor(db: Connection) {
    this.#days = db.prepare(
      'select id, day from days where project = ? and salt is not null and day >= ? and day < ? order by day',
    );
    this.#views = db.prepare<[number], Buffer>('select views from visit_views where day = ?').pluck();
    // By the bytes of their texts, which is the order of code points.
    this.#paths = db.prepare(
      `select id, text from names where project = ? and what = ${what.path} and parent = 0 order by text`,
    );
    const inCounts = (kind: number) =>
      `(select coalesce(sum(human_views + ai_views), 0) from counts
         where project = @project and what = ${kind} and parent = 0 and span = 1 and day = @day)`;
    this.#unknown = db
      .prepare<[{ project: number; id: number; day: Day }], number>(
        `select ${inCounts(what.site)} - ${inCounts(what.visit)}
           - (select coalesce(sum(human_views + ai_views), 0) from visit_views where day = @id)`,
      )
      .pluck();
  }

  /** Of the project's days in the range, from the first, inclusive, to the last, exclusive. */
  *read(project: number, from: Day, to: Day): Generator<MeasuredDay> {
    const days = this.#days.all(project, from, to);
    if (days.length > 0) yield* this.readDays(project, days);
  }

  *readDays(project: number, days: readonly VisitDay[]): Generator<MeasuredDay> {
    const known = this.#paths.all(project);
    const numbers = new Map(known.map(({ id }, number) => [id, number]));
    const paths = known.map(({ text }) => text);
    for (const { id, day } of days) {
      if (this.#unknown.get({ project, id, day }) !== 0) continue;
      const visits = this.#visitsOf(id, numbers);
      yield { day, all: visits.all, sums: visits.sums(), paths };
    }
  }

  #visitsOf(day: number, numbers: ReadonlyMap<number, number>): DayVisits {
    const visits = new DayVisits();
    for (const bytes of this.#views.iterate(day)) {
      const { visitors, moments, paths } = unpackViews(bytes);
      for (let i = 0; i < visitors.length; i++) {
        const moment = moments[i] as number;
        const page = numbers.get(paths[i] as number) ?? numbers.size;
        visits.add(visitors[i] as bigint, (moment & 3) as KindBit, moment >>> 2, page);
      }
    }
    return visits;
  }
}
