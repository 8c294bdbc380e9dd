import type { Statement } from 'better-sqlite3';
import type { Connection } from '../connection.ts';
import { Counts, type Delta } from './counts.ts';
import { Packing, SummedUp } from './packed-sums.ts';

/** What waits before it is added up, some 50,000 names: the more, the fewer rows are written for each view. */
const maxBytes = 1 << 19;

interface PendingRow {
  project: number;
  day: number;
  sums: Buffer;
}

/** What is added to the counts of a day. */
export interface PendingDay {
  project: number;
  day: number;
  sums: SummedUp;
}

/**
 * Counts of pairs on their way into `counts`. A view has several, and hardly two views of a transaction the same: a row for
 * each of them would be most of what a transaction writes. So they are appended together, and added up when there are many or
 * somebody wants to read them. The two tables together are the truth.
 *
 * Used inside transactions.
 */
export class PendingCounts {
  readonly #counts: Counts;
  readonly #append: Statement<[number, number, Uint8Array]>;
  readonly #size: Statement<[], number>;
  readonly #any: Statement<[], 1>;
  readonly #all: Statement<[], PendingRow>;
  readonly #deleteAll: Statement<[]>;
  readonly #packing = new Packing();
  /** Of this process and those before it; undefined: nobody has looked yet. */
  #bytes: number | undefined;

  constructor(db: Connection) {
    this.#counts = new Counts(db);
    this.#append = db.prepare('insert into pending_counts (project, day, sums) values (?, ?, ?)');
    this.#size = db.prepare<[], number>('select coalesce(sum(length(sums)), 0) from pending_counts').pluck();
    this.#any = db.prepare<[], 1>('select 1 from pending_counts limit 1').pluck();
    this.#all = db.prepare('select project, day, sums from pending_counts order by id');
    this.#deleteAll = db.prepare('delete from pending_counts');
  }

  add(project: number, day: number, deltas: readonly Delta[]): void {
    if (deltas.length === 0) return;
    this.#bytes ??= this.#size.get() as number;
    const sums = this.#packing.pack(deltas);
    this.#bytes += sums.length;
    this.#append.run(project, day, sums);
  }

  /** At the end of a transaction that added some. */
  mergeMany(): void {
    if (this.#bytes !== undefined && this.#bytes >= maxBytes) this.merge();
  }

  get isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  /** From here on `counts` has all of them. */
  merge(): void {
    this.#bytes = 0;
    if (this.isEmpty) return;
    for (const { project, day, sums } of addUp(this.#all.iterate())) {
      for (const delta of sums.inOrder()) this.#counts.add(project, { span: 1, day }, delta);
    }
    this.#counts.save();
    this.#deleteAll.run();
  }
}

/** What waits of a project, for who may not write. */
export function readPending(db: Connection, project: number): PendingDay[] {
  return addUp(
    db
      .prepare<[number], PendingRow>('select project, day, sums from pending_counts where project = ?')
      .iterate(project),
  );
}

function addUp(rows: Iterable<PendingRow>): PendingDay[] {
  const days = new Map<string, PendingDay>();
  for (const { project, day, sums } of rows) {
    const key = `${project} ${day}`;
    let ofDay = days.get(key);
    if (!ofDay) {
      ofDay = { project, day, sums: new SummedUp() };
      days.set(key, ofDay);
    }
    ofDay.sums.add(sums);
  }
  return [...days.values()];
}
