/** Clocks differ: a hit may come from this far ahead, and counts as of now. */
const maxAheadMs = 5 * 60 * 1000;

/** When a hit counts, in milliseconds since 1970; undefined: it lies in the future. */
export function hitTime(at: number, now: number): number | undefined {
  return at > now + maxAheadMs ? undefined : Math.min(at, now);
}
