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
  daysIn,
  findCounted,
  findNumbers,
  findProject,
  type KeptDay,
  listDays,
  placeOf,
  type ReportTables,
  readDays,
  sumNames,
} from '../count-tables.ts';

const columns = ['day', ...sumNames].map((name) => `s.${name}`).join(', ');

/** An hour of a day, or the whole day: then it is null. */
type KeptHour = KeptDay & { hour: string | null };

const sums = sumNames.map((name) => `cast(sum(c.${name}) as bigint) as ${name}`).join(', ');
const isSite = `c.what = ${what.site} and c.parent = 0 and c.name = 0`;

/** Counts day by day, and hour by hour. */
export function seriesReports(sql: Sql, tables: ReportTables) {
  const { dialect } = sql;

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
        const isCounted = {
          is: 'c.what = $4 and c.parent = $5',
          ...(name > 0 && { isNamed: 'c.name = $6' }),
        };
        const values = [tables.days(range), what, parent, ...(name > 0 ? [name] : [])];
        const daily = `${tables.daily(project, isCounted)} order by c.day`;
        const rows = await sql.query<KeptDay>(daily, [...placeOf(project), ...values]);
        return rows.map(toDayCounts);
      }),

    /** Of several projects at once, in the order of the questions. */
    readGlances: (queries: readonly DaysQuery[]): Promise<Glance[]> =>
      sql.snapshot((snapshot) => readGlances(snapshot, tables, queries)),

    /** Days of those names that have a count, by day and then name. */
    readNamedDays: ({ of, names, ...query }: NamedDaysQuery): Promise<NamedDay[]> =>
      readDays<NamedDay[]>(sql, tables, query, [], async ({ sql, project, ...range }) => {
        const found = await findNumbers(sql, tables, project, { what: what[of], parent: 0, texts: names });
        const known = [...found].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const placeOfName = new Map(known.map(([, id], place) => [id, place]));
        const place = ({ name }: { name: number }) => placeOfName.get(name) as number;
        const isNamed = `c.name ${dialect.isOneOf('$5')}`;
        const daily = tables.daily(project, { is: 'c.what = $4 and c.parent = 0', isNamed, by: ['name'] });
        const rows = await sql.query<KeptDay & { name: number }>(daily, [
          ...[...placeOf(project), tables.days(range)],
          ...[what[of], known.map(([, id]) => id)],
        ]);
        return rows
          .sort((a, b) => a.day - b.day || place(a) - place(b))
          .map((row) => ({ name: (known[place(row)] as [string, number])[0], ...toDayCounts(row) }));
      }),

    readHours({ projectId, ...range }: DaysQuery): Promise<HoursReport> {
      return sql.snapshot(async (sql) => {
        const project = await findProject(sql, tables, projectId);
        if (!project) return toHoursReport(null, []);
        const is = `c.what in (${what.site}, ${what.hour}) and c.parent = 0`;
        const rows = await sql.query<KeptHour>(
          `select n.text as hour, ${columns} from (${tables.daily(project, { is, by: ['name'] })}) s
             left join names n on n.project = $2 and n.id = s.name order by s.day, n.text`,
          [...placeOf(project), tables.days(range)],
        );
        return toHoursReport(project.closedThrough, rows);
      });
    },
  };
}

/** As many statements for all projects as for one. */
async function readGlances(sql: Sql, tables: ReportTables, queries: readonly DaysQuery[]): Promise<Glance[]> {
  const projects = await tables.findProjects(
    sql,
    queries.map(({ projectId }) => projectId),
  );
  const asked = queries.flatMap(({ projectId, from, to }, place) => {
    const { id, shards = [] } = projects.get(projectId) ?? {};
    return shards.map((shard) => ({ place, shard, project: id, from, to }));
  });
  const glances = queries.map((): Glance => ({ days: [], ways: [] }));
  if (asked.length === 0) return glances;
  const given = JSON.stringify(asked);
  const range = {
    from: Math.min(...asked.map(({ from }) => from)),
    to: Math.max(...asked.map(({ to }) => to)),
  };
  const types = { place: 'int', shard: 'int', project: 'int', from: 'int', to: 'int' } as const;
  const rows = sql.dialect.rows('$1', types);
  const counted = `select d.place, c.day, ${sumNames.map((name) => `c.${name}`).join(', ')} from asked_days d cross join counts c
    where ${tables.isOf('c', 'd')} and c.span = 1 and c.day = d.day and ${isSite}`;
  const days = await sql.query<KeptDay & { place: number }>(
    // One search for each day, instead of reading what else was counted on it.
    `with asked_days as materialized (
       select a.place, a.project, a.shard, x.day from ${rows} a cross join ${daysIn(sql, '$2')} x
       where x.day >= a."from" and x.day < a."to"
     )
     select c.place, c.day, ${sums} from (${[counted, ...tables.waitingSites(rows)].join(' union all ')}) c
     group by c.place, c.day order by c.place, c.day`,
    [given, listDays(range)],
  );
  for (const { place, ...day } of days) glances[place]?.days.push(toDayCounts(day));
  const ways = await sql.query<Omit<WayDays, 'days'> & { place: number; days: string }>(
    // Days with commas between them: one row for each of them would be most of the answer.
    `select place, "group", name, string_agg(cast(day as text), ',') as days from (
       select distinct a.place, t.subject as "group", t.name, t.day from ${rows} a cross join tallies t
       where ${tables.isOf('t', 'a')} and t.tally = ${tallies['ways-in'].number} and t.day >= a."from" and t.day < a."to"
     ) d group by place, "group", name`,
    [given],
  );
  for (const { place, days, ...way } of ways)
    glances[place]?.ways.push({ ...way, days: days.split(',').map(Number) });
  return glances;
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
