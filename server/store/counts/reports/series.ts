import type { Day } from '../../../counting/calendar.ts';
import { sumOf } from '../../../counting/selection.ts';
import { what } from '../../../counting/what.ts';
import type { Sql, SqlValue } from '../../../database/sql.ts';
import type {
  DayCounts,
  DaysQuery,
  FilteredDaysQuery,
  Glance,
  HoursReport,
  NamedDay,
  NamedDaysQuery,
} from '../analytics-store.ts';
import {
  addTo,
  type DailyRows,
  findCounted,
  findNumbers,
  findProject,
  type KeptDay,
  placeOf,
  type ReportTables,
  readDays,
  sumNames,
} from '../count-tables.ts';
import { findMembers } from '../renamed.ts';

const columns = ['day', ...sumNames].map((name) => `s.${name}`).join(', ');

/** An hour of a day, or the whole day: then it is null. */
type KeptHour = KeptDay & { hour: string | null };

/** Counts day by day, and hour by hour. */
export function seriesReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;

  return {
    /** The first day with a count; null: there is none. */
    firstDay: (projectId: string): Promise<Day | null> =>
      readDays<Day | null>(sql, tables, { projectId, from: null, to: null }, null, async ({ from }) => from),

    /** Days with a count, oldest first. */
    readSeries: (query: FilteredDaysQuery): Promise<DayCounts[]> =>
      readDays<DayCounts[]>(sql, tables, query, [], async ({ sql, project, ...days }) => {
        const counted = await findCounted(sql, tables, project, sumOf(query.filter));
        if (!counted) return [];
        const { what, parent, name } = counted;
        const values = [...placeOf(project), what, parent, name];
        const [is, isNamed] = ['c.what = $3 and c.parent = $4', 'c.name = $5'];
        const wanted: DailyRows =
          name > 0 ? { days, is, isNamed } : { days, is: `${is} and ${isNamed}`, waits: 'site' };
        const daily = tables.daily(project, wanted, addTo(values));
        const rows = await sql.query<KeptDay>(`${daily} order by c.day`, values);
        return rows.map(toDayCounts);
      }),

    /** Of several projects at once, in the order of the questions. */
    readGlances: (queries: readonly DaysQuery[]): Promise<Glance[]> =>
      sql.snapshot(async (snapshot) => {
        const ids = queries.map(({ projectId }) => projectId);
        const projects = await tables.findProjects(snapshot, ids);
        const asked = queries.flatMap(({ projectId, from, to }, place) => {
          const project = projects.get(projectId);
          return project ? [{ place, project, from, to }] : [];
        });
        const glances = queries.map((): Glance => ({ days: [], dataSources: [] }));
        const { days, dataSources } = await tables.glances(snapshot, asked);
        for (const { place, ...day } of days) glances[place]?.days.push(toDayCounts(day));
        for (const { place, days, ...dataSource } of dataSources)
          glances[place]?.dataSources.push({ ...dataSource, days: days.split(',').map(Number) });
        return glances;
      }),

    /** Days of those names that have a count, by day and then name; of a page with several names visitors at most. */
    readNamedDays: ({ of, names, ...query }: NamedDaysQuery): Promise<NamedDay[]> =>
      readDays<NamedDay[]>(sql, tables, query, [], async ({ sql, project, ...days }) => {
        const found = await findNumbers(sql, tables, project, { what: what[of], parent: 0, texts: names });
        const members = of === 'path' ? await findMembers({ sql, project }, [what.path]) : [];
        const textOf = new Map([...found].map(([text, id]) => [id, text]));
        for (const { id, path } of members) if (names.includes(path)) textOf.set(id, path);
        const values = [...placeOf(project), what[of], [...textOf.keys()]];
        const isNamed = `c.name ${dialect.isOneOf('$4')}`;
        const wanted = { days, is: 'c.what = $3 and c.parent = 0', isNamed, by: ['name'] };
        const rows = await sql.query<KeptDay & { name: number }>(
          tables.daily(project, wanted, addTo(values)),
          values,
        );
        const named = Map.groupBy(rows, ({ day, name }) => `${day} ${textOf.get(name)}`);
        return [...named.values()]
          .map((parts) => {
            const [first] = parts as [KeptDay & { name: number }];
            const sum = { ...first };
            for (const part of parts.slice(1)) for (const name of sumNames) sum[name] += part[name];
            return { name: textOf.get(first.name) as string, ...toDayCounts(sum) };
          })
          .sort((a, b) => a.day - b.day || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
      }),

    readHours({ projectId, ...days }: DaysQuery): Promise<HoursReport> {
      return sql.snapshot(async (sql) => {
        const project = await findProject(sql, tables, projectId);
        if (!project) return toHoursReport(null, []);
        const is = `c.what in (${what.site}, ${what.hour}) and c.parent = 0`;
        const values: SqlValue[] = [...placeOf(project)];
        const rows = await sql.query<KeptHour>(
          `select n.text as hour, ${columns} from (${tables.daily(project, { days, is, by: ['name'] }, addTo(values))}) s
             left join names n on n.project = $2 and n.id = s.name order by s.day, n.text`,
          values,
        );
        return toHoursReport(project.closedThrough, rows);
      });
    },
  };
}

function toDayCounts(kept: KeptDay): DayCounts {
  return {
    day: kept.day,
    visitors: { human: kept.human_visitors, ai: kept.ai_visitors, total: kept.visitors },
    views: { human: kept.human_views, ai: kept.ai_views, total: kept.human_views + kept.ai_views },
  };
}

/** Hours of a day are shown only where they add up to it. @param kept by day and hour */
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
