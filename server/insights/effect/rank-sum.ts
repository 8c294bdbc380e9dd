/** From so many on the normal distribution does; before, every outcome is counted. */
const manyChanged = 12;

/**
 * Of the differences between each of `changed` and each of `others` in order: how many may be left out on either side, so that
 * what remains holds the true shift but for `leftOut` of all cases, by the distribution of Wilcoxon's rank sum. Null: there
 * are too few to leave any out.
 */
export function leftOutOnEachSide(changed: number, others: number, leftOut: number): number | null {
  const count = changed < manyChanged ? exactly(changed, others, leftOut) : roughly(changed, others, leftOut);
  return count < 0 ? null : count;
}

function roughly(m: number, n: number, leftOut: number): number {
  const spread = Math.sqrt((m * n * (m + n + 1)) / 12);
  return Math.floor((m * n - 1) / 2 - normalBound(leftOut) * spread);
}

/**
 * Sums up the chances of 0, 1, 2, … pairs in which the touched page is the lower one, as long as they stay below. The numbers
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
