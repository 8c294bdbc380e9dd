/** Numbers from 0 to below 1, the same for the same seed on every machine (xorshift32, doi:10.18637/jss.v008.i14). */
export function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Draws 0 to `size` - 1; the number n comes 1 / (n + 1) times as often as 0 (Zipf's law). */
export function zipf(size: number, random: () => number): () => number {
  const limits = new Float64Array(size);
  let sum = 0;
  for (let i = 0; i < size; i++) {
    sum += 1 / (i + 1);
    limits[i] = sum;
  }
  return () => {
    const at = random() * sum;
    return limits.findIndex((limit) => at < limit);
  };
}
