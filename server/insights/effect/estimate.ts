import { enoughViews, likeSized, movesOf, type PageViews } from './pages.ts';
import { randomNumbers } from './random.ts';
import { leftOutOnEachSide } from './rank-sum.ts';

/** Of touched pages against the others, as logarithms of a ratio. */
export interface Estimate {
  middle: number;
  /** Null: there are too few touched pages, or too few others, to bound it. */
  low: number | null;
  high: number | null;
}

/** Fewer say nothing of how pages move by themselves. */
const minOthers = 10;

/**
 * How the touched pages changed against the others of like size: difference in differences of logarithms, page by page. The
 * interval is that of Hodges and Lehmann, of the differences between each touched page and each other one. It rests on how
 * pages move when nobody touches them, whatever the spread of that, and a page that a crawler happens to read anew weighs no
 * more than others. Null: there is too little to tell.
 *
 * @param leftOut how often the interval may miss the truth
 */
export function estimateEffect(
  touched: readonly PageViews[],
  untouched: readonly PageViews[],
  leftOut: number,
  seed = 1,
): Estimate | null {
  const random = randomNumbers(seed);
  const enough = enoughViews(untouched);
  const changed = movesOf(touched, random, enough);
  const others = likeSized(changed, movesOf(untouched, random, enough));
  if (changed.length === 0 || others.length < minOthers) return null;
  const differences = new Float64Array(changed.length * others.length);
  let i = 0;
  for (const one of changed) for (const other of others) differences[i++] = one.log - other.log;
  differences.sort();
  const outside = leftOutOnEachSide(changed.length, others.length, leftOut);
  return {
    middle: middleOf(differences),
    low: outside === null ? null : (differences[outside] ?? null),
    high: outside === null ? null : (differences[differences.length - 1 - outside] ?? null),
  };
}

function middleOf(sorted: Float64Array): number {
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}
