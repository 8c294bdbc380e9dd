import { overloaded } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Day, DroppedTally, Store, View } from '../store/store.ts';

/** Hits that may wait for the store; about 20 MB of them. */
const maxWaiting = 20_000;
/** Views after which a transaction is full: a larger one holds up those that come after it for no gain. */
const maxPerFlush = 2_000;

/** Views that are counted together or not at all. */
interface Group {
  views: View[];
  /** With the indexes of the views whose day was sealed meanwhile. */
  resolve(refused: number[]): void;
  reject(error: Error): void;
}

/**
 * Gathers views and hands them to the store, one batch at a time. There is no timer: whatever arrives while a
 * batch is being committed is the next one, so that the load itself sets the size.
 */
export class Buffer {
  readonly #store: Pick<Store, 'countViews'>;
  readonly #log: Log;
  #groups: Group[] = [];
  #waiting = 0;
  #dropped = new Map<string, DroppedTally>();
  #flushing: Promise<void> | undefined;

  constructor(store: Pick<Store, 'countViews'>, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * Resolves once the views are durable, with the indexes of those that were not counted because their day was
   * sealed meanwhile. @throws ApiError `overloaded` when none of them was accepted.
   */
  add(views: View[]): Promise<number[]> {
    if (this.#waiting >= maxWaiting) {
      return Promise.reject(overloaded('The server cannot keep up: nothing was accepted, send it again.'));
    }
    this.#waiting += views.length;
    return new Promise((resolve, reject) => {
      this.#groups.push({ views, resolve, reject });
      this.#flushing ??= this.#flushAll();
    });
  }

  /** Tallies a hit that was not counted; it goes to the store with the next views, or when drained. */
  tally(projectId: string, day: Day, reason: string, hits = 1): void {
    const key = `${projectId} ${day} ${reason}`;
    const known = this.#dropped.get(key);
    if (known) known.hits += hits;
    else this.#dropped.set(key, { projectId, day, reason, hits });
  }

  /** Resolves when all that was added is settled and all that was tallied is stored. */
  async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (this.#dropped.size > 0) await this.#flush();
  }

  async #flushAll(): Promise<void> {
    // The requests of this turn of the event loop come along with the first.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#groups.length > 0) await this.#flush();
    this.#flushing = undefined;
  }

  async #flush(): Promise<void> {
    const groups = this.#takeGroups();
    const views = groups.flatMap((group) => group.views);
    const dropped = this.#dropped;
    this.#dropped = new Map();
    this.#waiting -= views.length;
    try {
      const refused = await this.#store.countViews(views, [...dropped.values()]);
      let start = 0;
      for (const group of groups) {
        const end = start + group.views.length;
        group.resolve(refused.filter((i) => i >= start && i < end).map((i) => i - start));
        start = end;
      }
    } catch (error) {
      this.#log.error('Views could not be stored, their senders were told to try again:', error);
      for (const { projectId, day, reason, hits } of dropped.values())
        this.tally(projectId, day, reason, hits);
      const failure = overloaded('The view could not be stored: nothing was accepted, send it again.', 5);
      for (const group of groups) group.reject(failure);
    }
  }

  #takeGroups(): Group[] {
    let views = 0;
    const end = this.#groups.findIndex((group) => {
      views += group.views.length;
      return views >= maxPerFlush;
    });
    return this.#groups.splice(0, end === -1 ? this.#groups.length : end + 1);
  }
}
