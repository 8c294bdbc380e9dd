import type { Sql } from '../../../database/sql.ts';
import {
  type CountedProject,
  type Days,
  listDays,
  type ReportTables,
  sumNames,
} from '../../counts/count-tables.ts';
import { dialect } from '../sql.ts';
import { findDays, ofProject, postgresTables, preferHashes } from './counted-project.ts';
import { readOpenGoals } from './goals.ts';
import { countColumns, pendingCounts } from './pending.ts';
import type { VisitDay } from './sums.ts';
import { findMeasured, readVisits } from './visits.ts';

/** Counts by shard, with what batches have appended and nobody has added up yet. */
export const countTables: ReportTables = {
  ...postgresTables,
  // Larger blocks are made one by one.
  sealsAtOnce: false,

  findDays,
  planSums: preferHashes,
  isOf,

  waitingSites: (asked) => [
    `select a.place, p.day, ${sumNames.map((name) => `i.${name}`).join(', ')}
     from ${asked} a cross join pending_counts p cross join lateral increments(p.views, p.sightings) i
     where ${isOf('p', 'a')} and p.day >= a."from" and p.day < a."to" and i.name = 0`,
  ],

  counts(project, { from, is, columns = countColumns, waits = true }) {
    const where = `c.span = x.span and c.day = x.day and ${is}`;
    const ofCounts = `${ofProject('c', project)} and ${where}`;
    const counted =
      project.shards.length === 1
        ? // Lateral and by itself (offset 0): one search in the index for each row of `x`.
          `${from} x cross join lateral (select * from counts c where ${ofCounts} offset 0) c`
        : `${from} x join counts c on ${ofCounts}`;
    // Citus adds up shard by shard where each part of a union has the shard.
    const all = columns === countColumns ? columns : `c.shard, ${columns}`;
    const pending = pendingCounts(project).map((table) => `${from} x join ${table} c on ${where}`);
    const parts = [counted, ...(waits ? pending : [])];
    return `(${parts.map((part) => `select ${all} from ${part}`).join(' union all ')})`;
  },

  daily(project, { is, isNamed = 'true', of, by = [], waits = true }) {
    const from = of ? `(select d.span, d.day, o.* from ${of} o cross join ${givenDays} d)` : givenDays;
    const keys = ['day', ...by].map((name) => `c.${name}`).join(', ');
    const sums = sumNames.map((name) => `cast(sum(c.${name}) as bigint) as ${name}`);
    const counts = countTables.counts(project, { from, is: `${is} and ${isNamed}`, waits });
    return `select ${[keys, ...sums].join(', ')} from ${counts} c group by ${keys}`;
  },

  days: listDays,

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

  async openGoals(sql, project, days) {
    const open = await listOpen(sql, project, days);
    if (open.length === 0) return [];
    const { measured } = await findMeasured(sql, project, open, days);
    const sums = await readOpenGoals(sql, project, measured);
    return sums.map(({ human_visitors: people, human_views: views, ...sum }) => ({ ...sum, people, views }));
  },
};

const givenDays = `(select 1 as span, d.value as day from ${dialect.list('$3', 'int')} d)`;

function isOf(table: string, projects: string): string {
  return `${table}.shard = ${projects}.shard and ${table}.project = ${projects}.project`;
}

function listOpen(sql: Sql, { id }: CountedProject, { from, to }: Days): Promise<VisitDay[]> {
  return sql.query<VisitDay>(
    'select id, day from days where project = $1 and day >= $2 and day < $3 order by day',
    [id, from, to],
  );
}
