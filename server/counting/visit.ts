import { Numbers, Visitors, wordsOf } from './numbers.ts';
import { addView, emptySum, type KindBit, kindBits, type Sum } from './sum.ts';

/** The name of the sum of all visits of a day, with their views. */
export const allVisits = '(all)';

/** The sums of pages by dimension, then by the page's number. */
export type PageSums = Readonly<Record<'entry' | 'exit' | 'singlePage', ReadonlyMap<number, Sum>>>;

/** The name of a page by its number; undefined: it was forgotten. */
export type PageName = (page: number) => string | undefined;

/**
 * The visits of a day, from its views in any order. Of two views at the same moment that of the page whose name comes first,
 * by code point, was first; a page without a name is the last.
 */
export class DayVisits {
  readonly #nameOf: PageName;
  readonly #visitors = new Visitors();
  /** Of each visitor what it did as a person, and then as an AI client: when it came, where, when it was seen last, and where. */
  readonly #visits = new Numbers();
  /** Of each visitor: bits of its kinds, four times those of which it saw several pages, and `inSums`. */
  readonly #states = new Numbers();
  /** Visitors that are not in the sums. */
  readonly #changed = new Numbers();
  readonly #sums = {
    entry: new Map<number, Sum>(),
    exit: new Map<number, Sum>(),
    singlePage: new Map<number, Sum>(),
  };
  readonly all = emptySum();

  constructor(nameOf: PageName) {
    this.#nameOf = nameOf;
  }

  get visitors(): number {
    return this.#visitors.size;
  }

  /** Views as they are kept; events among them are none. */
  add({ visitors, moments, paths }: Viewed): void {
    const words = wordsOf(visitors);
    for (let i = 0; i < moments.length; i++) {
      const moment = moments[i] as number;
      if ((moment & 3) === 0) continue;
      const visitor = this.#visitors.numberOf(words[i * 2] as number, words[i * 2 + 1] as number);
      this.#addView(visitor, (moment & 3) as KindBit, moment >>> 2, paths[i] as number);
    }
  }

  #addView(visitor: number, kind: KindBit, moment: number, page: number): void {
    const state = this.#stateToChange(visitor);
    addView(this.all, kind, state & 3);
    const at = visitAt(visitor, kind);
    const { items } = this.#visits;
    if ((state & kind) === 0) {
      items[at] = moment;
      items[at + 1] = page;
      items[at + 2] = moment;
      items[at + 3] = page;
      this.#states.items[visitor] = state | kind;
      return;
    }
    const [first, entry] = [items[at] as number, items[at + 1] as number];
    const [last, exit] = [items[at + 2] as number, items[at + 3] as number];
    this.#states.items[visitor] = page === entry ? state : state | (kind * 4);
    if (moment < first || (moment === first && this.#isBefore(page, entry))) {
      items[at] = moment;
      items[at + 1] = page;
    }
    if (moment > last || (moment === last && this.#isBefore(exit, page))) {
      items[at + 2] = moment;
      items[at + 3] = page;
    }
  }

  /** Of a visitor that is taken out of the sums. */
  #stateToChange(visitor: number): number {
    if (visitor < this.#states.length) {
      const state = this.#states.at(visitor);
      if ((state & inSums) === 0) return state;
      this.#addToSums(visitor, -1);
      this.#changed.push(visitor);
      return state & ~inSums;
    }
    this.#states.push(0);
    this.#visits.extend(visitAt(visitor + 1, kindBits.human));
    this.#changed.push(visitor);
    return 0;
  }

  /** Of what was added so far: they change with what is added later. */
  sums(): PageSums {
    for (const visitor of this.#changed.all) {
      this.#addToSums(visitor, 1);
      (this.#states.items[visitor] as number) |= inSums;
    }
    this.#changed.length = 0;
    return this.#sums;
  }

  #addToSums(visitor: number, by: 1 | -1): void {
    const state = this.#states.at(visitor);
    const pageOf = (kind: KindBit, place: number) =>
      (state & kind) === 0 ? undefined : this.#visits.at(visitAt(visitor, kind) + place);
    const [person, ai] = [pageOf(kindBits.human, 1), pageOf(kindBits.ai, 1)];
    addTo(this.#sums.entry, person, ai, by);
    addTo(this.#sums.exit, pageOf(kindBits.human, 3), pageOf(kindBits.ai, 3), by);
    const single = (kind: KindBit, entry: number | undefined) =>
      (state & (kind * 4)) === 0 ? entry : undefined;
    addTo(this.#sums.singlePage, single(kindBits.human, person), single(kindBits.ai, ai), by);
  }

  #isBefore(one: number, other: number): boolean {
    return one !== other && orderOfNames(this.#nameOf(one), this.#nameOf(other)) < 0;
  }
}

/** Of a state. */
const inSums = 16;

const visitAt = (visitor: number, kind: KindBit) => visitor * 8 + (kind - 1) * 4;

/** Views of a day, in any order. */
interface Viewed {
  visitors: ArrayLike<bigint>;
  /** `moment * 4 + kind`; of an event the kind is 0. */
  moments: ArrayLike<number>;
  paths: ArrayLike<number>;
}

/** By code point; pages without a name come last. */
export function orderOfNames(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** A visitor with visits of both kinds counts once in the total. */
function addTo(
  sums: Map<number, Sum>,
  ofPerson: number | undefined,
  ofAi: number | undefined,
  by: 1 | -1,
): void {
  if (ofPerson !== undefined) {
    const sum = sumAt(sums, ofPerson);
    sum.humanVisitors += by;
    sum.humanViews += by;
    sum.visitors += by;
  }
  if (ofAi !== undefined) {
    const sum = sumAt(sums, ofAi);
    sum.aiVisitors += by;
    sum.aiViews += by;
    if (ofAi !== ofPerson) sum.visitors += by;
  }
  if (by === -1) {
    dropEmpty(sums, ofPerson);
    dropEmpty(sums, ofAi);
  }
}

function dropEmpty(sums: Map<number, Sum>, page: number | undefined): void {
  if (page !== undefined && sums.get(page)?.visitors === 0) sums.delete(page);
}

function sumAt(sums: Map<number, Sum>, page: number): Sum {
  const known = sums.get(page);
  if (known) return known;
  const sum = emptySum();
  sums.set(page, sum);
  return sum;
}
