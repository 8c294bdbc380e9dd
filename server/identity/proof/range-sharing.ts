import { randomUUID } from 'node:crypto';
import type { RangeStore } from '../../store/nodes.ts';
import type { Feed } from './feeds.ts';
import { parseCopy, type RangeCopy, writeCopy } from './range-copy.ts';
import type { RangeBook } from './ranges.ts';

const takeMs = 10 * 60_000;

interface Parts {
  store: RangeStore;
  feeds: readonly Feed[];
  book: RangeBook;
  /** Where copies are kept for the next start. */
  folder: string;
  log: { warn(message: string): void };
}

/** Lists of addresses among nodes: one fetches, and the others take its copies. */
export class RangeSharing {
  readonly #parts: Parts;
  readonly #node = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes what there is, now and every ten minutes. */
  start(): void {
    const take = () => {
      this.#taking = this.#taking.then(() => this.take());
    };
    take();
    this.#timer = setInterval(take, takeMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#taking;
  }

  /** Stores copies that are newer than those here. */
  async take(): Promise<void> {
    const { store, feeds } = this.#parts;
    try {
      for (const { feed, text } of await store.readCopies()) {
        // A node of another version may know others.
        if (feeds.some(({ id }) => id === feed)) this.#put(feed, text);
      }
    } catch (error) {
      this.#warn('Lists of addresses that other nodes fetched could not be read', error);
    }
  }

  /** For the others. What cannot be shared is of use here all the same. */
  async keep(feed: string, copy: RangeCopy): Promise<void> {
    try {
      await this.#parts.store.keepCopy({ feed, asOf: Date.parse(copy.asOf), text: JSON.stringify(copy) });
    } catch (error) {
      this.#warn(`The list of addresses "${feed}" could not be shared with other nodes`, error);
    }
  }

  /** Does it unless another node is doing it; returns whether it did. */
  async alone(work: () => Promise<void>): Promise<boolean> {
    const { store } = this.#parts;
    try {
      if (!(await store.claimRefresh(this.#node))) return false;
      await work();
      await store.endRefresh(this.#node);
      return true;
    } catch (error) {
      this.#warn('Lists of addresses could not be fetched for all nodes', error);
      return false;
    }
  }

  #put(feed: string, text: string): void {
    const { book, folder } = this.#parts;
    try {
      const copy = parseCopy(text);
      const held = book.find(feed);
      if (held?.asOf === copy.asOf && held.shrunkenSince === copy.shrunkenSince) return;
      book.put(feed, copy);
      if (book.find(feed) === copy) writeCopy(folder, feed, copy);
    } catch (error) {
      this.#warn(`The list of addresses "${feed}" of another node cannot be used`, error);
    }
  }

  #warn(what: string, error: unknown): void {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    this.#parts.log.warn(`${what}: ${reason}`);
  }
}
