import { mixed, Numbers, Slots, seed } from '../numbers.ts';
import { kindBits } from '../sum.ts';
import { addCounts, type Counts, nothing } from './question.ts';
import { lastStep, nothingLeft, type ValueTable } from './values.ts';

/**
 * Visitors of a closed day who have the same values, of the site or of one page: how many, and the views of all of them. A
 * visitor may have several tuples, as not every view has a source.
 */
export interface Cell {
  visitors: number;
  /** How many parts it has; the arrays may be longer. */
  count: number;
  /** `tuple * 4 + kinds`, and views by people and by AI clients. */
  parts: number[];
  human: number[];
  ai: number[];
}

/** What is kept of the site, of a section or of a page. */
export interface Scope {
  cells: CellList;
  /** Those who share their values with too few others. */
  rest: Counts;
}

/** Cells in the order in which they came. A new one is begun with its parts, and added to the one with the same. */
export class CellList {
  readonly #visitors = new Numbers();
  /** Where the parts of a cell end. */
  readonly #ends = new Numbers();
  readonly #parts = new Numbers();
  readonly #human = new Numbers();
  readonly #ai = new Numbers();
  /** Its `places` find a cell with one part; one list of a table is made at a time. */
  readonly #values: ValueTable;
  /** Of those with several parts, by a hash. */
  readonly #slots = new Slots();
  readonly #several = new Numbers();
  #isInOrder = true;

  constructor(values: ValueTable) {
    this.#values = values;
  }

  get length(): number {
    return this.#visitors.length;
  }

  /** As stored, about. */
  get bytes(): number {
    return 6 + this.length * 2 + this.#parts.length * 4;
  }

  /** Whether anything is known of anybody. */
  get hasValues(): boolean {
    return this.#parts.all.some((part) => part >>> 2 !== nothingLeft);
  }

  visitors(cell: number): number {
    return this.#visitors.at(cell);
  }

  stepOf(cell: number): number {
    return this.#values.stepOf(this.#parts.at(this.#begin(cell)) >>> 2);
  }

