import type { Sum } from '../../../counting/sum.ts';
import type { Connection } from '../connection.ts';
import { countRows, type Delta } from './counts.ts';

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
export function pendingCounts(db: Connection) {
  const counts = countRows(db);
  const append = db.prepare<[number, number, Uint8Array]>(
    'insert into pending_counts (project, day, sums) values (?, ?, ?)',
  );
  const size = db.prepare<[], number>('select coalesce(sum(length(sums)), 0) from pending_counts').pluck();
  const any = db.prepare<[], 1>('select 1 from pending_counts limit 1').pluck();
  const all = db.prepare<[], PendingRow>('select project, day, sums from pending_counts order by id');
  const deleteAll = db.prepare('delete from pending_counts');
  const packing = new Packing();
  /** Of this process and those before it; undefined: not read yet. */
  let bytes: number | undefined;
  const isEmpty = () => any.get() === undefined;

  /** From here on `counts` has all of them. */
  function merge(): void {
    bytes = 0;
    if (isEmpty()) return;
    for (const { project, day, sums } of addUp(all.iterate())) {
      for (const delta of sums.inOrder()) counts.add(project, { span: 1, day }, delta);
    }
    counts.save();
    deleteAll.run();
  }

  return {
    isEmpty,
    merge,
    add(project: number, day: number, deltas: readonly Delta[]): void {
      if (deltas.length === 0) return;
      bytes ??= size.get() as number;
      const sums = packing.pack(deltas);
      bytes += sums.length;
      append.run(project, day, sums);
    },
    /** At the end of a transaction that added some. */
    mergeMany(): void {
      if (bytes !== undefined && bytes >= maxBytes) merge();
    },
  };
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

/** What of a name is kept, in this order: what, parent and number of it, and its five sums. */
const numbersEach = 8;
/** A number of 32 bits takes at most so many bytes. */
const maxBytesOfNumber = 5;

/**
 * Sums of names as bytes: names one after the other, each as numbers of variable length (LEB128), as nearly all of them are
 * small. Takes a third of what numbers of four bytes do, and fewer pages are written.
 */
export class Packing {
  /** Used again, as every transaction packs some. */
  #bytes = new Uint8Array(1 << 12);
  #at = 0;

  /** Good until it is called again. */
  pack(deltas: readonly Delta[]): Uint8Array {
    const most = deltas.length * numbersEach * maxBytesOfNumber;
    if (most > this.#bytes.length) this.#bytes = new Uint8Array(most);
    this.#at = 0;
    for (const { name, humanVisitors, aiVisitors, visitors, humanViews, aiViews } of deltas) {
      this.#add(name.what);
      this.#add(name.parent);
      this.#add(name.id);
      this.#add(humanVisitors);
      this.#add(aiVisitors);
      this.#add(visitors);
      this.#add(humanViews);
      this.#add(aiViews);
    }
    return this.#bytes.subarray(0, this.#at);
  }

  #add(number: number): void {
    let rest = number;
    for (; rest > 127; rest >>>= 7) this.#bytes[this.#at++] = (rest & 127) | 128;
    this.#bytes[this.#at++] = rest;
  }
}

/** Packed sums, added up by name: numbers in one array, as objects for so many names would take some megabytes. */
export class SummedUp {
  #numbers = new Uint32Array(1 << 12);
  #end = 0;
  /** Where those of a name begin. */
  readonly #places = new Map<number, number>();

  add(packed: Uint8Array): void {
    const one = new Uint32Array(numbersEach);
    let field = 0;
    let shift = 0;
    let number = 0;
    for (let at = 0; at < packed.length; at++) {
      const byte = packed[at] as number;
      number |= (byte & 127) << shift;
      shift += 7;
      if (byte > 127) continue;
      one[field++] = number;
      number = shift = 0;
      if (field < numbersEach) continue;
      this.#addOne(one);
      field = 0;
    }
  }

  /** So that neighbours in the table of counts are written together. */
  *inOrder(): Generator<Delta> {
    const numbers = this.#numbers;
    const compare = (a: number, b: number, field: number) =>
      (numbers[a + field] as number) - (numbers[b + field] as number);
    const places = [...this.#places.values()];
    places.sort((a, b) => compare(a, b, 0) || compare(a, b, 1) || compare(a, b, 2));
    for (const place of places) {
      const [what = 0, parent = 0, id = 0] = numbers.subarray(place);
      yield { name: { what, parent, id }, ...this.#sumAt(place) };
    }
  }

  #addOne(one: Uint32Array): void {
    const [, , id = 0] = one;
    const known = this.#places.get(id);
    if (known === undefined) this.#append(id, one);
    else for (let i = 3; i < numbersEach; i++) (this.#numbers[known + i] as number) += one[i] as number;
  }

  #append(id: number, one: Uint32Array): void {
    if (this.#end + numbersEach > this.#numbers.length) {
      const larger = new Uint32Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers.set(one, this.#end);
    this.#places.set(id, this.#end);
    this.#end += numbersEach;
  }

  #sumAt(place: number): Sum {
    const [humanVisitors = 0, aiVisitors = 0, visitors = 0, humanViews = 0, aiViews = 0] =
      this.#numbers.subarray(place + 3, place + numbersEach);
    return { humanVisitors, aiVisitors, visitors, humanViews, aiViews };
  }
}
