import { Histogram, secondsSince } from '../metrics/meter.ts';
import type { StoreActivity } from './store.ts';

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What calls of the store took, by part. */
export class CallTimes {
  readonly #thread: string;
  readonly #seconds = new Map<string, Histogram>();

  constructor(thread: string) {
    this.#thread = thread;
  }

  /** A call has ended; @param startedAt as `performance.now()` told it */
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
