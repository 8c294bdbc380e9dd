import { type Tally, tallies, tallyNames } from '../../shared/reports/tallies.ts';
import { memoize } from '../memo.ts';
import type { Day } from './calendar.ts';

/** What a hit adds to, besides its view. */
export interface TallyEntry {
  readonly tally: Tally;
  /** The fields of `tallies[tally].groups`, with tabs between them. */
  readonly group: string;
  /** Empty where the tally has none. */
  readonly name: string;
}

/** What one hit adds to: the same object for the same entries, so that a batch of views needs each of them once. */
export type TallySet = readonly TallyEntry[];

/** How often something was met on a day, and how much of what the tally adds up it was. */
export interface TallyCount extends TallyEntry {
  projectId: string;
  day: Day;
  hits: number;
  /** 0 where the tally adds up nothing. */
  amount: number;
}

/** What a day keeps when its details are forgotten: it is about the site. */
export const isLasting = (tally: Tally) => tally === 'ways-in';

/** Numbers of these, as SQL lists them. */
export const lastingTallies = tallyNames
  .filter(isLasting)
  .map((name) => tallies[name].number)
  .join(', ');

/** Numbers, as SQL lists them, of those whose names are paths of the site. */
export const pathTallies = tallyNames
  .filter((name) => tallies[name].namesPaths)
  .map((name) => tallies[name].number)
  .join(', ');

export const noTallies: TallySet = [];

const interned = memoize((text: string): TallySet => JSON.parse(text), 20_000);

/** The one set of these entries. */
export function tallySet(entries: readonly TallyEntry[]): TallySet {
  return entries.length === 0 ? noTallies : interned(JSON.stringify(entries));
}

/** What of a hit's bytes an entry adds up. */
export function amountOf({ tally }: TallyEntry, bytes: number): number {
  return tallies[tally].amount === 'bytes' ? bytes : 0;
}
