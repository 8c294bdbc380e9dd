import { overloaded } from '../errors.ts';

/** Runs a bounded number of tasks at once; whoever comes after them is asked to come back. */
export class ConcurrencyLimit {
  readonly #max: number;
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws ApiError `overloaded` */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#max) throw overloaded('Too many reports are being made: ask again.');
    this.#running++;
    try {
      return await task();
    } finally {
      this.#running--;
    }
  }
}
