import type { Statement } from 'better-sqlite3';
import type { Sum } from '../../../counting/sum.ts';
import type { Connection } from '../connection.ts';
import { Counts, type Delta } from './counts.ts';

/** Names that wait before they are added up: the more, the fewer rows are written for each view. */
const maxPending = 1 << 16;

const wordsEach = 8;

interface PendingRow {
  project: number;
  day: number;
  sums: Buffer;
}

/** What is added to the counts of a day. */
export interface PendingDay {
  project: number;
  day: number;
  /** By kind and name, as `counts` is. */
  deltas: Delta[];
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
  /** Of this process; undefined: nobody has looked yet. */
  #pending: number | undefined;

  constructor(db: Connection) {
    this.#counts = new Counts(db);
    this.#append = db.prepare('insert into pending_counts (project, day, sums) values (?, ?, ?)');
    this.#size = db
      .prepare<[], number>(`select coalesce(sum(length(sums)), 0) / ${wordsEach * 4} from pending_counts`)
      .pluck();
    this.#any = db.prepare<[], 1>('select 1 from pending_counts limit 1').pluck();
    this.#all = db.prepare('select project, day, sums from pending_counts order by id');
    this.#deleteAll = db.prepare('delete from pending_counts');
  }

  add(project: number, day: number, deltas: readonly Delta[]): void {
    if (deltas.length === 0) return;
    this.#pending ??= this.#size.get() as number;
    this.#pending += deltas.length;
    this.#append.run(project, day, toBytes(deltas));
  }

  /** At the end of a transaction that added some. */
  mergeMany(): void {
    if (this.#pending !== undefined && this.#pending >= maxPending) this.merge();
  }

  get isEmpty(): boolean {
    return this.#any.get() === undefined;
  }

  /** From here on `counts` has all of them. */
  merge(): void {
    this.#pending = 0;
    if (this.isEmpty) return;
    for (const { project, day, deltas } of addUp(this.#all.all())) {
      for (const delta of deltas) this.#counts.add(project, { span: 1, day }, delta);
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
      .all(project),
  );
}

function addUp(rows: readonly PendingRow[]): PendingDay[] {
  const days = Map.groupBy(rows, ({ project, day }) => `${project} ${day}`);
  return [...days.values()].map((ofDay) => {
    const names = new Map<number, Delta>();
    for (const { sums } of ofDay) addTo(names, toNumbers(sums));
    const { project, day } = ofDay[0] as PendingRow;
    return { project, day, deltas: [...names.values()].sort(inOrder) };
  });
}

function addTo(names: Map<number, Delta>, numbers: Uint32Array): void {
  for (let at = 0; at < numbers.length; at += wordsEach) {
    const [what, parent, id] = [numbers[at] as number, numbers[at + 1] as number, numbers[at + 2] as number];
    const known = names.get(id);
    const sum = sumAt(numbers, at + 3);
    if (known) addSum(known, sum);
    else names.set(id, { name: { id, what, parent }, ...sum });
  }
}

function sumAt(numbers: Uint32Array, at: number): Sum {
  return {
    humanVisitors: numbers[at] as number,
    aiVisitors: numbers[at + 1] as number,
    visitors: numbers[at + 2] as number,
    humanViews: numbers[at + 3] as number,
    aiViews: numbers[at + 4] as number,
  };
}

function addSum(to: Sum, sum: Sum): void {
  to.humanVisitors += sum.humanVisitors;
  to.aiVisitors += sum.aiVisitors;
  to.visitors += sum.visitors;
  to.humanViews += sum.humanViews;
  to.aiViews += sum.aiViews;
}

/** So that neighbours in the table are written together. */
function inOrder({ name: a }: Delta, { name: b }: Delta): number {
  return a.what - b.what || a.parent - b.parent || a.id - b.id;
}

/** Every machine that Node runs on has the lowest byte first. */
function toBytes(deltas: readonly Delta[]): Uint8Array {
  const numbers = new Uint32Array(deltas.length * wordsEach);
  let at = 0;
  for (const { name, humanVisitors, aiVisitors, visitors, humanViews, aiViews } of deltas) {
    numbers[at++] = name.what;
    numbers[at++] = name.parent;
    numbers[at++] = name.id;
    numbers[at++] = humanVisitors;
    numbers[at++] = aiVisitors;
    numbers[at++] = visitors;
    numbers[at++] = humanViews;
    numbers[at++] = aiViews;
  }
  return new Uint8Array(numbers.buffer);
}

function toNumbers({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
