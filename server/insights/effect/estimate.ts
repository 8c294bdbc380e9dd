import { enoughViews, likeSized, movesOf, type PageViews } from './pages.ts';

/** Of affected pages against the others, as logarithms of a ratio. */
export interface Estimate {
  middle: number;
  /** Null: there are too few affected pages, or too few others, to bound it. */
  low: number | null;
  high: number | null;
}

/** Fewer say nothing of how pages move by themselves. */
const minOthers = 10;

/**
 * How the affected pages changed against the others of like size: difference in differences of logarithms, page by page. The
 * interval is that of Hodges and Lehmann, of the differences between each affected page and each other one. It rests on how
 * pages move when nobody touches them, whatever the spread of that, and a page that a crawler happens to read anew weighs no
 * more than others. Null: there is too little data.
 *
 * @param leftOut how often the interval may miss the truth
 */
export function estimateEffect(
  affected: readonly PageViews[],
  unaffected: readonly PageViews[],
  leftOut: number,
  seed = 1,
): Estimate | null {
  const random = randomNumbers(seed);
  const enough = enoughViews(unaffected);
  const changed = movesOf(affected, random, enough);
  const others = likeSized(changed, movesOf(unaffected, random, enough));
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

/** From so many on the normal distribution does; before, every outcome is counted. */
const manyChanged = 12;

/**
 * Of the differences between each of `changed` and each of `others` in order: how many may be left out on either side, so that
 * what remains holds the true shift but for `leftOut` of all cases, by the distribution of Wilcoxon's rank sum. Null: there
 * are too few to leave any out.
 */
function leftOutOnEachSide(changed: number, others: number, leftOut: number): number | null {
  const count = changed < manyChanged ? exactly(changed, others, leftOut) : roughly(changed, others, leftOut);
  return count < 0 ? null : count;
}

function roughly(m: number, n: number, leftOut: number): number {
  const spread = Math.sqrt((m * n * (m + n + 1)) / 12);
  return Math.floor((m * n - 1) / 2 - normalBound(leftOut) * spread);
}

/**
 * Sums up the chances of 0, 1, 2, … pairs in which the affected page is the lower one, as long as they stay below. The numbers
 * of ways are coefficients of the Gaussian binomial: the product of (1 - q^(n+i)) / (1 - q^i) for i from 1 to m.
 */
function exactly(m: number, n: number, leftOut: number): number {
  const ways = new Float64Array(m * n + 1);
  ways[0] = 1;
  for (let i = 1; i <= m; i++) {
    for (let u = i; u < ways.length; u++) ways[u] = (ways[u] ?? 0) + (ways[u - i] ?? 0);
  }
  for (let i = 1; i <= m; i++) {
    for (let u = ways.length - 1; u >= n + i; u--) ways[u] = (ways[u] ?? 0) - (ways[u - n - i] ?? 0);
  }
  let all = 1;
  for (let i = 1; i <= m; i++) all = (all * (n + i)) / i;
  let below = 0;
  for (let u = 0; u < ways.length; u++) {
    below += (ways[u] ?? 0) / all;
    if (below > leftOut / 2) return u - 1;
  }
  return -1;
}

/**
 * How many standard deviations a normal variable stays within when so much of it is left out, both sides together:
 * Abramowitz and Stegun, 26.2.23, within 0.0005.
 */
function normalBound(leftOut: number): number {
  const t = Math.sqrt(-2 * Math.log(leftOut / 2));
  return (
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3)
  );
}

/** Numbers from 0 to 1 that are the same each time for one seed (mulberry32): an answer must not change by being asked again. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
