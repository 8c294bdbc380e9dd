import { keyReused } from '../http/idempotency-key.ts';
import type { DroppedHit, Receipt } from '../store/counts/receipt-store.ts';
import type { Idempotency } from '../store/idempotency.ts';
import type { Store } from '../store/store.ts';

const nothing = () => undefined;

/** Batches under a key: whatever comes again is answered as the first one was. */
export class Repetitions {
  readonly #store: Pick<Store, 'findReceipt'>;
  readonly #now: () => number;
  /** The newest request of each key, for those that come meanwhile. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(store: Pick<Store, 'findReceipt'>, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Counts the batch if nobody has yet. Another process may do so at the same time: `count` has to look again.
   *
   * @throws ApiError `invalid` where the key was used with another body, and what `count` throws
   */
  async once(
    projectId: string,
    idempotency: Idempotency,
    count: () => Promise<Receipt>,
  ): Promise<DroppedHit[]> {
    const name = `${projectId} ${idempotency.key}`;
    const before = this.#underWay.get(name);
    const counting = this.#countAfter(before, projectId, idempotency, count);
    const ended = counting.then(nothing, nothing);
    this.#underWay.set(name, ended);
    try {
      const { requestHash, dropped } = await counting;
      if (requestHash !== idempotency.requestHash) throw keyReused();
      return dropped;
    } finally {
      if (this.#underWay.get(name) === ended) this.#underWay.delete(name);
    }
  }

  async #countAfter(
    before: Promise<void> | undefined,
    projectId: string,
    { key }: Idempotency,
    count: () => Promise<Receipt>,
  ): Promise<Receipt> {
    await before;
    return (await this.#store.findReceipt(projectId, key, this.#now())) ?? count();
  }
}
