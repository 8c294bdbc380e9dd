import { largerBlocksOf } from '../../../counting/blocks.ts';
import type { Day } from '../../../counting/calendar.ts';
import { what } from '../../../counting/what.ts';
import type { Database } from '../database.ts';
import { findProject, ofProject, placeOf } from './counted-project.ts';

interface ClosedDay {
  id: number;
  day: Day;
}

/**
 * Closes and seals days. Any node may, and several may at once: each step stands by itself, and what one leaves behind the
 * next finds.
 */
export class Sealing {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async seal(projectId: string, through: Day): Promise<void> {
    if (!(await this.#isDue(projectId, through))) return;
    const closed = await this.#database.query<ClosedDay>('select id, day from close_days($1, $2)', [
      projectId,
      through,
    ]);
    const days = closed.map(({ id }) => id);
    await this.#database.query('select await_batches($1)', [days]);
    await this.#deleteHours(
      projectId,
      closed.map(({ day }) => day),
    );
    const blocks = closed.flatMap(({ day }) => largerBlocksOf(day).map((block) => ({ day, block })));
    await this.#database.query('select seal_days($1, $2, $3, $4, $5)', [
      projectId,
      days,
      blocks.map(({ day }) => day),
      blocks.map(({ block }) => block.span),
      blocks.map(({ block }) => block.day),
    ]);
    await this.#database.query('select note_sealed($1, $2)', [projectId, through]);
    if (closed.length > 0) await tidyBins(this.#database);
  }

  /** Nothing is left of hours, not even in larger blocks. */
  async #deleteHours(projectId: string, days: Day[]): Promise<void> {
    const project = days.length === 0 ? undefined : await findProject(this.#database, projectId);
    if (!project) return;
    await this.#database.query(
      `delete from counts c
       where ${ofProject('c', project)} and c.span = 1 and c.day = any ($3) and c.what = ${what.hour}`,
      [...placeOf(project), days],
    );
  }

  /** Nearly always nothing is, and every node asks about each project every minute. */
  async #isDue(projectId: string, through: Day): Promise<boolean> {
    const due = await this.#database.query(
      `select from projects p where public_id = $1
         and (coalesce(sealed_through < $2, true)
           or exists (select from days d where d.project = p.id and d.day <= $2 and d.forget_at is null))`,
      [projectId, through],
    );
    return due.length > 0;
  }

  /** Forgets throw-away salts that are due, and those of these days; what they counted is in all blocks already. */
  async sealImported(projectId: string, now: number, done: Day[]): Promise<void> {
    const forgotten = await this.#database.query<{ id: number }>(
      'select id from close_imported($1, $2, $3)',
      [projectId, now, done],
    );
    if (forgotten.length === 0) return;
    const days = forgotten.map(({ id }) => id);
    await this.#database.query('select await_batches($1)', [days]);
    await this.#database.query('select forget_days($1)', [days]);
    await tidyBins(this.#database);
  }
}

/** Makes the partitions of days to come, and drops those whose days are sealed, each in a transaction of its own. */
export async function tidyBins(database: Database): Promise<void> {
  await database.query('select tidy_bins()');
  while (await dropBin(database));
}

async function dropBin(database: Database): Promise<boolean> {
  const [row] = await database.query<{ isDropped: boolean }>('select drop_bin() as "isDropped"');
  return row?.isDropped === true;
}
