import { counters } from '../../../../shared/reports/counters.ts';
import { what } from '../../../counting/what.ts';
import type { Sql } from '../../../database/sql.ts';
import {
  type CountedProject,
  type Days,
  type GlanceRows,
  listDays,
  type ReportTables,
  sumNames,
} from '../../counts/count-tables.ts';
import { dialect } from '../sql.ts';
import {
  countColumns,
  findDays,
  ofProject,
  pendingCounts,
  pendingSite,
  postgresTables,
  preferHashes,
  type VisitDay,
} from './counted-project.ts';
import { findMeasured, readOpenGoals, readValued, readVisits } from './visits.ts';

/** Counts by shard, with what batches have appended and nobody has added up yet. */
export const countTables: ReportTables = {
  ...postgresTables,
  // Larger blocks are made one by one.
  sealsAtOnce: false,

  findDays,
  planSums: preferHashes,

  /** As many statements for all projects as for one. */
  async glances(sql, asked) {
    const ofShards = asked.flatMap(({ place, project: { id, shards }, from, to }) =>
      shards.map((shard) => ({ place, shard, project: id, from, to })),
    );
    if (ofShards.length === 0) return { days: [], dataSources: [] };
    const given = JSON.stringify(ofShards);
    const range = {
      from: Math.min(...ofShards.map(({ from }) => from)),
      to: Math.max(...ofShards.map(({ to }) => to)),
    };
    const days = await sql.query<GlanceRows['days'][number]>(
      // One search for each day, instead of reading what else was counted on it.
      `with asked_days as materialized (
         select a.place, a.project, a.shard, x.day from ${askedRows} a cross join ${daysIn('$2')} x
         where x.day >= a."from" and x.day < a."to"
       )
       select c.place, c.day, ${sumsOf('c')} from (
         select d.place, c.day, ${sumNames.map((name) => `c.${name}`)} from asked_days d cross join counts c
         where c.shard = d.shard and c.project = d.project and c.span = 1 and c.day = d.day
           and c.what = ${what.site} and c.parent = 0 and c.name = 0
         union all
         select a.place, p.day, ${sumNames.map((name) => `i.${name}`)}
         from ${askedRows} a cross join pending_counts p cross join lateral increments(p.views, p.sightings) i
         where p.shard = a.shard and p.project = a.project and p.day >= a."from" and p.day < a."to" and i.name = 0) c
       group by c.place, c.day order by c.place, c.day`,
      [given, listDays(range)],
    );
    const dataSources = await sql.query<GlanceRows['dataSources'][number]>(
      `select place, "group", name, string_agg(cast(day as text), ',') as days from (
         select distinct a.place, t.subject as "group", t.name, t.day from ${askedRows} a cross join tallies t
         where t.shard = a.shard and t.project = a.project and t.tally = ${counters['data-sources'].number}
           and t.day >= a."from" and t.day < a."to"
       ) d group by place, "group", name`,
      [given],
    );
    return { days, dataSources };
  },

  counts(project, { from, is, columns = countColumns, names, waits = true }) {
    const where = `c.span = x.span and c.day = x.day and ${is}`;
    const ofCounts = `${ofProject('c', project)} and ${where}`;
    const counted =
      project.shards.length === 1
        ? // Lateral and by itself (offset 0): one search in the index for each row of `x`.
          `${from} x cross join lateral (select * from counts c where ${ofCounts} offset 0) c`
        : `${from} x join counts c on ${ofCounts}`;
    // Citus adds up shard by shard where each part of a union has the shard.
    const all = columns === countColumns ? columns : `c.shard, ${columns}`;
    const waiting = waits === 'site' ? [pendingSite(project)] : waits ? pendingCounts(project, names) : [];
    const parts = [counted, ...waiting.map((table) => `${from} x join ${table} c on ${where}`)];
    return `(${parts.map((part) => `select ${all} from ${part}`).join(' union all ')})`;
  },

  daily(project, { days, is, isNamed = 'true', of, by = [], waits = true }, given) {
    const each = daysIn(given(listDays(days)));
    const from = of ? `(select d.span, d.day, o.* from ${of} o cross join ${each} d)` : each;
    const keys = ['day', ...by].map((name) => `c.${name}`).join(', ');
    const counts = countTables.counts(project, { from, is: `${is} and ${isNamed}`, waits });
    return `select ${keys}, ${sumsOf('c')} from ${counts} c group by ${keys}`;
  },

  // A text is too long for an index.
  isText: (column, text) => `text_hash(${column}) = text_hash(${text}) and ${column} = ${text}`,

  contains: (name, wanted) => `strpos(coalesce(${name}.searchable, ${name}.text), ${wanted}) > 0`,

  // Names of a day are few: what a search looks in is not kept.
  containsText: undefined,

  largest: (rows, order, count) =>
    `select * from (${rows}) l order by ${order} fetch first (${count}) rows with ties`,

  openVisits: async (sql, project, days) => {
    const { measured, unmeasured } = await findMeasured(
      sql,
      project,
      await listOpen(sql, project, days),
      days,
    );
    return { sums: await readVisits(sql, project, measured), unmeasured };
  },

  async openViews(sql, project, days, since) {
    const open = await listOpen(sql, project, days);
    const views = [];
    for (const { id, day } of open)
      views.push({ day, ...(await readValued(sql, project, id, since?.(day))) });
    return views;
  },

  async openGoals(sql, project, days, { aims, goal }) {
    const open = await listOpen(sql, project, days);
    if (open.length === 0) return [];
    const { measured } = await findMeasured(sql, project, open, days);
    const only = goal === undefined ? aims : { ...aims, goals: [goal], funnels: [] };
    const sums = await readOpenGoals(sql, project, measured, only);
    return sums.map(({ human_visitors: people, human_views: views, ...sum }) => ({ ...sum, people, views }));
  },
};

const askedRows = dialect.rows('$1', { place: 'int', shard: 'int', project: 'int', from: 'int', to: 'int' });

/** `x` of a list of days. */
function daysIn(given: string): string {
  return `(select 1 as span, d.value as day from ${dialect.list(given, 'int')} d)`;
}

function sumsOf(table: string): string {
  return sumNames.map((name) => `cast(sum(${table}.${name}) as bigint) as ${name}`).join(', ');
}

function listOpen(sql: Sql, { id }: CountedProject, { from, to }: Days): Promise<VisitDay[]> {
  return sql.query<VisitDay>(
    'select id, day from days where project = $1 and day >= $2 and day < $3 order by day',
    [id, from, to],
  );
}
