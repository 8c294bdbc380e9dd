/** @param cost in millionths of a dollar */
export function inDollars(cost: number): string {
  return `$${(cost / 1_000_000).toFixed(2)}`;
}
