import type { Statement } from 'better-sqlite3';
import { usualMinimumGroup } from '../../../../../shared/project/project.ts';
import { parseSections } from '../../../../../shared/project/sections.ts';
import type { Day } from '../../../../counting/calendar.ts';
import {
  type ClosedCells,
  type Closing,
  closeCells,
  type PackedCells,
  sumsOfViews,
} from '../../../../counting/cells/cells.ts';
import { DayViews } from '../../../../counting/cells/day-views.ts';
import { type GoalSum, type NameText, parseAims, type StoredAims } from '../../../../counting/goal/goal.ts';
import { readRenames } from '../../../../counting/page/renamed.ts';
import { what } from '../../../../counting/what.ts';
import { sumsOfCells, type ValuedViews } from '../../../counts/day-cells.ts';
import type { Connection } from '../../connection.ts';
import { unpackViews } from './packed-views.ts';
import type { VisitDay } from './visit-views.ts';

/** Views of a day that is not closed, up to a row. */
export interface ValuedDay extends ValuedViews {
  last: number;
}

interface ValuedRow {
  number: number;
  human_views: number;
  ai_views: number;
  views: Buffer;
  view_values: Buffer | null;
}

interface CellsRow extends PackedCells {
  human_views: number;
  ai_views: number;
}

/** Some 16,000 views of a busy server. */
const rowsAtATime = 64;

/** Reads views of active days with their values, and keeps what closing makes of them. */
export class ValuedDays {
  readonly #rows: Statement<[number, number, number], ValuedRow>;
  readonly #name: Statement<[number], string>;
  readonly #kept: Statement<[number, number], CellsRow>;
  readonly #settings: Statement<
    [number],
    Pick<StoredAims, 'goals'> & { least: number | null; sections: string | null; renames: string | null }
  >;
  readonly #keep: Statement<[CellsRow & { project: number; day: number }]>;

  constructor(db: Connection) {
    this.#rows = db.prepare(
      `select number, human_views, ai_views, views, view_values from visit_views
       where day = ? and number > ? order by number limit +?`,
    );
    this.#name = db
      .prepare<[number], string>(
        `select text from names where id = ? and what in (${what.path}, ${what.event})`,
      )
      .pluck();
    this.#kept = db.prepare(
      'select human_views, ai_views, site, pages from cells where project = ? and day = ?',
    );
    this.#settings = db.prepare(
      `select settings ->> '$.minimumGroup' as least, settings ->> '$.sections' as sections,
         settings ->> '$.renamedPaths' as renames, settings ->> '$.goals' as goals from projects where id = ?`,
    );
    this.#keep = db.prepare(
      `insert into cells (project, day, human_views, ai_views, site, pages)
       values (@project, @day, @human_views, @ai_views, @site, @pages)
       on conflict do update set human_views = excluded.human_views, ai_views = excluded.ai_views,
         site = excluded.site, pages = excluded.pages`,
    );
  }

  begin(): ValuedDay {
    return { views: new DayViews(), last: 0, humanViews: 0, aiViews: 0 };
  }

  /** Answers whether there may be more. Views whose values are not known are left out. */
  addSome(day: number, valued: ValuedDay): boolean {
    const rows = this.#rows.all(day, valued.last, rowsAtATime);
    for (const { number, human_views, ai_views, views, view_values: values } of rows) {
      valued.last = number;
      if (!values) continue;
      const { visitors, moments, paths } = unpackViews(views);
      valued.views.add({
        ...{ visitors, paths, values },
        kinds: moments.map((moment) => moment & 3),
        moments: moments.map((moment) => moment >>> 2),
      });
      valued.humanViews += human_views;
      valued.aiViews += ai_views;
    }
    return rows.length === rowsAtATime;
  }

  /** What closing keeps of the views, besides what the day has already. */
  close(project: number, day: number, { views }: ValuedDay): Generator<void, ClosedCells> {
    return closeCells(views, { ...this.#asked(project), before: this.#kept.get(project, day) });
  }

  /** What the day has of sections, and of goals by device. */
  sums(project: number, { views }: ValuedDay): GoalSum[] {
    const reading = sumsOfViews(views, this.#asked(project));
    let step = reading.next();
    while (!step.done) step = reading.next();
    return sumsOfCells(step.value);
  }

  #asked(project: number): Omit<Closing, 'before'> {
    const settings = this.#settings.get(project);
    const { least, sections, renames = null } = settings ?? {};
    return {
      nameOf: this.nameOf,
      least: least ?? usualMinimumGroup,
      sections: parseSections(sections).map(({ path }) => path),
      goals: parseAims(settings).goals,
      renamed: readRenames(renames),
    };
  }

  keep(project: number, day: number, { site, pages }: PackedCells, { humanViews, aiViews }: ValuedDay): void {
    const { human_views = 0, ai_views = 0 } = this.#kept.get(project, day) ?? {};
    const sums = { human_views: human_views + humanViews, ai_views: ai_views + aiViews };
    this.#keep.run({ project, day, ...sums, site, pages });
  }

  readonly nameOf: NameText = (name) => this.#name.get(name);
}

/** Dropped when unused for so long, as are closed days. */
const keptMs = 60_000;
/** Views of all days together: some 120 MB. */
const maxHeld = 4_000_000;

interface Kept {
  valued: ValuedDay;
  /** A process that moves paths becomes the one that counted last. */
  holder: number | undefined;
  end: NodeJS.Timeout;
}

/** The views of active days as far as they were read: a report goes on from there, as a busy day has views by the million. */
export class KeptValues extends ValuedDays {
  readonly #kept = new Map<number, Kept>();
  readonly #holder: Statement<[], number>;
  readonly #days: Statement<[number, Day, Day], VisitDay>;

  constructor(db: Connection) {
    super(db);
    this.#holder = db.prepare<[], number>('select holder from seen_holder').pluck();
    this.#days = db.prepare(
      'select id, day from days where project = ? and salt is not null and day >= +? and day < +? order by day',
    );
  }

  read(project: number, from: Day, to: Day): (ValuedDay & Pick<VisitDay, 'day'>)[] {
    return this.#days.all(project, from, to).map(({ id, day }) => {
      const known = this.#kept.get(id);
      this.#forget(id);
      const holder = this.#holder.get();
      const valued = known && known.holder === holder ? known.valued : this.begin();
      while (this.addSome(id, valued));
      this.#keep(id, valued, holder);
      return { day, ...valued };
    });
  }

  /** In place of those that were not asked for in the longest time. */
  #keep(day: number, valued: ValuedDay, holder: number | undefined): void {
    this.#kept.set(day, { valued, holder, end: setTimeout(() => this.#kept.delete(day), keptMs).unref() });
    let held = [...this.#kept.values()].reduce((sum, { valued }) => sum + valued.views.size, 0);
    for (const [oldest, { valued }] of this.#kept) {
      if (held <= maxHeld) break;
      held -= valued.views.size;
      this.#forget(oldest);
    }
  }

  #forget(day: number): void {
    clearTimeout(this.#kept.get(day)?.end);
    this.#kept.delete(day);
  }
}
