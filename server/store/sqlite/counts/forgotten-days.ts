import type { Statement } from 'better-sqlite3';
import type { Connection } from '../connection.ts';

/** Visitors deleted at a time: between two such steps views are counted. */
const deletedAtATime = 20_000;

/** Days without a salt, whose visitors are still to be deleted. */
export class ForgottenDays {
  readonly #db: Connection;
  readonly #next: Statement<[], { id: number }>;
  readonly #lastOfStep: Statement<[number], { visitor: bigint }>;
  readonly #deleteNew: Statement<[number]>;
  readonly #forgetRecorded: Statement<[number]>;
  readonly #deleteViews: Statement<[number]>;
  readonly #deleteThrough: Statement<[number, bigint]>;
  readonly #deleteDay: Statement<[number]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#next = db.prepare('select id from days where salt is null limit 1');
    this.#lastOfStep = db
      .prepare<[number], { visitor: bigint }>(
        `select visitor from seen where day = ? order by visitor limit 1 offset ${deletedAtATime - 1}`,
      )
      .safeIntegers();
    this.#deleteNew = db.prepare('delete from newly_seen where day = ?');
    this.#forgetRecorded = db.prepare('update log_days set visitors = null, day_id = null where day_id = ?');
    this.#deleteViews = db.prepare('delete from visit_views where day = ?');
    this.#deleteThrough = db.prepare('delete from seen where day = ? and visitor <= ?');
    this.#deleteDay = db.prepare('delete from days where id = ?');
  }

  /** Deletes some visitors of a forgotten day; answers false when none are left anywhere. */
  deleteSome(): boolean {
    const day = this.#next.get();
    if (!day) return false;
    this.#db
      .transaction(() => {
        this.#deleteNew.run(day.id);
        this.#forgetRecorded.run(day.id);
        this.#deleteViews.run(day.id);
        const last = this.#lastOfStep.get(day.id);
        this.#deleteThrough.run(day.id, last ? last.visitor : 2n ** 63n - 1n);
        if (!last) this.#deleteDay.run(day.id);
      })
      .immediate();
    return true;
  }
}
