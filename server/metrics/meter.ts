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

/** Seconds since a moment of `performance.now()`. */
export function secondsSince(startMs: number): number {
  return (performance.now() - startMs) / 1000;
}

/** Calls of one part of the store, by the seconds they took. */
export interface StoreActivity {
  thread: string;
  part: string;
  seconds: Histogram;
}

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What calls of the store took, by part. */
export class CallTimes {
  readonly #thread: string;
  readonly #seconds = new Map<string, Histogram>();

  constructor(thread: string) {
    this.#thread = thread;
  }

  /** A call has ended; @param startedAt as `performance.now()` returned it */
  note(part: string, startedAt: number): void {
    let seconds = this.#seconds.get(part);
    if (!seconds) {
      seconds = new Histogram(bounds);
      this.#seconds.set(part, seconds);
    }
    seconds.observe(secondsSince(startedAt));
  }

  activity(): StoreActivity[] {
    return Array.from(this.#seconds, ([part, seconds]) => ({ thread: this.#thread, part, seconds }));
  }
}
