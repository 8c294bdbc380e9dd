import { type Block, largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import type { CalendarRepair } from '../../check-store.ts';
import type { Queryable } from '../queryable.ts';
import { type CountedProject, findProject, ofProject, placeOf } from './counted-project.ts';
import { sealSightings } from './sealing.ts';
import { addedSums, countKey, orAdd, sumColumns, type VisitDay } from './sums.ts';
import { sealVisits } from './visits.ts';

/** Mends the calendar of a project that a wrong clock has gone over; in a transaction. */
export async function repairCalendar(db: Queryable, repair: CalendarRepair): Promise<void> {
  const { projectId, lastDay, sealedThrough, reopened, moveTo, forgetBy } = repair;
  const found = await findProject(db, projectId);
  if (!found) return;
  await db.query('select hold_counting($1)', [found.id]);
  const forgotten = await db.query<VisitDay & { isSealed: boolean }>(
    `select id, day, forget_at is not null as "isSealed" from days
     where project = $1 and salt is not null and (day > $2 or forget_at > $3)`,
    [found.id, lastDay, forgetBy],
  );
  for (const { isSealed, ...day } of forgotten) await sealVisits(db, found, [day], { isSealed });
  await db.query(
    'select forget_days(array(select id from days where project = $1 and (day > $2 or forget_at > $3)))',
    [found.id, lastDay, forgetBy],
  );
  await sealSightings(db, found, { is: 't.day > $3', by: lastDay });
  if (moveTo !== null) await moveDays(db, found, lastDay, moveTo);
  const sealed = await lower(db, found.id, sealedThrough);
  if (sealed !== null) await sumAgain(db, found, sealed, moveTo);
  for (const { day, salt } of reopened) {
    if (sealed === null || day > sealed) await reopen(db, found, day, salt);
  }
}

/** Answers up to which day it is sealed; null: none is. */
async function lower(db: Queryable, project: number, sealedThrough: Day): Promise<Day | null> {
  const [row] = await db.query<{ sealed: Day | null }>(
    `update projects set closed_through = case when closed_through > $2 then $2 else closed_through end,
       sealed_through = case when sealed_through > $2 then $2 else sealed_through end
     where id = $1 returning sealed_through as sealed`,
    [project, sealedThrough],
  );
  return row?.sealed ?? null;
}

async function moveDays(db: Queryable, project: CountedProject, lastDay: Day, to: Day): Promise<void> {
  const values = [...placeOf(project), lastDay, to];
  await db.query(
    `with gone as (delete from counts c where ${ofProject('c', project)} and span = 1 and day > $3 returning *)
     insert into counts as c (${countKey}, ${sumColumns})
     select shard, project, 1, $4::int, what, parent, name, 0, ${addedSums} from gone
     group by shard, project, what, parent, name
     ${orAdd}`,
    values,
  );
  await db.query(
    `with gone as (delete from dropped d where ${ofProject('d', project)} and day > $3 returning *)
     insert into dropped as d (shard, project, day, reason, family, slot, hits)
     select shard, project, $4::int, reason, family, 0, sum(hits) from gone group by shard, project, reason, family
     on conflict (shard, project, day, reason, family, slot) do update set hits = d.hits + excluded.hits`,
    values,
  );
  await db.query(
    `with gone as (delete from name_caps c where ${ofProject('c', project)} and day > $3 returning *)
     insert into name_caps as c (shard, project, day, what, cap, kind, client, slot, views)
     select shard, project, $4::int, what, cap, kind, client, 0, sum(views) from gone
     group by shard, project, what, cap, kind, client
     on conflict (shard, project, day, what, cap, kind, client, slot) do update set views = c.views + excluded.views`,
    values,
  );
  await db.query(
    `with gone as (delete from tallies t where ${ofProject('t', project)} and day > $3 returning *)
     insert into tallies as t (shard, project, tally, day, subject, name, slot, hits, amount)
     select shard, project, tally, $4::int, subject, name, 0, sum(hits), sum(amount) from gone
     group by shard, project, tally, subject, name
     on conflict (shard, project, tally, day, subject, name, slot) do update set
       hits = t.hits + excluded.hits, amount = t.amount + excluded.amount`,
    values,
  );
  await moveImportedDays(db, project.id, lastDay, to);
  await db.query(
    `with gone as (delete from rule_days where project = $1 and day > $2 returning *)
     insert into rule_days (project, day, version) select distinct project, $3::int, version from gone
     on conflict do nothing`,
    [project.id, lastDay, to],
  );
}

async function moveImportedDays(db: Queryable, project: number, lastDay: Day, to: Day): Promise<void> {
  await db.query(
    `with gone as (delete from imported_days where project = $1 and day > $2 returning *)
     insert into imported_days as d (project, day, human_views, ai_views, last_at)
     select project, $3::int, sum(human_views), sum(ai_views), max(last_at) from gone group by project
     on conflict (project, day) do update set human_views = d.human_views + excluded.human_views,
       ai_views = d.ai_views + excluded.ai_views, last_at = greatest(d.last_at, excluded.last_at)`,
    [project, lastDay, to],
  );
}

/** What is sealed no more leaves the larger blocks, and what came to a sealed day gets there. */
async function sumAgain(
  db: Queryable,
  project: CountedProject,
  sealed: Day,
  moveTo: Day | null,
): Promise<void> {
  for (const block of largerBlocksOf(sealed + 1)) {
    await db.query(`delete from counts c where ${ofProject('c', project)} and span = $3 and day >= $4`, [
      ...placeOf(project),
      block.span,
      block.day,
    ]);
    await sumBlock(db, project, block, sealed);
  }
  if (moveTo === null || moveTo > sealed) return;
  for (const block of largerBlocksOf(moveTo)) {
    await db.query(`delete from counts c where ${ofProject('c', project)} and span = $3 and day = $4`, [
      ...placeOf(project),
      block.span,
      block.day,
    ]);
    await sumBlock(db, project, block, sealed);
  }
}

async function sumBlock(
  db: Queryable,
  project: CountedProject,
  { span, day }: Block,
  sealed: Day,
): Promise<void> {
  await db.query(
    `insert into counts (${countKey}, ${sumColumns})
     select shard, project, $3::smallint, $4::int, what, parent, name, 0, ${addedSums}
     from counts c where ${ofProject('c', project)} and span = 1 and day >= $4 and day < $4 + $3::int and day <= $5
     group by shard, project, what, parent, name`,
    [...placeOf(project), span, day, sealed],
  );
}

/** Opens a day, or one that an import has open for others too: sealing is what adds it to larger blocks. */
async function reopen(db: Queryable, project: CountedProject, day: Day, salt: Uint8Array): Promise<void> {
  const found = await db.query(
    `select 1 as found from counts c where ${ofProject('c', project)} and span = 1 and day = $3 limit 1`,
    [...placeOf(project), day],
  );
  if (found.length === 0) return;
  // Nobody drops the partition until the day has it.
  await db.query('select pg_advisory_xact_lock(6, 0)');
  await db.query('select make_bin(bin_of($1))', [day]);
  await db.query(
    `insert into days (project, day, bin, buckets, salt) select id, $2, bin_of($2), buckets, $3 from projects where id = $1
     on conflict (project, day) do update set forget_at = null where days.salt is not null`,
    [project.id, day, salt],
  );
}
