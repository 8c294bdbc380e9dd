import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { Cutoffs, RetentionStore } from '../../retention-store.ts';
import type { Database } from '../database.ts';
import type { Session } from '../session.ts';
import { type CountedProject, findProject, ofProject, placeOf } from './counted-project.ts';
import { addedSums, sumColumns, sumNames } from './sums.ts';

/** Rows of a day that are deleted with one transaction: between two such, days are sealed and paths moved. */
const rowsPerStep = 2000;

const details = `what <> ${what.site}`;
const site = `what = ${what.site}`;

/** Deletes counts of sealed days that are older than a project keeps them, in steps. */
export class Retention implements RetentionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  forgetSome(projectId: string, cutoffs: Cutoffs): Promise<boolean> {
    return this.#database.transaction(async (session) => {
      const project = await hold(session, projectId);
      if (!project || project.sealedThrough === null) return false;
      const sealedEnd = project.sealedThrough + 1;
      const all = Math.min(cutoffs.counts ?? Number.NEGATIVE_INFINITY, sealedEnd);
      const detailed = Math.max(all, Math.min(cutoffs.details ?? Number.NEGATIVE_INFINITY, sealedEnd));
      return (
        (await forgetDay(session, project, details, detailed)) ||
        (await forgetDay(session, project, site, all))
      );
    });
  }

  finish(projectId: string, { counts }: Cutoffs): Promise<void> {
    return this.#database.transaction(async (session) => {
      const project = await findProject(session, projectId);
      if (!project || project.sealedThrough === null) return;
      if (counts !== null) {
        await forgetTallies(session, project, Math.min(counts, project.sealedThrough + 1));
      }
      await session.query('select hold_counting($1)', [project.id]);
      await forgetNames(session, project, project.sealedThrough);
    });
  }
}

/** Until the end of the transaction no day is sealed, and no path moved. */
async function hold(session: Session, projectId: string): Promise<CountedProject | undefined> {
  await session.query('select pg_advisory_xact_lock(2, id) from projects where public_id = $1', [projectId]);
  return findProject(session, projectId);
}

/** Some rows of the oldest day before this one; answers false where there is none. */
async function forgetDay(
  session: Session,
  project: CountedProject,
  kinds: string,
  before: Day,
): Promise<boolean> {
  if (!Number.isFinite(before)) return false;
  const [oldest] = await session.query<{ day: Day | null }>(
    `select min(day) as day from counts c where ${ofProject('c', project)} and span = 1 and day < $3 and ${kinds}`,
    [...placeOf(project), before],
  );
  const day = oldest?.day ?? null;
  if (day === null) return false;
  const blocks = largerBlocksOf(day);
  await session.query(
    `with slice as (
       delete from counts c where ${ofProject('c', project)} and span = 1 and day = $3
         and (what, parent, name) in (
           select what, parent, name from counts c
           where ${ofProject('c', project)} and span = 1 and day = $3 and ${kinds}
           order by what, parent, name limit ${rowsPerStep})
       returning *),
     part (shard, span, day, what, parent, name, ${sumColumns}) as (
       select shard, b.span, b.day, what, parent, name, ${addedSums}
       from slice cross join unnest($4::smallint[], $5::int[]) b (span, day)
       group by shard, b.span, b.day, what, parent, name),
     empty as (
       delete from counts c using part
       where ${ofPart(project)} and c.human_views = part.human_views and c.ai_views = part.ai_views)
     update counts c set ${sumNames.map((name) => `${name} = c.${name} - part.${name}`).join(', ')}
     from part
     where ${ofPart(project)} and (c.human_views <> part.human_views or c.ai_views <> part.ai_views)`,
    [...placeOf(project), day, blocks.map(({ span }) => span), blocks.map((block) => block.day)],
  );
  return true;
}

/** The row of a larger block that a part of it is taken from. */
function ofPart(project: CountedProject): string {
  return `${ofProject('c', project)} and c.shard = part.shard and c.span = part.span and c.day = part.day
    and c.what = part.what and c.parent = part.parent and c.name = part.name and c.slot = 0`;
}

async function forgetTallies(session: Session, project: CountedProject, before: Day): Promise<void> {
  for (const table of ['dropped', 'name_caps']) {
    await session.query(`delete from ${table} t where ${ofProject('t', project)} and day < $3`, [
      ...placeOf(project),
      before,
    ]);
  }
  await session.query('delete from imported_days where project = $1 and day < $2', [project.id, before]);
}

/** Each sealed day is in a block of the greatest span. */
async function forgetNames(session: Session, project: CountedProject, sealedThrough: Day): Promise<void> {
  await session.query(
    `with used as (
       select name from counts c where ${ofProject('c', project)} and (span = 256 or (span = 1 and day > $3))
       union select parent from names where project = $2)
     delete from names n where n.project = $2 and not exists (select from used where used.name = n.id)`,
    [...placeOf(project), sealedThrough],
  );
}
