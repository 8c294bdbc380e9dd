import { dimensionNames, dimensions } from '../../shared/reports/dimensions.ts';
import { pairNames } from '../../shared/reports/pairs.ts';
import { addView, type KindBit, type Sum } from './sum.ts';
import { what } from './what.ts';

/** The counts of a day, as an engine has them while views are added. */
export interface DaySums<S extends Sum> {
  readonly site: S;
  /** The sum of what the view has, by its number as stored; undefined: the view has nothing of the sort. */
  sumOf(what: number): S | undefined;
  /** Notes that the view's visitor was seen there, and answers the kinds of before; 0: never. */
  see(sum: S, kind: KindBit): number;
}

/** The dimensions that a view counts in, besides the site. */
interface Thing {
  what: number;
  /** A visitor that is new to the site is new here too, so that no visitors are stored. */
  followsVisitor: boolean;
}

/** Of a view. A pair comes after what it is under. */
const viewed: readonly Thing[] = [
  // A visitor counts in the hour of its first view, so that the hours add up to the day.
  { what: what.hour, followsVisitor: true },
  ...dimensionNames.map((name) => ({
    what: what[name],
    followsVisitor: dimensions[name].from === 'sender',
  })),
  ...(['path', 'client', 'clientProof', ...pairNames] as const).map((name) => ({
    what: what[name],
    followsVisitor: false,
  })),
];

const [happened, detailed] = (['event', 'property'] as const).map((name): Thing[] => [
  { what: what[name], followsVisitor: false },
]) as [Thing[], Thing[]];

/** The kind of a row of a batch: a view, an event, or a property of one. */
export type RowKind = 'view' | 'event' | 'property';

/** The dimensions that each kind of row counts in, besides the site for views. */
export const countedThings: Readonly<Record<RowKind, readonly Thing[]>> = {
  view: viewed,
  event: happened,
  property: detailed,
};

/** What needs a number for that: a property is named under its event. */
export const namedThings: Readonly<Record<RowKind, readonly Thing[]>> = {
  ...countedThings,
  property: [...happened, ...detailed],
};

export const things: readonly Thing[] = [...viewed, ...happened, ...detailed];

/** Counts an event, or a property of one. */
export function countEvent<S extends Sum>(day: DaySums<S>, kind: KindBit, row: 'event' | 'property'): void {
  const sums = namedThings[row].map(({ what }) => day.sumOf(what));
  const sum = sums.at(-1);
  if (sum !== undefined) addView(sum, kind, day.see(sum, kind));
}

/** Counts a view for the site, and in all its dimensions. */
export function countView<S extends Sum>(day: DaySums<S>, kind: KindBit): void {
  const before = day.see(day.site, kind);
  addView(day.site, kind, before);
  for (const { what, followsVisitor } of viewed) {
    const sum = day.sumOf(what);
    if (sum !== undefined) addView(sum, kind, followsVisitor ? before : day.see(sum, kind));
  }
}
