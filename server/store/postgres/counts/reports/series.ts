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
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { type CountedProject, findProject, ofProject, placeOf } from '../counted-project.ts';
import { type Counted, findCounted } from '../names/counted-names.ts';
import { sumColumns, sumNames } from '../sums.ts';
import { allCounts, pendingCounts } from './pending.ts';
import { readDays } from './reports.ts';

const sums = sumNames.map((name) => `sum(${name}) as ${name}`).join(', ');

/** Counts day by day, and hour by hour. */
export class Series {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  firstDay(projectId: string): Promise<Day | null> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      const days = project && (await readDays(db, project));
      return days?.first ?? null;
    });
  }

  /** Those days that have a count. */
  readSeries({ projectId, from, to, filter }: FilteredDaysQuery): Promise<DayCounts[]> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      const counted = project && (await findCounted(db, project.id, sumOf(filter)));
      return project && counted ? readDayRows(db, project, counted, from, to) : [];
    });
  }

  readNamedDays({ projectId, from, to, of, names }: NamedDaysQuery): Promise<NamedDay[]> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      if (!project) return [];
      const found = await db.query<{ id: number; text: string }>(
        `select id, text from names where project = $1 and what = $2 and parent = 0
         and text_hash(text) in (select text_hash(given) from unnest($3::text[]) given) and text = any($3::text[])`,
        [project.id, what[of], names],
      );
      if (found.length === 0) return [];
      const texts = new Map(found.map(({ id, text }) => [id, text]));
      const rows = await readNamedRows(db, project, what[of], [...texts.keys()], from, to);
      return rows
        .map((row) => ({ name: texts.get(row.name) ?? '', ...toDayCounts(row) }))
        .sort((a, b) => a.day - b.day || (a.name < b.name ? -1 : 1));
    });
  }

  readHours({ projectId, from, to }: DaysQuery): Promise<HoursReport> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, projectId);
      if (!project) return toHoursReport(null, []);
      // Each day by its name is a search in the index, where a range of them is all that was counted on it.
      const days = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
      const isHour = `c.span = 1 and c.day = any($3::int[]) and c.what in (${what.site}, ${what.hour})`;
      const rows = await db.query<KeptHour>(
        `select c.day, n.text as hour, ${sums}
         from ${allCounts(project, isHour)} c left join names n on n.project = $2 and n.id = c.name
         group by c.day, n.text order by c.day, n.text`,
        [...placeOf(project), days],
      );
      return toHoursReport(project.closedThrough, rows);
    });
  }
}

async function readDayRows(
  db: Queryable,
  project: CountedProject,
  { what, parent, name }: Counted,
  from: Day,
  to: Day,
): Promise<DayCounts[]> {
  const counted = await readDays(db, project);
  if (!counted) return [];
  const ofName = 'c.what = $5 and c.parent = $6 and c.name = $7';
  const days = 'generate_series($3::int, $4::int) d (day)';
  const rows = await db.query<KeptDay>(
    project.shards.length === 1
      ? // Lateral: one search in the index for each day, instead of reading what else was counted on it.
        `select c.day, ${sums} from (
           select d.day, sums.* from ${days} cross join lateral (
             select ${sums} from counts c where ${ofProject('c', project)} and c.span = 1 and c.day = d.day and ${ofName}
             having count(*) > 0) sums
           union all
           select c.day, ${sumColumns} from ${pendingCounts(project)} c where c.day between $3 and $4 and ${ofName}) c
         group by c.day order by c.day`
      : `select c.day, ${sums} from ${allCounts(project, `c.span = 1 and c.day = d.day and ${ofName}`, days)} c
         group by c.day order by c.day`,
    [...placeOf(project), Math.max(from, counted.first), Math.min(to - 1, counted.last), what, parent, name],
  );
  return rows.map(toDayCounts);
}

async function readNamedRows(
  db: Queryable,
  project: CountedProject,
  kind: number,
  names: number[],
  from: Day,
  to: Day,
): Promise<(KeptDay & { name: number })[]> {
  const days = await readDays(db, project);
  if (!days) return [];
  const isNamed = 'c.what = $5 and c.parent = 0 and c.name = any($6::int[])';
  return db.query<KeptDay & { name: number }>(
    `select c.day, c.name, ${sums} from (
       select d.day, named.* from generate_series($3::int, $4::int) d (day) cross join lateral (
         select c.name, ${sums} from counts c
         where ${ofProject('c', project)} and c.span = 1 and c.day = d.day and ${isNamed}
         group by c.name) named
       union all
       select c.day, c.name, ${sumColumns} from ${pendingCounts(project)} c where c.day between $3 and $4 and ${isNamed}) c
     group by c.day, c.name`,
    [...placeOf(project), Math.max(from, days.first), Math.min(to - 1, days.last), kind, names],
  );
}
