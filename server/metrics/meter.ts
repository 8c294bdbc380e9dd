/** Numbers that grow with what happens. Adding to them costs next to nothing; who makes metrics of them reads them. */
export class Histogram {
  /** Ascending; a value belongs to the first that is not smaller. */
  readonly bounds: readonly number[];
  /** One for each bound, and a last one for what is larger. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] as number)) i++;
    (this.counts[i] as number)++;
    this.sum += value;
  }
}

/** Seconds since a moment that `performance.now()` told. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1000;
}
