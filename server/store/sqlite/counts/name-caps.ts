import type { CappedViews, Contributor, NameCap } from '../../../counting/names/name-cap.ts';
import { kindBits } from '../../../counting/sum.ts';
import { NewNames } from '../../counts/new-names.ts';
import type { Connection } from '../connection.ts';
import { ManyRows } from './counts.ts';

type TakerId = bigint | number | string;

/**
 * Who brought in how many of an open day's new names, and what came too late for one of its own. Remembered for the length
 * of a transaction, and written at its end.
 */
export function nameCaps(db: Connection) {
  const countAll = db
    .prepare<[number, number], number>('select names from new_names where day = ? and what = ?')
    .pluck();
  const countOf = db
    .prepare<[number, number, string, TakerId], number>(
      'select names from name_takers where day = ? and what = ? and kind = ? and taker = ?',
    )
    .pluck();
  const newest = new NewNames(
    ({ day, what, taker }) =>
      (taker ? countOf.get(day, what, taker.kind, taker.id) : countAll.get(day, what)) ?? 0,
  );
  const orAdd = 'on conflict do update set names = names + excluded.names';
  const newNames = new ManyRows<number>(db, 'insert into new_names (day, what, names)', 3, orAdd);
  const shares = new ManyRows<TakerId>(
    db,
    'insert into name_takers (day, what, kind, taker, names)',
    5,
    orAdd,
  );
  const addViews = db.prepare<[number, number, number, string, number, string, number]>(
    `insert into name_caps (project, day, what, cap, kind, client, views) values (?, ?, ?, ?, ?, ?, ?)
     on conflict do update set views = views + excluded.views`,
  );

  /** Notes a new name of the day (by its row); or answers why it is not taken in. */
  function take(day: number, what: number, sender: Contributor): NameCap | undefined {
    return newest.take(day, what, sender);
  }

  /** Writes who took what, at the end of a transaction. */
  function saveTaken(): void {
    for (const { day, what, taker, added } of newest.added()) {
      if (taker) shares.add(day, what, taker.kind, taker.id, added);
      else newNames.add(day, what, added);
    }
    newNames.save();
    shares.save();
    newest.forget();
  }

  /** `day`: as a date. */
  function save(project: number, day: number, capped: Iterable<CappedViews>): void {
    for (const { what, cap, kind, client, views } of capped) {
      addViews.run(project, day, what, cap, kindBits[kind], client, views);
    }
  }

  /** Also after a rollback. */
  function forget(): void {
    newest.forget();
    newNames.forget();
    shares.forget();
  }

  return { take, saveTaken, save, forget };
}

export type NameCaps = ReturnType<typeof nameCaps>;
