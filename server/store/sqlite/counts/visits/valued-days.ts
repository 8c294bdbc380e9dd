import type { Day } from '../../../../counting/calendar.ts';
import {
  type ClosedCells,
  closeCells,
  type PackedCells,
  sumsOfViews,
} from '../../../../counting/cells/cells.ts';
import { DayViews } from '../../../../counting/cells/day-views.ts';
import type { GoalSum, NameText } from '../../../../counting/goal/goal.ts';
import { readRenames } from '../../../../counting/page/renamed.ts';
import { what } from '../../../../counting/what.ts';
import {
  type AskedSettings,
  askedSettings,
  type CellsRow,
  keepCellsSql,
  keptCellsSql,
  sumsOfCells,
  toAsked,
  type ValuedViews,
} from '../../../counts/day-cells.ts';
import type { Connection } from '../../connection.ts';
import { bound } from '../../sql.ts';
import { activeDays, keptDays, rowsAtATime, type VisitDay } from './active-days.ts';
import { unpackViews } from './packed-views.ts';

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

/** Reads views of active days with their values, and keeps what closing makes of them. */
export function valuedDays(db: Connection) {
  const readRows = db.prepare<[number, number, number], ValuedRow>(
    `select number, human_views, ai_views, views, view_values from visit_views
     where day = ? and number > ? order by number limit +?`,
  );
  const readName = db
    .prepare<[number], string>(
      `select text from names where id = ? and what in (${what.path}, ${what.event})`,
    )
    .pluck();
  const readKept = db.prepare<[object], CellsRow>(keptCellsSql);
  const readSettings = db.prepare<[number], AskedSettings & { renames: string | null }>(
    `select ${askedSettings}, settings ->> 'renamedPaths' as renames from projects where id = ?`,
  );
  const write = db.prepare<[object]>(keepCellsSql);
  const nameOf: NameText = (name) => readName.get(name);
  const keptOf = (project: number, day: Day) => readKept.get(bound([project, day]));

  function asked(project: number) {
    const settings = readSettings.get(project);
    return toAsked(settings, { nameOf, renamed: readRenames(settings?.renames ?? null) });
  }

  return {
    begin: (): ValuedDay => ({ views: new DayViews(), last: 0, humanViews: 0, aiViews: 0 }),

    /** Answers whether there may be more. Views whose values are not known are left out. */
    addSome(day: number, valued: ValuedDay): boolean {
      const rows = readRows.all(day, valued.last, rowsAtATime);
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
    },

    /** What closing keeps of the views, besides what the day has already. */
    close: (project: number, day: Day, { views }: ValuedDay): Generator<void, ClosedCells> =>
      closeCells(views, { ...asked(project), before: keptOf(project, day) }),

    /** What the day has of sections, and of goals by device. */
    sums(project: number, { views }: ValuedDay): GoalSum[] {
      const reading = sumsOfViews(views, asked(project));
      let step = reading.next();
      while (!step.done) step = reading.next();
      return sumsOfCells(step.value);
    },

    keep(project: number, day: Day, { site, pages }: PackedCells, valued: ValuedDay): void {
      const { humanViews = 0, aiViews = 0 } = keptOf(project, day) ?? {};
      const views = [humanViews + valued.humanViews, aiViews + valued.aiViews];
      write.run(bound([project, day, ...views, site, pages]));
    },
  };
}

/** Views of all days together: some 120 MB. */
const maxHeld = 4_000_000;

/** The views of active days as far as they were read. */
export function keptValues(db: Connection) {
  const { begin, addSome } = valuedDays(db);
  const daysOf = activeDays(db);
  const kept = keptDays<ValuedDay>(db, ({ views }) => views.size, maxHeld);
  return (project: number, from: Day, to: Day): (ValuedDay & Pick<VisitDay, 'day'>)[] =>
    daysOf(project, from, to).map(({ id, day }) =>
      kept({ id, project, asked: '' }, begin, (valued) => {
        while (addSome(id, valued));
        return { day, ...valued };
      }),
    );
}
