import type { CountTables } from '../../counts/count-tables.ts';
import { findDays, findProjects, ofProject, preferHashes } from './counted-project.ts';
import { readOpenGoals } from './goals.ts';
import { countColumns, pendingCounts } from './pending.ts';
import { sumNames, type VisitDay } from './sums.ts';
import { readOpenVisits, readViewedDays } from './visits.ts';

/** Counts by shard, with what batches have appended and nobody has added up yet. */
export const countTables: CountTables = {
  // Larger blocks are made one by one.
  sealsAtOnce: false,

  findProjects,
  findDays,
  planSums: preferHashes,
  ofProject,
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

  // A text is too long for an index.
  isText: (column, text) => `text_hash(${column}) = text_hash(${text}) and ${column} = ${text}`,

  contains: (name, wanted) => `strpos(coalesce(${name}.searchable, ${name}.text), ${wanted}) > 0`,

  // Names of a day are few: what a search looks in is not kept.
  containsText: undefined,

  largest: (rows, order, count) =>
    `select * from (${rows}) l order by ${order} fetch first (${count}) rows with ties`,

  async openVisits(sql, project, { from, to }) {
    const days = await sql.query<VisitDay>(openDays, [project.id, from, to]);
    const viewed = await readViewedDays(sql, project, from, to);
    const { measured, sums } = await readOpenVisits(sql, project, days, viewed);
    const unmeasured = viewed.filter(({ day, views, known }) => views !== known && !measured.includes(day));
    return { sums, unmeasured: unmeasured.map(({ day }) => day) };
  },

  async openGoals(sql, project, { from, to }) {
    const days = await sql.query<VisitDay>(openDays, [project.id, from, to]);
    if (days.length === 0) return [];
    const viewed = await readViewedDays(sql, project, from, to);
    const { measured } = await readOpenVisits(sql, project, days, viewed);
    const isMeasured = ({ day }: VisitDay) => measured.includes(day);
    const sums = await readOpenGoals(sql, project, days.filter(isMeasured));
    return sums.map(({ human_visitors: people, human_views: views, ...sum }) => ({ ...sum, people, views }));
  },
};

const openDays = 'select id, day from days where project = $1 and day >= $2 and day < $3 order by day';

function isOf(table: string, projects: string): string {
  return `${table}.shard = ${projects}.shard and ${table}.project = ${projects}.project`;
}
