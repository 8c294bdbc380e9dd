import { type Counter, counterNames, counters } from '../../shared/reports/counters.ts';
import { memoize } from '../memo.ts';
import type { Day } from './calendar.ts';

/** A counter that a hit adds to, besides its view. */
export interface CounterEntry {
  readonly counter: Counter;
  /** The fields of `counters[counter].groups`, with tabs between them. */
  readonly group: string;
  /** Empty where the counter has none. */
  readonly name: string;
}

/** The counters of one hit: the same object for the same entries, so that a batch of views needs each of them once. */
export type CounterSet = readonly CounterEntry[];

/** How often an entry was hit on a day, and the amount that its counter adds up. */
export interface CounterIncrement extends CounterEntry {
  projectId: string;
  day: Day;
  hits: number;
  /** 0 where the counter adds up nothing. */
  amount: number;
}

/** Kept when the details of a day are deleted, as it is about the site. */
export const isLasting = (counter: Counter) => counter === 'data-sources';

/** Numbers, as SQL lists them. */
const numbersOf = (isOne: (counter: Counter) => boolean) =>
  counterNames
    .filter(isOne)
    .map((name) => counters[name].number)
    .join(', ');

export const allCounters = numbersOf(() => true);
export const detailCounters = numbersOf((counter) => !isLasting(counter));
/** Of those whose names are paths of the site. */
export const pathCounters = numbersOf((counter) => counters[counter].namesPaths);

export const noCounters: CounterSet = [];

const interned = memoize((text: string): CounterSet => JSON.parse(text), 20_000);

/** The one set of these entries. */
export function counterSet(entries: readonly CounterEntry[]): CounterSet {
  return entries.length === 0 ? noCounters : interned(JSON.stringify(entries));
}

/** The amount that an entry adds up, by a hit's bytes. */
export function amountOf({ counter }: CounterEntry, bytes: number): number {
  return counters[counter].amount === 'bytes' ? bytes : 0;
}
