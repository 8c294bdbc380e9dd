import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../../counting/calendar.ts';
import type { KindBit } from '../../../../counting/sum.ts';
import { DayVisits, type PageName, type PageSums } from '../../../../counting/visit.ts';
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

/** Of a day whose views are all known: what its visits add, by the numbers of paths. */
export interface MeasuredDay {
  day: Day;
  all: DayVisits['all'];
  sums: PageSums;
  nameOf: PageName;
}

/** Visits of a day so far, and up to which row they are. */
export interface Progress {
  visits: DayVisits;
  last: number;
}

/** Some 16,000 views of a busy server. */
const rowsAtATime = 64;

/** Works out the visits of days that are not sealed. */
export class OpenVisits {
  readonly #days: Statement<[number, Day, Day], VisitDay>;
  readonly #rows: Statement<[number, number, number], { number: number; views: Buffer }>;
  readonly #path: Statement<[number], string>;
  readonly #unknown: Statement<[{ project: number; id: number; day: Day }], number>;

  constructor(db: Connection) {
    this.#days = db.prepare(
      'select id, day from days where project = ? and salt is not null and day >= ? and day < ? order by day',
    );
    this.#rows = db.prepare(
      'select number, views from visit_views where day = ? and number > ? order by number limit ?',
    );
    this.#path = db
      .prepare<[number], string>(`select text from names where id = ? and what = ${what.path}`)
      .pluck();
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
    for (const day of this.#days.all(project, from, to)) {
      const visits = this.readDay(project, day);
      if (visits) yield visits;
    }
  }

  /** Undefined: not all views of the day are known. @param begun from before, and nothing of it is other since */
  readDay(project: number, { id, day }: VisitDay, begun = this.begin()): MeasuredDay | undefined {
    if (this.#unknown.get({ project, id, day }) !== 0) return undefined;
    while (this.addSome(id, begun));
    const { visits } = begun;
    return { day, all: visits.all, sums: visits.sums(), nameOf: this.#nameOf };
  }

  begin(): Progress {
    return { visits: new DayVisits(this.#nameOf), last: 0 };
  }

  /** Answers whether there may be more. */
  addSome(day: number, progress: Progress): boolean {
    const rows = this.#rows.all(day, progress.last, rowsAtATime);
    for (const { number, views } of rows) {
      addViews(progress.visits, views);
      progress.last = number;
    }
    return rows.length === rowsAtATime;
  }

  readonly #nameOf: PageName = (path) => this.#path.get(path);
}

function addViews(visits: DayVisits, bytes: Buffer): void {
  const { visitors, moments, paths } = unpackViews(bytes);
  for (let i = 0; i < visitors.length; i++) {
    const moment = moments[i] as number;
    visits.add(visitors[i] as bigint, (moment & 3) as KindBit, moment >>> 2, paths[i] as number);
  }
}
