import { tallies } from '../../../../shared/reports/tallies.ts';
import type { Day } from '../../../counting/calendar.ts';
import { sumOf } from '../../../counting/selection.ts';
import { what } from '../../../counting/what.ts';
import type { Sql } from '../../../database/sql.ts';
import type {
  DayCounts,
  DaysQuery,
  FilteredDaysQuery,
  Glance,
  HoursReport,
  NamedDay,
  NamedDaysQuery,
  WayDays,
} from '../analytics-store.ts';
import {
  type CountedProject,
  type CountRows,
  type CountTables,
  type Days,
  daysIn,
  findCounted,
  findNumbers,
  findProject,
  listDays,
  placeOf,
  readDays,
} from '../count-tables.ts';

const sumNames = ['human_visitors', 'ai_visitors', 'visitors', 'human_views', 'ai_views'] as const;
const sums = sumNames.map((name) => `cast(sum(c.${name}) as bigint) as ${name}`).join(', ');

/** Sums of a day, as they are stored. */
type KeptDay = Record<(typeof sumNames)[number], number> & { day: Day };

/** An hour of a day, or the whole day: then it is null. */
type KeptHour = KeptDay & { hour: string | null };

const isSite = `c.what = ${what.site} and c.parent = 0 and c.name = 0`;

/** Counts day by day, and hour by hour. */
export function seriesReports(sql: Sql, tables: CountTables) {
  const { dialect } = sql;
  const days = daysIn(sql, '$3');

  const countsOf = (project: CountedProject, is: CountRows['is']) =>
    tables.counts(project, { from: days, is });

  return {
    /** The first day with a count; null: there is none. */
    firstDay: (projectId: string): Promise<Day | null> =>
      readDays<Day | null>(sql, tables, { projectId, from: null, to: null }, null, async ({ from }) => from),

    /** Days with a count, oldest first. */
    readSeries: (query: FilteredDaysQuery): Promise<DayCounts[]> =>
      readDays<DayCounts[]>(sql, tables, query, [], async ({ sql, project, ...range }) => {
        const counted = await findCounted(sql, tables, project, sumOf(query.filter));
        if (!counted) return [];
        const { what, parent, name } = counted;
        const rows = await sql.query<KeptDay>(
          `select c.day, ${sums} from ${countsOf(project, 'c.what = $4 and c.parent = $5 and c.name = $6')} c
           group by c.day order by c.day`,
          [...placeOf(project), listDays(range), what, parent, name],
        );
        return rows.map(toDayCounts);
      }),

    /** Of several projects at once, in the order of the questions. */
    readGlances(queries: readonly DaysQuery[]): Promise<Glance[]> {
      return sql.snapshot(async (sql) => {
        const projects = await tables.findProjects(
          sql,
          queries.map(({ projectId }) => projectId),
        );
        const glances: Glance[] = [];
        for (const { projectId, from, to } of queries) {
          const project = projects.get(projectId);
          glances.push(project ? await readGlance(sql, project, { from, to }) : { days: [], ways: [] });
        }
        return glances;
      });
    },

    /** Days of those names that have a count, by day and then name. */
    readNamedDays: ({ of, names, ...query }: NamedDaysQuery): Promise<NamedDay[]> =>
      readDays<NamedDay[]>(sql, tables, query, [], async ({ sql, project, ...range }) => {
        const known = await findNumbers(sql, tables, project, { what: what[of], parent: 0, texts: names });
        const isNamed = `c.what = $4 and c.parent = 0 and c.name ${dialect.isOneOf('$5')}`;
        const rows = await sql.query<KeptDay & { name: string }>(
          `select n.text as name, s.* from (
             select c.day, c.name as id, ${sums} from ${countsOf(project, isNamed)} c group by c.day, c.name
           ) s cross join names n where n.project = $2 and n.id = s.id order by s.day, n.text`,
          [...placeOf(project), listDays(range), what[of], [...known.values()]],
        );
        return rows.map(({ name, ...day }) => ({ name, ...toDayCounts(day) }));
      }),

    readHours({ projectId, ...range }: DaysQuery): Promise<HoursReport> {
      return sql.snapshot(async (sql) => {
        const project = await findProject(sql, tables, projectId);
        if (!project) return toHoursReport(null, []);
        const isHour = `c.what in (${what.site}, ${what.hour}) and c.parent = 0`;
        const rows = await sql.query<KeptHour>(
          `select n.text as hour, s.* from (
             select c.day, c.name as id, ${sums} from ${countsOf(project, isHour)} c group by c.day, c.name
           ) s left join names n on n.project = $2 and n.id = s.id order by s.day, n.text`,
          [...placeOf(project), listDays(range)],
        );
        return toHoursReport(project.closedThrough, rows);
      });
    },
  };

  async function readGlance(sql: Sql, project: CountedProject, range: Days): Promise<Glance> {
    const days = await sql.query<KeptDay>(
      `select c.day, ${sums} from ${countsOf(project, isSite)} c group by c.day order by c.day`,
      [...placeOf(project), listDays(range)],
    );
    const ways = await sql.query<Omit<WayDays, 'days'> & { days: string }>(
      // Days with commas between them: one row for each of them would be most of the answer.
      `select "group", name, string_agg(cast(day as text), ',') as days from (
         select distinct subject as "group", name, day from tallies t
         where ${tables.ofProject('t', project)} and tally = ${tallies['ways-in'].number} and day >= $3 and day < $4
       ) d group by "group", name`,
      [...placeOf(project), range.from, range.to],
    );
    return {
      days: days.map(toDayCounts),
      ways: ways.map(({ days, ...way }) => ({ ...way, days: days.split(',').map(Number) })),
    };
  }
}

function toDayCounts(kept: KeptDay): DayCounts {
  return {
    day: kept.day,
    visitors: { human: kept.human_visitors, ai: kept.ai_visitors, total: kept.visitors },
    views: { human: kept.human_views, ai: kept.ai_views, total: kept.human_views + kept.ai_views },
  };
}

/** Hours tell of a day only where they add up to it. @param kept by day and hour */
function toHoursReport(sealedThrough: Day | null, kept: readonly KeptHour[]): HoursReport {
  const missing = new Map<Day, { human: number; ai: number }>();
  for (const { day, hour, human_views, ai_views } of kept) {
    const { human, ai } = missing.get(day) ?? { human: 0, ai: 0 };
    const sign = hour === null ? 1 : -1;
    missing.set(day, { human: human + sign * human_views, ai: ai + sign * ai_views });
  }
  const without = new Set<Day>();
  for (const [day, { human, ai }] of missing) if (human !== 0 || ai !== 0) without.add(day);
  const rows = kept.flatMap(({ hour, ...day }) =>
    hour === null || without.has(day.day) ? [] : [{ hour, ...toDayCounts(day) }],
  );
  return { sealedThrough, rows, without };
}
