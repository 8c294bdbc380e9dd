import { overloaded } from '../errors.ts';

interface Bounds {
  /** Of all together. */
  max: number;
  /** Of one project. */
  maxEach: number;
}

/** Runs a bounded number of tasks at once, and fewer of each project; whoever comes after them is asked to come back. */
export class ConcurrencyLimit {
  readonly #bounds: Bounds;
  readonly #running = new Map<string, number>();
  #all = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** @throws ApiError `overloaded` */
  async run<T>(projectId: string, task: () => Promise<T>): Promise<T> {
    const running = this.#running.get(projectId) ?? 0;
    if (running >= this.#bounds.maxEach || this.#all >= this.#bounds.max) {
      throw overloaded('Too many reports are being computed; retry in a moment.');
    }
    this.#count(projectId, 1);
    try {
      return await task();
    } finally {
      this.#count(projectId, -1);
    }
  }

  #count(projectId: string, step: 1 | -1): void {
    const running = (this.#running.get(projectId) ?? 0) + step;
    if (running === 0) this.#running.delete(projectId);
    else this.#running.set(projectId, running);
    this.#all += step;
  }
}
