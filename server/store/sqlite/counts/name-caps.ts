import type { Statement } from 'better-sqlite3';
import type { CappedViews, Contributor, NameCap } from '../../../counting/names/name-cap.ts';
import { kindBits } from '../../../counting/sum.ts';
import { NewNames } from '../../counts/new-names.ts';
import type { Connection } from '../connection.ts';
import { ManyRows } from './many-rows.ts';

type TakerId = bigint | number | string;

/**
 * Who brought in how many of an open day's new names, and what came too late for one of its own. Remembered for the length
 * of a transaction, and written at its end.
 */
export class NameCaps {
  readonly #taken: NewNames;
  readonly #newNames: ManyRows<number>;
  readonly #takers: ManyRows<TakerId>;
  readonly #addViews: Statement<[number, number, number, string, number, string, number]>;

  constructor(db: Connection) {
    const countAll = db
      .prepare<[number, number], number>('select names from new_names where day = ? and what = ?')
      .pluck();
    const countOf = db
      .prepare<[number, number, string, TakerId], number>(
        'select names from name_takers where day = ? and what = ? and kind = ? and taker = ?',
      )
      .pluck();
    this.#taken = new NewNames(
      ({ day, what, taker }) =>
        (taker ? countOf.get(day, what, taker.kind, taker.id) : countAll.get(day, what)) ?? 0,
    );
    const orAdd = 'on conflict do update set names = names + excluded.names';
    this.#newNames = new ManyRows(db, 'insert into new_names (day, what, names)', 3, orAdd);
    this.#takers = new ManyRows(db, 'insert into name_takers (day, what, kind, taker, names)', 5, orAdd);
    this.#addViews = db.prepare(
      `insert into name_caps (project, day, what, cap, kind, client, views) values (?, ?, ?, ?, ?, ?, ?)
       on conflict do update set views = views + excluded.views`,
    );
  }

  /** Notes a new name of the day (by its row); or answers why it is not taken in. */
  take(day: number, what: number, sender: Contributor): NameCap | undefined {
    return this.#taken.take(day, what, sender);
  }

  /** Writes who took what, at the end of a transaction. */
  saveTaken(): void {
    for (const { day, what, taker, added } of this.#taken.added()) {
      if (taker) this.#takers.add(day, what, taker.kind, taker.id, added);
      else this.#newNames.add(day, what, added);
    }
    this.#newNames.save();
    this.#takers.save();
    this.#taken.forget();
  }

  /** `day`: as a date. */
  save(project: number, day: number, capped: Iterable<CappedViews>): void {
    for (const { what, cap, kind, client, views } of capped) {
      this.#addViews.run(project, day, what, cap, kindBits[kind], client, views);
    }
  }

  /** Also after a rollback. */
  forget(): void {
    this.#taken.forget();
    this.#newNames.forget();
    this.#takers.forget();
  }
}
