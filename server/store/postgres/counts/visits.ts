import { type Block, blocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { parentOf, what } from '../../../counting/what.ts';
import type { CountedProject } from '../../counting-engine.ts';
import type { Queryable } from '../queryable.ts';
import { findProject, inShards, placeOf, preferIndexes } from './counted-project.ts';
import { readOpenGoals, withoutEntries } from './goals.ts';
import { findOrAddNames } from './names/added-names.ts';
import { allCounts } from './pending.ts';
import { addRows, type VisitDay, type VisitSum } from './sums.ts';

/** Days with views, by how many of these visits are known in counts. */
export interface ViewedDay {
  day: Day;
  views: number;
  known: number;
}

/** Days with views from the first, inclusive, to the last, exclusive. */
export function readViewedDays(
  db: Queryable,
  project: CountedProject,
  from: Day,
  to: Day,
): Promise<ViewedDay[]> {
  const sumOf = (kind: number) =>
    `coalesce(sum(c.human_views + c.ai_views) filter (where c.what = ${kind}), 0)::int`;
  const isWanted = `c.span = 1 and c.day = d.day and c.what in (${what.site}, ${what.visit}) and c.parent = 0`;
  return db.query<ViewedDay>(
    `select c.day, ${sumOf(what.site)} as views, ${sumOf(what.visit)} as known
     from ${allCounts(project, isWanted, 'generate_series($3::int, $4::int) d (day)')} c
     group by c.day order by c.day`,
    [...placeOf(project), from, to - 1],
  );
}

/** What visits of days that are not sealed add to counts: of days of which every view is known. */
export async function readOpenVisits(
  db: Queryable,
  project: CountedProject,
  days: readonly VisitDay[],
  viewed: readonly ViewedDay[],
): Promise<{ measured: Day[]; sums: VisitSum[] }> {
  const ids = days.map(({ id }) => id);
  const kept = await db.query<{ id: number; views: number }>(
    `select v.day as id, sum(v.human_views + v.ai_views)::int as views from visit_views v
     where ${inShards('v', project)} and v.day = any ($2::int[]) group by v.day`,
    [placeOf(project)[0], ids],
  );
  const views = new Map(kept.map(({ id, views }) => [id, views]));
  const isMeasured = ({ id, day }: VisitDay) => {
    const ofDay = viewed.find((one) => one.day === day);
    return ofDay !== undefined && ofDay.views === ofDay.known + (views.get(id) ?? 0);
  };
  const measured = days.filter(isMeasured);
  const dates = new Map(measured.map(({ id, day }) => [id, day]));
  const sums = await db.query<VisitSum>('select * from visit_sums($1, $2, $3)', [
    project.shards,
    project.id,
    measured.map(({ id }) => id),
  ]);
  return {
    measured: measured.map(({ day }) => day),
    sums: sums.map((sum) => ({ ...sum, under: null, day: dates.get(sum.day) as Day })),
  };
}

/**
 * Makes counts of the visits of closed days, whose views go with their visitors; in a transaction.
 *
 * @param isSealed the days are in larger blocks already; else sealing adds them to these
 */
export async function sealVisits(
  db: Queryable,
  project: CountedProject,
  days: readonly VisitDay[],
  { isSealed }: { isSealed: boolean },
): Promise<void> {
  if (days.length === 0) return;
  const dates = days.map(({ day }) => day);
  const viewed = await readViewedDays(db, project, Math.min(...dates), Math.max(...dates) + 1);
  const { measured, sums } = await readOpenVisits(db, project, days, viewed);
  const goals = await readOpenGoals(
    db,
    project,
    days.filter(({ day }) => measured.includes(day)),
  );
  await addSums(db, project, [...sums, ...withoutEntries(goals)], (day) => blocksOf(day, { isSealed }));
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
  db: Queryable,
  { id }: CountedProject,
  sums: readonly VisitSum[],
  blocksOfDay: (day: Day) => Block[],
): Promise<void> {
  const names = await nameSums(db, id, sums);
  const rows = sums.flatMap((sum, i) =>
    blocksOfDay(sum.day).map((block) => ({ ...sum, ...(names[i] as CountedName), block })),
  );
  await addRows(db, id, rows);
}

interface CountedName {
  parent: number;
  name: number;
}

const nameAbove = (thing: number, text: string) => ({ what: parentOf[thing] as number, parent: 0, text });

const keyOf = (name: { what: number; text: string }) => `${name.what} ${name.text}`;

/** In the order of the sums. */
async function nameSums(db: Queryable, project: number, sums: readonly VisitSum[]): Promise<CountedName[]> {
  const above = sums.flatMap((sum) => (sum.under === null ? [] : [nameAbove(sum.what, sum.under)]));
  const ids = await findOrAddNames(db, project, above);
  const numbers = new Map(above.map((name, i) => [keyOf(name), ids[i] as number]));
  const parentOfSum = (sum: VisitSum) =>
    sum.under === null ? 0 : (numbers.get(keyOf(nameAbove(sum.what, sum.under))) as number);
  const named = sums.map((sum) => ({ ...sum, parent: parentOfSum(sum) }));
  const names = await findOrAddNames(db, project, named);
  return named.map(({ parent }, i) => ({ parent, name: names[i] as number }));
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
