import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { Queryable } from '../../../database/sql.ts';
import type { CountedProject } from '../../counting-engine.ts';
import type { Database } from '../database.ts';
import { intArray } from './arrays.ts';
import {
  countKey,
  findDays,
  findProject,
  inShards,
  ofProject,
  orAdd,
  placeOf,
  preferIndexes,
  sumColumns,
  sumNames,
} from './counted-project.ts';

/** Rows of a day that are deleted with one transaction: between two such, days are sealed and paths moved. */
const rowsPerStep = 2000;

/** What a count is of. */
interface CountedName {
  what: number;
  parent: number;
  name: number;
}

const takenSums = sumNames.map((name) => `-sum(${name})`).join(', ');

const kindsOf = { details: `what <> ${what.site}`, site: `what = ${what.site}` };

/**
 * Sums by the hour of sealed days before this one. Unlike what retention forgets they have few rows on a day, of which nearly
 * all are something else: days are named, so that each is one search in the index.
 */
export async function forgetHours(database: Database, projectId: string, before: Day): Promise<void> {
  const hours = `what = ${what.hour}`;
  const days = await database.snapshot(async (db) => {
    const project = await findProject(db, projectId);
    const counted = project && (await findDays(db, project));
    if (!project || project.sealedThrough === null || !counted) return [];
    const end = Math.min(before, project.sealedThrough + 1);
    const asked = Array.from({ length: Math.max(0, end - counted.first) }, (_, i) => counted.first + i);
    return db.query<{ day: Day }>(
      `select distinct day from counts c where ${ofProject('c', project)} and span = 1 and ${hours} and day = any($3::int[])`,
      [...placeOf(project), asked],
    );
  });
  for (const { day } of days) {
    await database.transaction(async (db) => {
      const project = await holdDays(db, projectId);
      if (project) await forgetRows(db, project, hours, day);
    });
  }
}

/** Until the end of the transaction no day is sealed, and no path moved. */
export async function holdDays(db: Queryable, projectId: string): Promise<CountedProject | undefined> {
  await preferIndexes(db);
  await db.query('select pg_advisory_xact_lock(2, id) from projects where public_id = $1', [projectId]);
  return findProject(db, projectId);
}

/** All counts of a sealed day. */
export async function removeDay(db: Queryable, project: CountedProject, day: Day): Promise<void> {
  for (;;) {
    const left = await db.query(
      `select from counts c where ${ofProject('c', project)} and span = 1 and day = $3 limit 1`,
      [...placeOf(project), day],
    );
    if (left.length === 0) break;
    await forgetRows(db, project, 'true', day);
  }
}

/** Some rows of the oldest day before this one; answers false where there is none. */
export async function forgetSome(
  db: Queryable,
  project: CountedProject,
  of: keyof typeof kindsOf,
  before: Day,
): Promise<boolean> {
  const kinds = kindsOf[of];
  const [oldest] = await db.query<{ day: Day | null }>(
    `select min(day) as day from counts c where ${ofProject('c', project)} and span = 1 and day < $3 and ${kinds}`,
    [...placeOf(project), before],
  );
  const day = oldest?.day ?? null;
  if (day === null) return false;
  await forgetRows(db, project, kinds, day);
  return true;
}

/** As many rows of a sealed day as a step takes. */
async function forgetRows(db: Queryable, project: CountedProject, kinds: string, day: Day): Promise<void> {
  const last = await findLast(db, project, kinds, day);
  const blocks = largerBlocksOf(day);
  const ofBlocks = [blocks.map(({ span }) => span), blocks.map((block) => block.day)];
  await db.query(
    `with slice as (
       delete from counts c where ${ofProject('c', project)} and span = 1 and day = $3 and ${kinds}
         and (what, parent, name) <= ($6::int, $7::int, $8::int)
       returning *)
     insert into counts as c (${countKey}, ${sumColumns})
     select shard, project, b.span, b.day, what, parent, name, 0, ${takenSums}
     from slice cross join unnest($4::smallint[], $5::int[]) b (span, day)
     group by shard, project, b.span, b.day, what, parent, name
     ${orAdd}`,
    [...placeOf(project), day, ...ofBlocks, last.what, last.parent, last.name],
  );
  await db.query(
    `delete from counts c using unnest($3::smallint[], $4::int[]) b (span, day)
     where ${ofProject('c', project)} and c.span = b.span and c.day = b.day and ${kinds} and human_views = 0 and ai_views = 0`,
    [...placeOf(project), ...ofBlocks],
  );
}

/** Of those that one step deletes. */
async function findLast(
  db: Queryable,
  project: CountedProject,
  kinds: string,
  day: Day,
): Promise<CountedName> {
  const [last] = await db.query<CountedName>(
    `select what, parent, name from counts c where ${ofProject('c', project)} and span = 1 and day = $3 and ${kinds}
     order by what, parent, name limit 1 offset ${rowsPerStep - 1}`,
    [...placeOf(project), day],
  );
  return last ?? { what: 2 ** 31 - 1, parent: 0, name: 0 };
}

/** Of days that an import has open, whose visits would be counted when it ends. */
export async function forgetViews(db: Queryable, project: CountedProject, before: Day): Promise<void> {
  const days = await db.query<{ id: number }>('select id from days where project = $1 and day < $2', [
    project.id,
    before,
  ]);
  const [shards] = placeOf(project);
  await db.query(`delete from visit_views v where ${inShards('v', project)} and day = any($2::int[])`, [
    shards,
    intArray(days.map(({ id }) => id)),
  ]);
}

/** Each sealed day is in a block of the greatest span. */
export async function forgetNames(db: Queryable, project: CountedProject): Promise<void> {
  const [used] = await db.query<{ names: number[] | null }>(
    `select array_agg(distinct name) as names from counts c
     where ${ofProject('c', project)} and (span = 256 or (span = 1 and day > $3))`,
    [...placeOf(project), project.sealedThrough],
  );
  await db.query(
    `with used as (select unnest($2::int[]) as name union select parent from names where project = $1)
     delete from names n where n.project = $1 and not exists (select from used where used.name = n.id)`,
    [project.id, intArray(used?.names ?? [])],
  );
}
