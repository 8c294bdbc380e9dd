import { coverDays } from '../../../../counting/blocks.ts';
import { wantedText } from '../../../../counting/names/name-search.ts';
import { what } from '../../../../counting/what.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import { type FlatVisits, noVisits, toVisitCounts } from '../../../counts/analytics-rows.ts';
import type { CountOrder, VisitPagesQuery, VisitPagesReport } from '../../../counts/analytics-store.ts';
import { toPage } from '../../../page.ts';
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { type CountedProject, findProject, ofProject, placeOf, preferHashes } from '../counted-project.ts';
import { storable } from '../names/named-views.ts';
import type { VisitDay, VisitSum } from '../sums.ts';
import { readOpenVisits, readViewedDays } from '../visits.ts';
import { readDays } from './reports.ts';

const orders: Record<CountOrder, string> = {
  total: 'total desc',
  human: 'human desc, total desc',
  ai: 'ai desc, total desc',
  aiShare: '(ai + 1)::float8 / (human + 1)::float8 desc, total desc',
};

/** Sums of what is so, under these names. */
const sumsOf = (is: string, names: readonly [string, string, string]) =>
  ['h', 'a', 't']
    .map((sum, i) => `coalesce(sum(${sum}) filter (where ${is}), 0)::int as ${names[i]}`)
    .join(', ');

const single = sumsOf(`what = ${what.singlePage}`, ['"singleHuman"', '"singleAi"', '"singleTotal"']);

/** Reports of the pages on which visits began and ended; each reads one snapshot. */
export class VisitPages {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  readVisitPages(query: VisitPagesQuery): Promise<VisitPagesReport> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, query.projectId);
      const counted = project && (await readDays(db, project));
      if (!project || !counted) return noVisits;
      await preferHashes(db);
      const from = Math.max(query.from ?? counted.first, counted.first);
      const to = Math.min(query.to ?? counted.last + 1, counted.last + 1);
      const viewed = await readViewedDays(db, project, from, to);
      const days = await db.query<VisitDay>(
        'select id, day from days where project = $1 and day >= $2 and day < $3 order by day',
        [project.id, from, to],
      );
      const open = await readOpenVisits(db, project, days, viewed);
      const isOpen = new Set(open.measured);
      const blocks = coverDays(from, to, project.sealedThrough);
      const path = query.filter?.path === undefined ? null : storable(query.filter.path);
      const values = [...valuesOf(project, what[query.of], blocks, open.sums), path];
      return {
        totals: await readTotals(db, project, values),
        ...toPage(await readRows(db, project, values, query), query),
        unmeasured: viewed
          .filter(({ day, views, known }) => views !== known && !isOpen.has(day))
          .map(({ day }) => day),
      };
    });
  }
}

/** `$1` to `$10` of what follows; then comes the only path that is asked for. */
function valuesOf(
  project: CountedProject,
  kind: number,
  blocks: ReturnType<typeof coverDays>,
  open: readonly VisitSum[],
): SqlValue[] {
  return [
    ...placeOf(project),
    blocks.map(({ span }) => span),
    blocks.map(({ day }) => day),
    kind,
    open.map((sum) => sum.what),
    open.map(({ text }) => text),
    open.map((sum) => sum.human_visitors),
    open.map((sum) => sum.ai_visitors),
    open.map((sum) => sum.visitors),
  ];
}

/** Of sealed days, and of those that have their views still. */
function sums(project: CountedProject): string {
  return `
    select s.what, n.text as path, coalesce(n.searchable, n.text) as searchable, s.h, s.a, s.t from (
      select c.what, c.name, sum(c.human_visitors) as h, sum(c.ai_visitors) as a, sum(c.visitors) as t
      from unnest($3::smallint[], $4::int[]) b (span, day) join counts c on ${ofProject('c', project)}
        and c.span = b.span and c.day = b.day and c.what in ($5::int, ${what.singlePage}, ${what.visit}) and c.parent = 0
      group by c.what, c.name) s join names n on n.project = $2 and n.id = s.name
    union all
    select x.what, x.path, coalesce(n.searchable, x.path), x.h, x.a, x.t
    from unnest($6::int[], $7::text[], $8::int[], $9::int[], $10::int[]) as x(what, path, h, a, t)
      left join names n on n.project = $2 and n.what = ${what.path} and n.parent = 0
        and text_hash(n.text) = text_hash(x.path) and n.text = x.path`;
}

async function readTotals(db: Queryable, project: CountedProject, values: SqlValue[]) {
  const all = sumsOf(`what = case when $11::text is null then ${what.visit} else $5 end`, [
    'human',
    'ai',
    'total',
  ]);
  const [totals] = await db.query<Omit<FlatVisits, 'path'>>(
    `select ${all}, ${single} from (${sums(project)}) x where $11::text is null or path = $11`,
    values,
  );
  return toVisitCounts(totals as Omit<FlatVisits, 'path'>);
}

async function readRows(
  db: Queryable,
  project: CountedProject,
  values: SqlValue[],
  { order = 'total', search, limit, offset }: VisitPagesQuery,
) {
  const rows = await db.query<FlatVisits>(
    `select * from (
       select path, ${sumsOf('what = $5', ['human', 'ai', 'total'])}, ${single} from (${sums(project)}) x
       where what <> ${what.visit} and ($11::text is null or path = $11)
         and ($12::text is null or strpos(searchable, $12) > 0)
       group by path) p
     where total > 0 order by ${orders[order]}, path collate "C" limit $13 offset $14`,
    [...values, search === undefined ? null : wantedText(search), limit + 1, offset],
  );
  return rows.map(({ path, ...counts }) => ({ path, ...toVisitCounts(counts) }));
}
