import type { Statement } from 'better-sqlite3';
import type { Day } from '../../../counting/calendar.ts';
import { lastingTallies } from '../../../counting/tally.ts';
import { what } from '../../../counting/what.ts';
import { type Cutoffs, sealedCutoffs } from '../../counts/retention-store.ts';
import type { Connection } from '../connection.ts';
import { PendingCounts } from './pending-counts.ts';
import { SealedCounts } from './sealed-counts.ts';
import { Seen } from './visitors/seen.ts';

/** Rows of a day that are deleted with one transaction: between two such, views are counted. */
const rowsPerStep = 2000;

interface Kind {
  what: number;
  parent: number;
}

/** Deletes counts of sealed days that are older than a project keeps them, in steps. */
export class Retention {
  readonly #db: Connection;
  readonly #project: Statement<[string], { id: number; sealed_through: Day | null }>;
  readonly #kinds: Statement<[number], Kind>;
  readonly #oldest: Statement<[number, number, number, Day], Day | null>;
  readonly #last: Statement<[number, number, number, Day], number>;
  readonly #counts: SealedCounts;
  readonly #deleteOthers: Statement<[number, Day]>[];
  readonly #deleteDetails: Statement<[number, Day]>[];
  readonly #deleteNames: Statement<[Kind & { project: number; sealedThrough: Day }]>;
  /** The same of a pair, under whose names there are none. */
  readonly #deleteNamesOfPair: Statement<[Kind & { project: number; sealedThrough: Day }]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#project = db.prepare('select id, sealed_through from projects where public_id = ?');
    this.#kinds = db.prepare(
      'select distinct what, parent from names where project = ? order by what desc, parent',
    );
    this.#oldest = db
      .prepare<[number, number, number, Day], Day | null>(
        'select min(day) from counts where project = ? and what = ? and parent = ? and span = 1 and day < ?',
      )
      .pluck();
    this.#last = db
      .prepare<[number, number, number, Day], number>(
        `select name from counts where project = ? and what = ? and parent = ? and span = 1 and day = ?
         order by name limit 1 offset ${rowsPerStep - 1}`,
      )
      .pluck();
    this.#counts = new SealedCounts(db);
    this.#deleteDetails = [
      `delete from tallies where project = ? and day < ? and tally not in (${lastingTallies})`,
      // Of days that an import has open, which would tell of visits when it ends.
      'delete from visit_views where day in (select id from days where project = ? and day < ?)',
    ].map((sql) => db.prepare(sql));
    this.#deleteOthers = [
      ...['dropped', 'name_caps', 'imported_days', 'tallies', 'rule_days'].map(
        (table) => `delete from ${table} where project = ? and day < ?`,
      ),
      'delete from search_numbers where project = ? and last_day < ?',
    ].map((sql) => db.prepare(sql));
    // Each sealed day is in a block of the greatest span.
    const deleteNames = `
      delete from names where project = @project and what = @what and parent = @parent
        and id not in (select name from counts
          where project = @project and what = @what and parent = @parent and span = 256)
        and id not in (select name from counts
          where project = @project and what = @what and parent = @parent and span = 1 and day > @sealedThrough)`;
    this.#deleteNamesOfPair = db.prepare(deleteNames);
    this.#deleteNames = db.prepare(
      `${deleteNames} and id not in (select parent from names where project = @project)`,
    );
  }

  /** Answers whether there is more to do. */
  forgetSome(projectId: string, cutoffs: Cutoffs): boolean {
    return this.#db
      .transaction(() => {
        const project = this.#project.get(projectId);
        if (!project || project.sealed_through === null) return false;
        const { details, counts } = sealedCutoffs(cutoffs, project.sealed_through);
        for (const kind of this.#kinds.all(project.id)) {
          if (this.#forgetDay(project.id, kind, details)) return true;
        }
        return this.#forgetDay(project.id, { what: what.site, parent: 0 }, counts);
      })
      .immediate();
  }

  /** What is left once there are no more counts: tallies, and names that nothing has counted under. */
  finish(projectId: string, cutoffs: Cutoffs): void {
    this.#db
      .transaction(() => {
        const project = this.#project.get(projectId);
        if (!project || project.sealed_through === null) return;
        const { details, counts } = sealedCutoffs(cutoffs, project.sealed_through);
        if (details !== null) for (const sql of this.#deleteDetails) sql.run(project.id, details);
        if (counts !== null) for (const sql of this.#deleteOthers) sql.run(project.id, counts);
        // Tells everybody who holds names in memory to read them again.
        new Seen(this.#db).begin();
        new PendingCounts(this.#db).merge();
        for (const kind of this.#kinds.all(project.id)) {
          const sql = kind.parent === 0 ? this.#deleteNames : this.#deleteNamesOfPair;
          sql.run({ project: project.id, sealedThrough: project.sealed_through, ...kind });
        }
      })
      .immediate();
  }

  /** Some rows of the oldest day before this one; answers false where there is none. */
  #forgetDay(project: number, kind: Kind, before: Day | null): boolean {
    if (before === null) return false;
    const place = [project, kind.what, kind.parent] as const;
    const day = this.#oldest.get(...place, before) ?? null;
    if (day === null) return false;
    const last = this.#last.get(...place, day) ?? Number.MAX_SAFE_INTEGER;
    this.#counts.forget({ project, ...kind, day, last });
    return true;
  }
}
