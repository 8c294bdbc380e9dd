import { overloaded } from '../errors.ts';

/** Lets a bounded number of tasks in, running or waiting; whoever comes after them is asked to come back. */
export class Gate {
  readonly #max: number;
  #inside = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws ApiError `overloaded` */
  async pass<T>(task: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#max) throw overloaded('Too many reports are being made: ask again.');
    this.#inside++;
    try {
      return await task();
    } finally {
      this.#inside--;
    }
  }
}
