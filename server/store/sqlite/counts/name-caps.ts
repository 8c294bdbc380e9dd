import type { Statement } from 'better-sqlite3';
import {
  type CappedViews,
  findNameCap,
  type NameCap,
  type Sender,
  takersOf,
} from '../../../counting/name-cap.ts';
import { kindBits } from '../../../counting/sum.ts';
import type { Connection } from '../connection.ts';

type TakerId = bigint | number | string;

/** Who brought in how many of an open day's new names, and what came too late for one of its own. */
export class NameCaps {
  readonly #countAll: Statement<[number, number], number>;
  readonly #countOf: Statement<[number, number, string, TakerId], number>;
  readonly #add: Statement<[number, number]>;
  readonly #addTo: Statement<[number, number, string, TakerId]>;
  readonly #addViews: Statement<[number, number, number, string, number, string, number]>;

  constructor(db: Connection) {
    this.#countAll = db
      .prepare<[number, number], number>('select names from new_names where day = ? and what = ?')
      .pluck();
    this.#countOf = db
      .prepare<[number, number, string, TakerId], number>(
        'select names from name_takers where day = ? and what = ? and kind = ? and taker = ?',
      )
      .pluck();
    this.#add = db.prepare(
      'insert into new_names (day, what, names) values (?, ?, 1) on conflict do update set names = names + 1',
    );
    this.#addTo = db.prepare(
      `insert into name_takers (day, what, kind, taker, names) values (?, ?, ?, ?, 1)
       on conflict do update set names = names + 1`,
    );
    this.#addViews = db.prepare(
      `insert into name_caps (project, day, what, cap, kind, client, views) values (?, ?, ?, ?, ?, ?, ?)
       on conflict do update set views = views + excluded.views`,
    );
  }

  /** Notes a new name of the day (by its row); or answers why it is not taken in. */
  take(day: number, what: number, sender: Sender): NameCap | undefined {
    const takers = takersOf(sender);
    const cap = findNameCap(
      takers,
      (taker) =>
        (taker ? this.#countOf.get(day, what, taker.kind, taker.id) : this.#countAll.get(day, what)) ?? 0,
    );
    if (cap !== undefined) return cap;
    this.#add.run(day, what);
    for (const { kind, id } of takers) this.#addTo.run(day, what, kind, id);
    return undefined;
  }

  /** `day`: as a date. */
  save(project: number, day: number, capped: Iterable<CappedViews>): void {
    for (const { what, cap, kind, client, views } of capped) {
      this.#addViews.run(project, day, what, cap, kindBits[kind], client, views);
    }
  }
}
