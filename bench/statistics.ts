/** The value that this share of all values does not exceed (nearest rank); the median is 0.5. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: ArrayLike<number>): number {
  return percentile(values, 0.5);
}
