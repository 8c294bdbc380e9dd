import type { Statement } from 'better-sqlite3';
import {
  type CappedViews,
  type Contributor,
  findNameCap,
  leastShare,
  type NameCap,
  type Taker,
  takersOf,
} from '../../../counting/names/name-cap.ts';
import { kindBits } from '../../../counting/sum.ts';
import type { Connection } from '../connection.ts';
import { ManyRows } from './many-rows.ts';

type TakerId = bigint | number | string;

/** New names of a kind on an open day: of somebody, or of everybody, where there is no taker. */
interface Taken {
  readonly day: number;
  readonly what: number;
  readonly taker: Taker | undefined;
  /** Before this transaction; undefined: nobody asked yet. */
  before: number | undefined;
  /** In this transaction. */
  added: number;
}

/**
 * Who brought in how many of an open day's new names, and what came too late for one of its own. Remembered for the length
 * of a transaction, and written at its end.
 */
export class NameCaps {
  readonly #taken = new Map<string, Taken>();
  readonly #countAll: Statement<[number, number], number>;
  readonly #countOf: Statement<[number, number, string, TakerId], number>;
  readonly #newNames: ManyRows<number>;
  readonly #takers: ManyRows<TakerId>;
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
    const takers = takersOf(sender);
    const everybody = this.#takenBy(day, what);
    const all = this.#count(everybody);
    const cap = findNameCap(takers, (taker) =>
      taker && all >= leastShare ? this.#count(this.#takenBy(day, what, taker)) : all,
    );
    if (cap !== undefined) return cap;
    everybody.added++;
    for (const taker of takers) this.#takenBy(day, what, taker).added++;
    return undefined;
  }

  #takenBy(day: number, what: number, taker?: Taker): Taken {
    const key = taker ? `${day} ${what} ${taker.kind} ${taker.id}` : `${day} ${what}`;
    const known = this.#taken.get(key);
    if (known) return known;
    const taken = { day, what, taker, before: undefined, added: 0 };
    this.#taken.set(key, taken);
    return taken;
  }

  #count(taken: Taken): number {
    const { day, what, taker } = taken;
    taken.before ??=
      (taker ? this.#countOf.get(day, what, taker.kind, taker.id) : this.#countAll.get(day, what)) ?? 0;
    return taken.before + taken.added;
  }

  /** Writes who took what, at the end of a transaction. */
  saveTaken(): void {
    for (const { day, what, taker, added } of this.#taken.values()) {
      if (added === 0) continue;
      if (taker) this.#takers.add(day, what, taker.kind, taker.id, added);
      else this.#newNames.add(day, what, added);
    }
    this.#newNames.save();
    this.#takers.save();
    this.#taken.clear();
  }

  /** `day`: as a date. */
  save(project: number, day: number, capped: Iterable<CappedViews>): void {
    for (const { what, cap, kind, client, views } of capped) {
      this.#addViews.run(project, day, what, cap, kindBits[kind], client, views);
    }
  }

  /** Also after a rollback. */
  forget(): void {
    this.#taken.clear();
    this.#newNames.forget();
    this.#takers.forget();
  }
}
