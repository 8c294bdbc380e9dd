import { AddedUp } from './added-up.ts';
import { addView, emptySum, type KindBit, kindBits, type Sum } from './sum.ts';

/** The name of the sum of all visits of a day, with their views. */
export const allVisits = '(all)';

/** The sums of pages by dimension, then by the page's number. */
export type PageSums = Readonly<Record<'entry' | 'exit' | 'singlePage', ReadonlyMap<number, Sum>>>;

/** What a visitor did on a day as a person, or as an AI client. */
interface Visit {
  first: number;
  entry: number;
  last: number;
  exit: number;
  isSinglePage: boolean;
}

type Visitor = { [kind in KindBit]?: Visit } & { isInSums: boolean };

/** The name of a page by its number; undefined: it was forgotten. */
export type PageName = (page: number) => string | undefined;

/**
 * The visits of a day, from its views in any order. Of two views at the same moment that of the page whose name comes first,
 * by code point, was first; a page without a name is the last.
 */
export class DayVisits {
  readonly #nameOf: PageName;
  readonly #visitors = new AddedUp<Visitor>(
    () => ({ isInSums: false }),
    (visitor, by) => this.#addToSums(visitor, by),
  );
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

  add(visitor: bigint, kind: KindBit, moment: number, page: number): void {
    const known = this.#visitors.toChange(visitor);
    addView(this.all, kind, bitsOf(known));
    const visit = known[kind];
    if (visit) this.#extend(visit, moment, page);
    else known[kind] = { first: moment, entry: page, last: moment, exit: page, isSinglePage: true };
  }

  /** Of what was added so far: they change with what is added later. */
  sums(): PageSums {
    this.#visitors.addUp();
    return this.#sums;
  }

  #addToSums(visitor: Visitor, by: 1 | -1): void {
    addTo(this.#sums.entry, visitor, ({ entry }) => entry, by);
    addTo(this.#sums.exit, visitor, ({ exit }) => exit, by);
    addTo(
      this.#sums.singlePage,
      visitor,
      ({ entry, isSinglePage }) => (isSinglePage ? entry : undefined),
      by,
    );
  }

  #extend(visit: Visit, moment: number, page: number): void {
    if (page !== visit.entry) visit.isSinglePage = false;
    if (moment < visit.first || (moment === visit.first && this.#isBefore(page, visit.entry))) {
      visit.first = moment;
      visit.entry = page;
    }
    if (moment > visit.last || (moment === visit.last && this.#isBefore(visit.exit, page))) {
      visit.last = moment;
      visit.exit = page;
    }
  }

  #isBefore(one: number, other: number): boolean {
    return one !== other && orderOfNames(this.#nameOf(one), this.#nameOf(other)) < 0;
  }
}

/** By code point; pages without a name come last. */
export function orderOfNames(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined)
    return Number(one === undefined) - Number(other === undefined);
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function bitsOf(visitor: Visitor): number {
  return (visitor[kindBits.human] ? kindBits.human : 0) | (visitor[kindBits.ai] ? kindBits.ai : 0);
}

/** A visitor with visits of both kinds counts once in the total. */
function addTo(
  sums: Map<number, Sum>,
  { [kindBits.human]: byPerson, [kindBits.ai]: byAi }: Visitor,
  pageOf: (visit: Visit) => number | undefined,
  by: 1 | -1,
): void {
  const ofPerson = byPerson && pageOf(byPerson);
  const ofAi = byAi && pageOf(byAi);
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
