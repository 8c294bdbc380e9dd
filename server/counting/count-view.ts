import { dimensionNames, dimensions } from '../../shared/dimensions.ts';
import { addView, type KindBit, type Sum } from './sum.ts';
import { what } from './what.ts';

/** What a day counts, as an engine holds it while views are added. */
export interface DaySums<S extends Sum> {
  readonly site: S;
  /** The sum of what the view has, by its number as stored; undefined: the view has nothing of the sort. */
  sumOf(what: number): S | undefined;
  /** Notes that the view's visitor was seen there, and answers the kinds of before; 0: never. */
  see(sum: S, kind: KindBit): number;
}

/** What a view counts on, besides the site. */
interface Thing {
  what: number;
  /** Whoever is new to the site is new to this, so that nobody needs to remember it. */
  followsVisitor: boolean;
}

export const things: readonly Thing[] = [
  ...dimensionNames.map((name) => ({
    what: what[name],
    followsVisitor: dimensions[name].from === 'sender',
  })),
  ...([what.path, what.client, what.clientProof, what.clientPath] as const).map((number) => ({
    what: number,
    followsVisitor: false,
  })),
];

/** Counts a view on the site, and on all that it has. */
export function countView<S extends Sum>(day: DaySums<S>, kind: KindBit): void {
  const before = day.see(day.site, kind);
  addView(day.site, kind, before);
  for (const { what, followsVisitor } of things) {
    const sum = day.sumOf(what);
    if (sum !== undefined) addView(sum, kind, followsVisitor ? before : day.see(sum, kind));
  }
}
