import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../../counting/calendar.ts';
import { sumOf } from '../../../../counting/selection.ts';
import { what } from '../../../../counting/what.ts';
import { type KeptDay, type KeptHour, toDayCounts, toHoursReport } from '../../../counts/analytics-rows.ts';
import type {
  DayCounts,
  DaysQuery,
  FilteredDaysQuery,
  HoursReport,
  NamedDay,
  NamedDaysQuery,
} from '../../../counts/analytics-store.ts';
import type { Connection } from '../../connection.ts';
import { type Counted, CountedNames } from '../counted-names.ts';

interface Days {
  project: number;
  from: Day;
  to: Day;
}

type Selection = Counted & Days;
/** `names`: a JSON list. */
type NamedSelection = Days & { what: number; names: string };

/** Counts day by day, and hour by hour. */
export class Series {
  readonly #db: Connection;
  readonly #names: CountedNames;
  readonly #project: Statement<[string], { id: number; sealedThrough: Day | null }>;
  readonly #firstDay: Statement<[number], { day: Day | null }>;
  readonly #rows: Statement<[Selection], KeptDay>;
  readonly #namedRows: Statement<[NamedSelection], KeptDay & { name: string }>;
  readonly #hours: Statement<[DaysQuery], KeptHour>;

  constructor(db: Connection) {
    this.#db = db;
    this.#names = new CountedNames(db);
    this.#project = db.prepare(
      'select id, sealed_through as "sealedThrough" from projects where public_id = ?',
    );
    this.#firstDay = db.prepare(
      `select min(day) as day from counts where project = ? and what = ${what.site} and parent = 0 and span = 1`,
    );
    // One seek per day of the site, instead of reading what else was counted on each.
    this.#rows = db.prepare(
      `select c.day, c.human_visitors, c.ai_visitors, c.visitors, c.human_views, c.ai_views
       from counts site cross join counts c
         on c.project = @project and c.what = @what and c.parent = @parent
         and c.span = 1 and c.day = site.day and c.name = @name
       where site.project = @project and site.what = ${what.site} and site.parent = 0
         and site.span = 1 and site.day >= @from and site.day < @to
       order by site.day`,
    );
    this.#namedRows = db.prepare(
      `select n.text as name, c.day, c.human_visitors, c.ai_visitors, c.visitors, c.human_views, c.ai_views
       from json_each(@names) given cross join names n
         on n.project = @project and n.what = @what and n.parent = 0 and n.text = given.value
         cross join counts site
         on site.project = @project and site.what = ${what.site} and site.parent = 0
           and site.span = 1 and site.day >= @from and site.day < @to
         cross join counts c
         on c.project = @project and c.what = @what and c.parent = 0
           and c.span = 1 and c.day = site.day and c.name = n.id
       order by c.day, n.text`,
    );
    this.#hours = db.prepare(
      `select c.day, n.text as hour, c.human_visitors, c.ai_visitors, c.visitors, c.human_views, c.ai_views
       from projects p join counts c on c.project = p.id and c.what in (${what.site}, ${what.hour}) and c.parent = 0
           and c.span = 1 and c.day >= @from and c.day < @to
         left join names n on n.id = c.name
       where p.public_id = @projectId order by c.day, n.text`,
    );
  }

  firstDay(projectId: string): Day | null {
    const project = this.#project.get(projectId);
    return project ? (this.#firstDay.get(project.id)?.day ?? null) : null;
  }

  /** Those days that have a count. */
  readSeries({ projectId, from, to, filter }: FilteredDaysQuery): DayCounts[] {
    return this.#db.transaction(() => {
      const project = this.#project.get(projectId)?.id;
      const counted = project === undefined ? undefined : this.#names.find(project, sumOf(filter));
      if (project === undefined || !counted) return [];
      return this.#rows.all({ ...counted, project, from, to }).map(toDayCounts);
    })();
  }

  readNamedDays({ projectId, from, to, of, names }: NamedDaysQuery): NamedDay[] {
    return this.#db.transaction(() => {
      const project = this.#project.get(projectId)?.id;
      if (project === undefined) return [];
      const asked = { project, from, to, what: what[of], names: JSON.stringify([...new Set(names)]) };
      return this.#namedRows.all(asked).map((row) => ({ name: row.name, ...toDayCounts(row) }));
    })();
  }

  readHours({ projectId, from, to }: DaysQuery): HoursReport {
    return this.#db.transaction(() => {
      const { sealedThrough = null } = this.#project.get(projectId) ?? {};
      return toHoursReport(sealedThrough, this.#hours.all({ projectId, from, to }));
    })();
  }
}
