import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import { has } from '../../../database/sql.ts';
import { sealVisitorKeys } from '../../calendar-repair.ts';
import type { Database } from '../database.ts';
import { within } from '../sql.ts';
import { findProject, ofProject, placeOf, postgresTables } from './counted-project.ts';
import { forgetHours } from './retention.ts';
import { holdForVisits, sealVisits } from './visits.ts';

interface ClosedDay {
  id: number;
  day: Day;
}

/**
 * Closes and seals days. Any node may, and several may at once: each step is independent, and the next one finds
 * what is left to do.
 */
export function daySealing(database: Database) {
  /** By project: hours of sealed days before this one are gone. */
  const keptFrom = new Map<string, Day>();

  async function seal(projectId: string, through: Day, hoursFrom: Day | null = null): Promise<void> {
    const firstWithHours = hoursFrom ?? through + 1;
    if (await isDue(projectId, through)) await sealDue(projectId, through, firstWithHours);
    await forgetOldHours(projectId, firstWithHours);
  }

  async function sealDue(projectId: string, through: Day, hoursFrom: Day): Promise<void> {
    const closed = await database.query<ClosedDay>('select id, day from close_days($1, $2)', [
      projectId,
      through,
    ]);
    const days = closed.map(({ id }) => id);
    await database.query('select await_batches($1)', [days]);
    const dates = closed.map(({ day }) => day);
    await deleteHours(
      projectId,
      dates.filter((day) => day < hoursFrom),
    );
    await sealCounters(projectId, dates);
    await sealViews(projectId, closed, { isSealed: false });
    const blocks = closed.flatMap(({ day }) => largerBlocksOf(day).map((block) => ({ day, block })));
    await database.query('select seal_days($1, $2, $3, $4, $5)', [
      projectId,
      days,
      blocks.map(({ day }) => day),
      blocks.map(({ block }) => block.span),
      blocks.map(({ block }) => block.day),
    ]);
    await database.query('select note_sealed($1, $2)', [projectId, through]);
    if (closed.length > 0) await tidyBins(database);
  }

  /** Of sealed days, once a day and whenever fewer are kept: to look each minute would take a search for each day. */
  async function forgetOldHours(projectId: string, before: Day): Promise<void> {
    if (keptFrom.get(projectId) === before) return;
    await forgetHours(database, projectId, before);
    keptFrom.set(projectId, before);
  }

  /** Before they get into larger blocks. */
  async function deleteHours(projectId: string, days: Day[]): Promise<void> {
    const project = days.length === 0 ? undefined : await findProject(database, projectId);
    if (!project) return;
    await database.query(
      `delete from counts c
       where ${ofProject('c', project)} and c.span = 1 and c.day = any ($3) and c.what = ${what.hour}`,
      [...placeOf(project), days],
    );
  }

  async function sealCounters(projectId: string, days: Day[]): Promise<void> {
    if (days.length === 0) return;
    await database.transaction(async (db) => {
      const project = await findProject(db, projectId);
      if (project)
        await sealVisitorKeys(within(db), postgresTables, project, { is: 't.day = any ($3)', by: days });
    });
  }

  async function sealViews(projectId: string, days: ClosedDay[], to: { isSealed: boolean }): Promise<void> {
    if (days.length === 0) return;
    await database.transaction(async (db) => {
      const project = await holdForVisits(db, projectId);
      if (project) await sealVisits(within(db), project, days, to);
    });
  }

  /** Nearly always nothing is, and every node asks about each project every minute. */
  async function isDue(projectId: string, through: Day): Promise<boolean> {
    return has(
      database,
      `select from projects p where public_id = $1
         and (coalesce(sealed_through < $2, true)
           or exists (select from days d where d.project = p.id and d.day <= $2 and d.forget_at is null))`,
      [projectId, through],
    );
  }

  /** Forgets throw-away salts that are due, and those of these days; what they counted is in all blocks already. */
  async function sealImported(projectId: string, now: number, done: Day[]): Promise<void> {
    const forgotten = await database.query<{ id: number }>('select id from close_imported($1, $2, $3)', [
      projectId,
      now,
      done,
    ]);
    if (forgotten.length === 0) return;
    const days = forgotten.map(({ id }) => id);
    await database.query('select await_batches($1)', [days]);
    const dates = await database.query<ClosedDay>('select id, day from days where id = any ($1)', [days]);
    await sealViews(projectId, dates, { isSealed: true });
    await database.query('select forget_days($1)', [days]);
    await tidyBins(database);
  }

  return { seal, sealImported };
}

export type Sealing = ReturnType<typeof daySealing>;

/** Makes the partitions of days to come, and drops those whose days are sealed, each in a transaction of its own. */
export async function tidyBins(database: Database): Promise<void> {
  await database.query('select tidy_bins()');
  while (await dropBin(database));
}

async function dropBin(database: Database): Promise<boolean> {
  const [row] = await database.query<{ isDropped: boolean }>('select drop_bin() as "isDropped"');
  return row?.isDropped === true;
}
