import { type Tally, tallies, tallyNames } from '../../shared/reports/tallies.ts';
import { memoize } from '../memo.ts';
import type { Day } from './calendar.ts';

/** A tally that a hit adds to, besides its view. */
export interface TallyEntry {
  readonly tally: Tally;
  /** The fields of `tallies[tally].groups`, with tabs between them. */
  readonly group: string;
  /** Empty where the tally has none. */
  readonly name: string;
}

/** The tallies of one hit: the same object for the same entries, so that a batch of views needs each of them once. */
export type TallySet = readonly TallyEntry[];

/** How often an entry was hit on a day, and the amount that its tally adds up. */
export interface TallyCount extends TallyEntry {
  projectId: string;
  day: Day;
  hits: number;
  /** 0 where the tally adds up nothing. */
  amount: number;
}

/** Kept when the details of a day are deleted, as it is about the site. */
export const isLasting = (tally: Tally) => tally === 'data-sources';

/** Numbers, as SQL lists them. */
const numbersOf = (isOne: (tally: Tally) => boolean) =>
  tallyNames
    .filter(isOne)
    .map((name) => tallies[name].number)
    .join(', ');

export const allTallies = numbersOf(() => true);
export const detailTallies = numbersOf((tally) => !isLasting(tally));
/** Of those whose names are paths of the site. */
export const pathTallies = numbersOf((tally) => tallies[tally].namesPaths);

export const noTallies: TallySet = [];

const interned = memoize((text: string): TallySet => JSON.parse(text), 20_000);

/** The one set of these entries. */
export function tallySet(entries: readonly TallyEntry[]): TallySet {
  return entries.length === 0 ? noTallies : interned(JSON.stringify(entries));
}

/** The amount that an entry adds up, by a hit's bytes. */
export function amountOf({ tally }: TallyEntry, bytes: number): number {
  return tallies[tally].amount === 'bytes' ? bytes : 0;
}
