import { type Tally, tallies } from '../../shared/reports/tallies.ts';
import type { Day } from './calendar.ts';
import { otherName } from './names/name-cap.ts';
import type { TallyEntry } from './tally.ts';

/** The tally that holds the visitors of a name on an open day; undefined: the tally counts no visitors. */
export function sightingsOf(tally: Tally): Tally | undefined {
  return tally === 'text-fragments' ? 'text-fragment-sightings' : undefined;
}

/** Number, as SQL lists it, of the tally that is deleted with the visitors of its day. */
export const sightedTallies = String(tallies['text-fragment-sightings'].number);

/** Values with fewer visitors on a day are never shown, and are deleted when the day is closed. */
export const leastVisitors = 3;

/** Of a visitor, in hexadecimal; a tab and what was seen follow. */
const visitorDigits = 16;

/** Where in the group of a sighting begins what was seen, from 1, as SQL counts. */
export const sightedFrom = visitorDigits + 2;

export function sightingOf(visitor: bigint, source: string, passage: string, path: string): TallyEntry {
  const digits = BigInt.asUintN(64, visitor).toString(16).padStart(visitorDigits, '0');
  return { tally: 'text-fragment-sightings', group: `${digits}\t${source}\t${passage}`, name: path };
}

/** A sighting as it is stored, maybe more than once. */
export type StoredSighting = { day: Day; group: string; name: string };

/** The counts that remain of sightings when their days are closed. */
export function sharedNames(sightings: readonly StoredSighting[]): (StoredSighting & { hits: number })[] {
  const seen = new Map<string, StoredSighting & { visitors: Set<string> }>();
  for (const { day, group, name } of sightings) {
    const what = group.slice(sightedFrom - 1);
    const key = `${day}\n${what}\n${name}`;
    const known = seen.get(key) ?? { day, group: what, name, visitors: new Set() };
    known.visitors.add(group.slice(0, visitorDigits));
    seen.set(key, known);
  }
  return [...seen.values()]
    .filter(({ visitors }) => visitors.size >= leastVisitors)
    .map(({ visitors, ...name }) => ({ ...name, hits: visitors.size }));
}

/** New names of one tally that a project takes in on a day, and of those in one group; the others are `otherName`. */
export const maxTallyNames = 300;
export const maxTallyNamesOfGroup = 150;

/** Pages that have their time on a day, by its steps: as it is of most pages of a site, these are more. */
export const maxTimedPages = 2_000;

/** And sightings, of which a name has as many as visitors. */
export const maxSightings = 2_000;

/** Names of a tally that the day has, in all and in the group. */
interface TakenNames {
  all: number;
  ofGroup: number;
}

/** The name that a new name of the day is counted under. */
export function admittedEntry<Entry extends TallyEntry>(entry: Entry, taken: TakenNames): Entry {
  const { tally, group, name } = entry;
  if (tally === 'text-fragment-sightings') {
    return taken.all < maxSightings ? entry : { ...entry, group: otherGroup(group), name: otherName };
  }
  const isTaken = name === '' || fits(tally, taken);
  return isTaken ? entry : { ...entry, name: otherName };
}

function fits(tally: Tally, { all, ofGroup }: TakenNames): boolean {
  if (tally === 'visible-time') return ofGroup < maxTimedPages;
  return all < maxTallyNames && ofGroup < maxTallyNamesOfGroup;
}

function otherGroup(sighted: string): string {
  return `${sighted.slice(0, sightedFrom - 1)}${otherName}\t${otherName}`;
}
