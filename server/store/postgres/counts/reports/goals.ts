import { conversionKinds } from '../../../../counting/goal/goal.ts';
import { searchableText, wantedText } from '../../../../counting/names/name-search.ts';
import { what } from '../../../../counting/what.ts';
import type { SqlValue } from '../../../../database/sql.ts';
import {
  coverMeasured,
  type KnownGoals,
  measureGoal,
  type PeopleOfDay,
  toFunnelRows,
  toGoalRows,
} from '../../../counts/goal-rows.ts';
import type {
  ConversionQuery,
  ConversionReport,
  FunnelRow,
  GoalRow,
  GoalsQuery,
} from '../../../counts/goals-report.ts';
import type { RangeQuery } from '../../../counts/range-query.ts';
import { type PageOfRows, toPage } from '../../../page.ts';
import type { Database } from '../../database.ts';
import type { Queryable } from '../../queryable.ts';
import { type CountedProject, findProject, ofProject, placeOf, preferHashes } from '../counted-project.ts';
import { readAims, readOpenGoals } from '../goals.ts';
import { storable } from '../names/named-views.ts';
import type { VisitDay, VisitSum } from '../sums.ts';
import { readOpenVisits, readViewedDays } from '../visits.ts';
import { allCounts } from './pending.ts';
import { readDays } from './reports.ts';

interface Read extends KnownGoals {
  /** Sums of days that are not sealed. */
  open: VisitSum[];
}

/** Reports of goals; each reads one snapshot. */
export class Goals {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  readGoals(query: GoalsQuery): Promise<PageOfRows<GoalRow>> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, query.projectId);
      return project ? toGoalRows(await read(db, project, query), query) : { rows: [], hasMore: false };
    });
  }

  readFunnels(query: GoalsQuery): Promise<PageOfRows<FunnelRow>> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, query.projectId);
      return project ? toFunnelRows(await read(db, project, query), query) : { rows: [], hasMore: false };
    });
  }

  readConversions(query: ConversionQuery): Promise<ConversionReport> {
    return this.#database.snapshot(async (db) => {
      const project = await findProject(db, query.projectId);
      const nothing = { people: 0, conversions: 0, measured: 0, unmeasured: [] };
      if (!project) return { totals: nothing, rows: [], hasMore: false };
      const known = await read(db, project, query);
      const totals = measureGoal(query.goal, known);
      await preferHashes(db);
      const open = known.open.filter(({ day }) => !totals.unmeasured.includes(day));
      const blocks = coverMeasured(known, totals.unmeasured, project.sealedThrough);
      return { totals, ...toPage(await readRows(db, project, query, { open, blocks }), query) };
    });
  }
}

async function read(db: Queryable, project: CountedProject, { from, to }: RangeQuery): Promise<Read> {
  const aims = await readAims(db, project);
  const counted = await readDays(db, project);
  if (!counted) return { aims, site: [], reached: [], open: [] };
  const first = Math.max(from ?? counted.first, counted.first);
  const end = Math.min(to ?? counted.last + 1, counted.last + 1);
  const open = await readOpen(db, project, first, end);
  const reached = open.map(({ human_visitors, human_views, ...sum }) => ({
    ...sum,
    ...{ people: human_visitors, views: human_views },
  }));
  return {
    ...{ aims, open, site: await readSite(db, project, first, end) },
    reached: [...reached, ...(await readSealed(db, project, first, end))],
  };
}

async function readOpen(
  db: Queryable,
  project: CountedProject,
  from: number,
  to: number,
): Promise<VisitSum[]> {
  const days = await db.query<VisitDay>(
    'select id, day from days where project = $1 and day >= $2 and day < $3 order by day',
    [project.id, from, to],
  );
  if (days.length === 0) return [];
  const viewed = await readViewedDays(db, project, from, to);
  const { measured } = await readOpenVisits(db, project, days, viewed);
  return readOpenGoals(
    db,
    project,
    days.filter(({ day }) => measured.includes(day)),
  );
}

const people = 'sum(c.human_visitors)::int as people, sum(c.human_views)::int as views';
const isInRange = 'c.span = 1 and c.day >= $3 and c.day < $4';

function readSite(db: Queryable, project: CountedProject, from: number, to: number): Promise<PeopleOfDay[]> {
  return db.query(
    `select c.day, ${people} from ${allCounts(project, `${isInRange} and c.what = ${what.site} and c.parent = 0`)} c
     group by c.day order by c.day`,
    [...placeOf(project), from, to],
  );
}

/** Nothing of it waits to be added up. */
function readSealed(
  db: Queryable,
  project: CountedProject,
  from: number,
  to: number,
): Promise<KnownGoals['reached'][number][]> {
  return db.query(
    `select c.day, c.what, f.text as under, n.text, ${people}
     from counts c join names n on n.project = $2 and n.id = c.name
       left join names f on f.project = $2 and f.id = c.parent
     where ${ofProject('c', project)} and ${isInRange} and c.what in (${what.goal}, ${what.funnelStep})
     group by c.day, c.what, f.text, n.text`,
    [...placeOf(project), from, to],
  );
}

function readRows(
  db: Queryable,
  project: CountedProject,
  { goal, by, search, limit, offset }: ConversionQuery,
  { open, blocks }: { open: readonly VisitSum[]; blocks: ReturnType<typeof coverMeasured> },
): Promise<ConversionReport['rows']> {
  const { reached, began } = conversionKinds[by];
  const rows = open.filter((sum) => sum.what === began || (sum.what === reached && sum.under === goal));
  const peopleOf = (sum: VisitSum, thing: number) => (sum.what === thing ? sum.human_visitors : 0);
  const values: SqlValue[] = [
    ...placeOf(project),
    ...[blocks.map(({ span }) => span), blocks.map(({ day }) => day), reached, began, storable(goal)],
    ...[rows.map(({ text }) => text), rows.map(({ text }) => searchableText(text))],
    ...[rows.map((sum) => peopleOf(sum, began)), rows.map((sum) => peopleOf(sum, reached))],
    ...[search === undefined ? null : wantedText(search), limit + 1, offset],
  ];
  return db.query(
    `select x.name, sum(x.people)::int as people, sum(x.conversions)::int as conversions from (
       select n.text as name, coalesce(n.searchable, n.text) as searchable,
         case when n.parent = 0 then s.visitors else 0 end as people,
         case when n.parent = 0 then 0 else s.visitors end as conversions
       from (
         select c.name, sum(c.human_visitors) as visitors
         from unnest($3::smallint[], $4::int[]) b (span, day) join counts c on ${ofProject('c', project)}
           and c.span = b.span and c.day = b.day and (c.what = $6::int and c.parent = 0 or c.what = $5::int and c.parent = (
             select g.id from names g where g.project = $2 and g.what = ${what.goal} and g.parent = 0
               and text_hash(g.text) = text_hash($7::text) and g.text = $7))
         group by c.name) s join names n on n.project = $2 and n.id = s.name
       union all
       select * from unnest($8::text[], $9::text[], $10::int[], $11::int[])) x
     where $12::text is null or strpos(x.searchable, $12) > 0
     group by x.name having sum(x.conversions) > 0
     order by conversions desc, people desc, x.name collate "C" limit $13 offset $14`,
    values,
  );
}
