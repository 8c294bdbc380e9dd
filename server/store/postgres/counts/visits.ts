import { type Block, blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { parentOf, what } from '../../../counting/what.ts';
import type { Sql } from '../../../database/sql.ts';
import { addRows, type CountedProject } from '../../counting-engine.ts';
import type { Days } from '../../counts/count-tables.ts';
import type { Queryable } from '../queryable.ts';
import { findProject, inShards, placeOf, postgresTables, preferIndexes } from './counted-project.ts';
import { readOpenGoals } from './goals.ts';
import { findOrAddNames } from './names/names.ts';
import { allCounts } from './pending.ts';
import { sumNames, type VisitDay, type VisitSum } from './sums.ts';

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
export async function readVisitsAndGoals(
  db: Queryable,
  project: CountedProject,
  days: readonly VisitDay[],
): Promise<VisitSum[]> {
  if (days.length === 0) return [];
  const dates = days.map(({ day }) => day);
  const range = { from: Math.min(...dates), to: Math.max(...dates) + 1 };
  const { measured } = await findMeasured(db, project, days, range);
  const goals = await readOpenGoals(db, project, measured);
  // Where visits began stands in their own sums already.
  return [...(await readVisits(db, project, measured)), ...goals.filter((sum) => sum.what !== what.entry)];
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
  await addSums(db, project, sums, (day) => blocksOf(day, { isSealed }));
  await db.query(`delete from visit_views v where ${inShards('v', project)} and v.day = any ($2::int[])`, [
    placeOf(project)[0],
    days.map(({ id }) => id),
  ]);
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

/** Views of open days, after paths were moved to others; null: to none. */
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
