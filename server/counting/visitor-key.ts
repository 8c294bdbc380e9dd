import { type Counter, counters } from '../../shared/reports/counters.ts';
import type { Day } from './calendar.ts';
import type { CounterEntry } from './counter.ts';
import { otherName } from './names/name-cap.ts';

/** The counter that holds the visitor keys of another one on an active day; undefined: it counts no visitors. */
export function visitorKeysOf(counter: Counter): Counter | undefined {
  return counter === 'text-fragments' ? 'text-fragment-visitors' : undefined;
}

/** Number, as SQL lists it, of the counter that is deleted with the visitors of its day. */
export const visitorKeyCounters = String(counters['text-fragment-visitors'].number);

/** Values with fewer visitors on a day are never shown, and are deleted when the day is closed. */
export const leastVisitors = 3;

/** Of a visitor, in hexadecimal; a tab and what it is counted under follow. */
const visitorDigits = 16;

/** Where in the group of a visitor key begins what it is counted under, from 1, as SQL counts. */
export const countedUnderFrom = visitorDigits + 2;

export function visitorKeyOf(visitor: bigint, source: string, passage: string, path: string): CounterEntry {
  const digits = BigInt.asUintN(64, visitor).toString(16).padStart(visitorDigits, '0');
  return { counter: 'text-fragment-visitors', group: `${digits}\t${source}\t${passage}`, name: path };
}

/** A visitor key as it is stored, maybe more than once. */
export type StoredVisitorKey = { day: Day; group: string; name: string };

/** The counts that remain of visitor keys when their days are closed. */
export function sharedNames(
  visitorKeys: readonly StoredVisitorKey[],
): (StoredVisitorKey & { hits: number })[] {
  const seen = new Map<string, StoredVisitorKey & { visitors: Set<string> }>();
  for (const { day, group, name } of visitorKeys) {
    const what = group.slice(countedUnderFrom - 1);
    const key = `${day}\n${what}\n${name}`;
    const known = seen.get(key) ?? { day, group: what, name, visitors: new Set() };
    known.visitors.add(group.slice(0, visitorDigits));
    seen.set(key, known);
  }
  return [...seen.values()]
    .filter(({ visitors }) => visitors.size >= leastVisitors)
    .map(({ visitors, ...name }) => ({ ...name, hits: visitors.size }));
}

/** New names of one counter that a project takes in on a day, and of those in one group; the others are `otherName`. */
export const maxCounterNames = 300;
export const maxCounterNamesOfGroup = 150;

/** Pages that have their time on a day, by its steps: as it is of most pages of a site, these are more. */
export const maxTimedPages = 2_000;

/** And visitor keys, of which a name has as many as visitors. */
export const maxVisitorKeys = 2_000;

/** Names of a counter that the day has, in all and in the group. */
interface TakenNames {
  all: number;
  ofGroup: number;
}

/** The name that a new name of the day is counted under. */
export function admittedEntry<Entry extends CounterEntry>(entry: Entry, taken: TakenNames): Entry {
  const { counter, group, name } = entry;
  if (counter === 'text-fragment-visitors') {
    return taken.all < maxVisitorKeys ? entry : { ...entry, group: otherGroup(group), name: otherName };
  }
  const isTaken = name === '' || fits(counter, taken);
  return isTaken ? entry : { ...entry, name: otherName };
}

function fits(counter: Counter, { all, ofGroup }: TakenNames): boolean {
  if (counter === 'visible-time') return ofGroup < maxTimedPages;
  return all < maxCounterNames && ofGroup < maxCounterNamesOfGroup;
}

function otherGroup(group: string): string {
  return `${group.slice(0, countedUnderFrom - 1)}${otherName}\t${otherName}`;
}
