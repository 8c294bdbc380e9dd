import { hasGoals, stepsOf } from '../../../../shared/project/goals.ts';
import { type Block, blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { DayViews } from '../../../counting/cells/day-views.ts';
import {
  type Aims,
  GoalMatcher,
  hasPatterns,
  namesOfGoals,
  noAims,
  parseAims,
  type StoredAims,
} from '../../../counting/goal/goal.ts';
import type { Sum } from '../../../counting/sum.ts';
import { parentOf, what } from '../../../counting/what.ts';
import type { Queryable, Sql } from '../../../database/sql.ts';
import { addRows, type CountedProject, type KeptViews } from '../../counting-engine.ts';
import type { Days } from '../../counts/count-tables.ts';
import { keepCells, readCellSums, type ValuedViews } from '../../counts/day-cells.ts';
import {
  allCounts,
  findProject,
  inShards,
  placeOf,
  postgresTables,
  preferIndexes,
  sumNames,
  type VisitDay,
  type VisitSum,
} from './counted-project.ts';
import { storable } from './names/named-views.ts';
import { findNames as findNumbers, findOrAddNames } from './names/names.ts';

/** Days of which some views are not known: of their visits nothing is. */
interface MeasuredDays {
  measured: VisitDay[];
  unmeasured: Day[];
}

/** Which of the days from the first, inclusive, to the last, exclusive, are measured. @param open those that are not sealed */
export async function findMeasured(
  db: Queryable,
  project: CountedProject,
  open: readonly VisitDay[],
  { from, to }: Days,
): Promise<MeasuredDays> {
  const sumOf = (kind: number) =>
    `coalesce(sum(c.human_views + c.ai_views) filter (where c.what = ${kind}), 0)::int`;
  const isWanted = `c.span = 1 and c.day = d.day and c.what in (${what.site}, ${what.visit}) and c.parent = 0`;
  const viewed = await db.query<{ day: Day; views: number; known: number }>(
    `select c.day, ${sumOf(what.site)} as views, ${sumOf(what.visit)} as known
     from ${allCounts(project, isWanted, 'generate_series($3::int, $4::int) d (day)')} c
     group by c.day order by c.day`,
    [...placeOf(project), from, to - 1],
  );
  const kept = await db.query<{ id: number; views: number }>(
    `select v.day as id, sum(v.human_views + v.ai_views)::int as views from visit_views v
     where ${inShards('v', project)} and v.day = any ($2::int[]) group by v.day`,
    [placeOf(project)[0], open.map(({ id }) => id)],
  );
  const views = new Map(kept.map(({ id, views }) => [id, views]));
  const measured = open.filter(({ id, day }) => {
    const ofDay = viewed.find((one) => one.day === day);
    return ofDay !== undefined && ofDay.views === ofDay.known + (views.get(id) ?? 0);
  });
  const days = new Set(measured.map(({ day }) => day));
  const isUnmeasured = ({ day, views, known }: (typeof viewed)[number]) => views !== known && !days.has(day);
  return { measured, unmeasured: viewed.filter(isUnmeasured).map(({ day }) => day) };
}

/** What visits of measured days add to counts. */
export async function readVisits(
  db: Queryable,
  project: CountedProject,
  measured: readonly VisitDay[],
): Promise<VisitSum[]> {
  const dates = new Map(measured.map(({ id, day }) => [id, day]));
  const sums = await db.query<VisitSum>('select * from visit_sums($1, $2, $3)', [
    ...[project.shards, project.id, [...dates.keys()]],
  ]);
  return sums.map((sum) => ({ ...sum, under: null, day: dates.get(sum.day) as Day }));
}

/** What sealing makes of the visits of these days. */
async function readVisitsAndGoals(
  db: Queryable,
  project: CountedProject,
  days: readonly VisitDay[],
): Promise<VisitSum[]> {
  if (days.length === 0) return [];
  const dates = days.map(({ day }) => day);
  const range = { from: Math.min(...dates), to: Math.max(...dates) + 1 };
  const { measured } = await findMeasured(db, project, days, range);
  const goals = await readOpenGoals(db, project, measured);
  // Their own sums have already where visits began.
  return [...(await readVisits(db, project, measured)), ...goals.filter((sum) => sum.what !== what.entry)];
}

/** The same with what closing makes of the views of days, of sections and of goals by device. */
export async function readAllSums(
  db: Sql,
  project: CountedProject,
  days: readonly VisitDay[],
): Promise<VisitSum[]> {
  const sums = await readVisitsAndGoals(db, project, days);
  for (const { id, day } of days) {
    const ofViews = await readCellSums(db, project, await readValued(db, project, id));
    sums.push(...ofViews.map(({ sum, ...named }) => ({ ...named, day, ...columnsOf(sum) })));
  }
  return sums;
}

/**
 * Makes counts of the visits of closed days, whose views go with their visitors; in a transaction.
 *
 * @param isSealed the days are in larger blocks already; else sealing adds them to these
 */
export async function sealVisits(
  db: Sql,
  project: CountedProject,
  days: readonly VisitDay[],
  { isSealed }: { isSealed: boolean },
): Promise<void> {
  const sums = await readVisitsAndGoals(db, project, days);
  for (const { id, day } of days) {
    const ofViews = await keepCells(db, project, day, await readValued(db, project, id));
    sums.push(...ofViews.map(({ sum, ...named }) => ({ ...named, day, ...columnsOf(sum) })));
  }
  await addSums(db, project, sums, (day) => blocksOf(day, { isSealed }));
  await db.query(`delete from visit_views v where ${inShards('v', project)} and v.day = any ($2::int[])`, [
    placeOf(project)[0],
    days.map(({ id }) => id),
  ]);
}

const columnsOf = ({ humanVisitors, aiVisitors, visitors, humanViews, aiViews }: Sum) => ({
  ...{ human_visitors: humanVisitors, ai_visitors: aiVisitors, visitors },
  ...{ human_views: humanViews, ai_views: aiViews },
});

/** Views of a day that is not closed. @param since those that came together with one at this moment or later */
export async function* readViews(
  sql: Queryable,
  project: CountedProject,
  day: number,
  since = 0,
): AsyncIterable<KeptViews & Pick<ViewsRow, 'humanViews' | 'aiViews'>> {
  // One after the other, as a day may have millions of views.
  for (const shard of project.shards) {
    const rows = await sql.query<ViewsRow>(
      `select v.log, v.human_views as "humanViews", v.ai_views as "aiViews", v.visitors, v.views, v.view_values as values
       from visit_views v where v.shard = $1 and v.day = $2${since > 0 ? ' and $3 <= any (v.views)' : ''}`,
      [shard, day, ...(since > 0 ? [BigInt(since) << 31n] : [])],
    );
    for (const { views, ...row } of rows) {
      yield {
        ...row,
        kinds: views.map((view) => Number(view & 3n)),
        moments: views.map((view) => Number(view >> 31n)),
        paths: views.map((view) => Number((view >> 2n) & 536_870_911n)),
      };
    }
  }
}

interface ViewsRow extends Pick<KeptViews, 'log' | 'values'> {
  humanViews: number;
  aiViews: number;
  visitors: bigint[];
  views: bigint[];
}

/** Those whose values are known. */
export async function readValued(
  db: Queryable,
  project: CountedProject,
  day: number,
  since?: number,
): Promise<ValuedViews> {
  const valued = { views: new DayViews(), humanViews: 0, aiViews: 0 };
  for await (const { values, humanViews, aiViews, ...views } of readViews(db, project, day, since)) {
    if (!values) continue;
    valued.views.add({ ...views, values });
    valued.humanViews += humanViews;
    valued.aiViews += aiViews;
  }
  return valued;
}

/** In a transaction of its own. As everybody takes them: names, sealing. */
export async function holdForVisits(db: Queryable, projectId: string): Promise<CountedProject | undefined> {
  await preferIndexes(db);
  await db.query(
    'select pg_advisory_xact_lock(x, p.id) from projects p, unnest(array[3, 2]) x where p.public_id = $1',
    [projectId],
  );
  return findProject(db, projectId);
}

async function addSums(
  db: Sql,
  project: CountedProject,
  sums: readonly VisitSum[],
  blocksOfDay: (day: Day) => Block[],
): Promise<void> {
  const isUnder = ({ under }: VisitSum) => under !== null;
  const above = sums
    .filter(isUnder)
    .map((sum) => ({ what: parentOf[sum.what] as number, parent: 0, text: sum.under as string }));
  const parents = await findOrAddNames(db, project.id, above);
  const named = sums.map((sum) => ({ ...sum, parent: isUnder(sum) ? (parents.shift() as number) : 0 }));
  const names = await findOrAddNames(db, project.id, named);
  const rows = named.flatMap(({ what, parent, ...sum }, i) =>
    blocksOfDay(sum.day).map((block) => ({
      ...{ ...block, what, parent, name: names[i] as number },
      ...Object.fromEntries(sumNames.map((name) => [name, sum[name]])),
    })),
  );
  await addRows(db, postgresTables, project, 'counts', rows);
}

/** Views of active days, after paths were moved to others; null: to none. */
export async function moveVisits(
  db: Queryable,
  project: CountedProject,
  days: readonly Pick<VisitDay, 'id'>[],
  { ids, targets }: { ids: number[]; targets: (number | null)[] },
): Promise<void> {
  await db.query(
    `update visit_views v set views = array(
       select case when m.id is null then u.view
         else u.view - (m.id::bigint << 2) + (coalesce(m.target, 0)::bigint << 2) end
       from unnest(v.views) with ordinality u (view, place)
         left join unnest($3::int[], $4::int[]) m (id, target) on m.id = (u.view >> 2) & 536870911
       order by u.place)
     where ${inShards('v', project)} and v.day = any ($2::int[])`,
    [placeOf(project)[0], days.map(({ id }) => id), ids, targets],
  );
}

interface Name {
  id: number;
  what: number;
  text: string;
}

/** Those that the project has set. */
async function readAims(db: Queryable, project: CountedProject): Promise<Aims> {
  const [row] = await db.query<Pick<StoredAims, 'goals' | 'funnels'>>(
    "select settings ->> 'goals' as goals, settings ->> 'funnels' as funnels from projects where id = $1",
    [project.id],
  );
  return parseAims(row);
}

/** What goals and funnels add to counts, of days whose visits are measured. @param only left out: those that are set */
export async function readOpenGoals(
  db: Queryable,
  project: CountedProject,
  days: readonly VisitDay[],
  only?: Aims,
): Promise<VisitSum[]> {
  const aims = days.length === 0 ? noAims : (only ?? (await readAims(db, project)));
  if (!hasGoals(aims)) return [];
  const { goals, funnels } = aims;
  const ids = days.map(({ id }) => id);
  const steps = funnels.map(stepsOf);
  const names = await findNames(db, project, ids, [...goals, ...steps.flat()]);
  const ofGoals = placesIn(project, goals, names);
  const ofSteps = steps.flatMap((goals, funnel) =>
    placesIn(project, goals, names).map(({ id, place }) => ({ id, funnel: funnel + 1, step: place })),
  );
  const sums = await db.query<GoalSumRow>(
    'select * from goal_sums($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
    [
      ...[project.shards, project.id, ids, goals.map(storable)],
      ...[ofGoals.map(({ id }) => id), ofGoals.map(({ place }) => place)],
      ...[funnels.map(storable), steps.map(({ length }) => length)],
      ...[ofSteps.map(({ id }) => id), ofSteps.map(({ funnel }) => funnel), ofSteps.map(({ step }) => step)],
    ],
  );
  const dates = new Map(days.map(({ id, day }) => [id, day]));
  return sums.map(({ people, views, ...sum }) => ({
    ...sum,
    day: dates.get(sum.day) as Day,
    ...{ human_visitors: people, ai_visitors: 0, visitors: people, human_views: views, ai_views: 0 },
  }));
}

interface GoalSumRow extends Pick<VisitSum, 'day' | 'what' | 'under' | 'text'> {
  people: number;
  views: number;
}

/** Paths and events that may reach a goal: those with its name, and where it may be of others the paths of the days. */
async function findNames(
  db: Queryable,
  project: CountedProject,
  days: readonly number[],
  goals: readonly string[],
): Promise<Name[]> {
  const names = namesOfGoals(goals).map(({ what, text }) => {
    return { project: project.id, what, parent: 0, text: storable(text) };
  });
  const exact = [...(await findNumbers(db, names))].map(([name, id]) => ({ ...name, id }));
  if (!hasPatterns(goals) && !project.renamed) return exact;
  const viewed = await db.query<Name>(
    `select n.id, n.what, n.text from names n where n.project = $2 and n.what = ${what.path} and n.id = any (array(
       select distinct ((u.view >> 2) & 536870911)::int from visit_views v cross join lateral unnest(v.views) u (view)
       where ${inShards('v', project)} and v.day = any ($3::int[]) and (u.view & 3) = 1))`,
    [...placeOf(project), days],
  );
  return [...new Map([...exact, ...viewed].map((name) => [name.id, name])).values()];
}

/** Each name with the place of a goal that it reaches, from 1. */
function placesIn(
  { renamed }: CountedProject,
  goals: readonly string[],
  names: readonly Name[],
): { id: number; place: number }[] {
  const matcher = new GoalMatcher(goals.map(storable), renamed);
  return names.flatMap(({ id, what: thing, text }) => {
    const bits = thing === what.path ? matcher.ofPath(text) : matcher.ofEvent(text);
    return goals.flatMap((_, i) => ((bits & (1 << i)) === 0 ? [] : [{ id, place: i + 1 }]));
  });
}