  at(cell: number): Cell {
    const [from, to] = [this.#begin(cell), this.#ends.at(cell)];
    const of = ({ all }: Numbers) => Array.from(all.subarray(from, to));
    return {
      visitors: this.visitors(cell),
      count: to - from,
      parts: of(this.#parts),
      human: of(this.#human),
      ai: of(this.#ai),
    };
  }

  /** Adds views to the new cell, which begins with them where it has none. */
  addPart(part: number, human: number, ai: number): void {
    const last = this.#parts.length - 1;
    const before = this.#parts.at(last);
    if (last < this.#begin(this.length) || (before ^ part) > 3) {
      if (last >= this.#begin(this.length) && before > part) this.#isInOrder = false;
      this.#parts.push(part);
      this.#human.push(human);
      this.#ai.push(ai);
    } else {
      this.#parts.items[last] = before | (part & 3);
      (this.#human.items[last] as number) += human;
      (this.#ai.items[last] as number) += ai;
    }
  }

  /** Ends the new cell: of so many visitors, who all have its parts. */
  addCell(visitors: number): void {
    if (!this.#isInOrder) this.#sortNew();
    const from = this.#begin(this.length);
    const known = this.#parts.length - from === 1 ? this.#findOne(from) : this.#findSeveral(from);
    if (known === this.length) {
      this.#visitors.push(visitors);
      this.#ends.push(this.#parts.length);
      return;
    }
    (this.#visitors.items[known] as number) += visitors;
    for (let to = this.#begin(known), i = from; i < this.#parts.length; to++, i++) {
      (this.#human.items[to] as number) += this.#human.at(i);
      (this.#ai.items[to] as number) += this.#ai.at(i);
    }
    this.#shorten(from);
  }

  /** Adds a cell of another list, with other tuples. */
  addMoved(from: CellList, cell: number, tupleOf: (tuple: number) => number): void {
    for (let i = from.#begin(cell); i < from.#ends.at(cell); i++) {
      const part = from.#parts.at(i);
      this.addPart(tupleOf(part >>> 2) * 4 + (part & 3), from.#human.at(i), from.#ai.at(i));
    }
    this.addCell(from.visitors(cell));
  }

  /** Adds a cell unlike all others here. */
  copy(from: CellList, cell: number): void {
    for (let i = from.#begin(cell); i < from.#ends.at(cell); i++) {
      this.#parts.push(from.#parts.at(i));
      this.#human.push(from.#human.at(i));
      this.#ai.push(from.#ai.at(i));
    }
    this.#visitors.push(from.visitors(cell));
    this.#ends.push(this.#parts.length);
  }

  /** Adds what all visitors of a cell have. */
  addTo(counts: Counts, cell: number): void {
    let kinds = 0;
    for (let i = this.#begin(cell); i < this.#ends.at(cell); i++) {
      kinds |= this.#parts.at(i) & 3;
      counts[3] += this.#human.at(i);
      counts[4] += this.#ai.at(i);
    }
    const visitors = this.visitors(cell);
    if ((kinds & kindBits.human) !== 0) counts[0] += visitors;
    if ((kinds & kindBits.ai) !== 0) counts[1] += visitors;
    counts[2] += visitors;
  }

  #begin(cell: number): number {
    return cell === 0 ? 0 : this.#ends.at(cell - 1);
  }

  #shorten(length: number): void {
    this.#parts.length = length;
    this.#human.length = length;
    this.#ai.length = length;
  }

  /** The place of the one with this part, or of the next. */
  #findOne(from: number): number {
    const part = this.#parts.at(from);
    const { places } = this.#values;
    // It may be from other cells.
    const known = part < places.length ? places.at(part) : this.length;
    if (known < this.length) {
      const begin = this.#begin(known);
      if (this.#parts.at(begin) === part && this.#ends.at(known) === begin + 1) return known;
    }
    places.extend(part + 1);
    places.items[part] = this.length;
    return this.length;
  }

  #findSeveral(from: number): number {
    let hash = seed;
    for (let i = from; i < this.#parts.length; i++) hash = mixed(hash, this.#parts.at(i));
    for (let slot = this.#slots.first(hash); ; slot = this.#slots.next(slot)) {
      const number = this.#slots.at(slot);
      if (number < 0) {
        this.#slots.take(slot, hash);
        this.#several.push(this.length);
        return this.length;
      }
      const known = this.#several.at(number);
      if (this.#hasSame(known, from)) return known;
    }
  }

  #hasSame(cell: number, from: number): boolean {
    const begin = this.#begin(cell);
    const count = this.#parts.length - from;
    if (this.#ends.at(cell) - begin !== count) return false;
    for (let i = 0; i < count; i++) if (this.#parts.at(begin + i) !== this.#parts.at(from + i)) return false;
    return true;
  }

  /** Shell's sort: most have two parts, and few have thousands. */
  #sortNew(): void {
    const from = this.#begin(this.length);
    const all = [this.#parts, this.#human, this.#ai].map((numbers) => numbers.all.slice(from));
    const [parts, human, ai] = all as [Uint32Array, Uint32Array, Uint32Array];
    let gap = 1;
    while (gap < parts.length / 3) gap = gap * 3 + 1;
    for (; gap > 0; gap = Math.floor(gap / 3)) {
      for (let i = gap; i < parts.length; i++) {
        for (let to = i; to >= gap && (parts[to - gap] as number) > (parts[to] as number); to -= gap) {
          for (const numbers of all) {
            const moved = numbers[to] as number;
            numbers[to] = numbers[to - gap] as number;
            numbers[to - gap] = moved;
          }
        }
      }
    }
    this.#shorten(from);
    this.#isInOrder = true;
    for (let i = 0; i < parts.length; i++)
      this.addPart(parts[i] as number, human[i] as number, ai[i] as number);
  }
}

/** Cells between two pauses of what takes long. */
const atATime = 2_048;

/**
 * Leaves out values, what is asked for least first, until at least so many visitors share those that are left.
 *
 * @param rest of whom nothing is left already
 */
export function* fold(
  cells: CellList,
  values: ValueTable,
  least: number,
  rest = nothing(),
): Generator<void, Scope> {
  const kept = new CellList(values);
  const all = [...rest] as Counts;
  let few = cells;
  for (let step = 0; ; step++) {
    const rare = new Numbers();
    for (let cell = 0; cell < few.length; cell++) {
      if (few.visitors(cell) < least || few.stepOf(cell) > step) rare.push(cell);
      else kept.copy(few, cell);
    }
    if (step === lastStep) for (const cell of rare.all) few.addTo(all, cell);
    if (step === lastStep || rare.length === 0) return { cells: kept, rest: all };
    const merged = new CellList(values);
    for (let i = 0; i < rare.length; i++) {
      merged.addMoved(few, rare.at(i), (tuple) => values.without(tuple, step + 1));
      if (i % atATime === atATime - 1) yield;
    }
    few = merged;
  }
}

/** Of all visitors, however little is kept of them. */
export function totalOf({ cells, rest }: Scope): Counts {
  const total = nothing();
  addCounts(total, rest);
  for (let cell = 0; cell < cells.length; cell++) cells.addTo(total, cell);
  return total;
}
