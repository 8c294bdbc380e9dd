import type { TallyCount } from '../counting/tally.ts';
import type { View } from '../counting/view.ts';
import { ApiError, overloaded } from '../errors.ts';
import { Histogram, secondsSince } from '../metrics/meter.ts';
import type { Uncounted } from '../store/counts/counting-store.ts';
import type { CountedBatch, KeyedBatch } from '../store/counts/receipt-store.ts';
import type { Store } from '../store/store.ts';
import { GatheredDrops } from './gathered-drops.ts';
import { GatheredTallies } from './gathered-tallies.ts';
import { Gathering } from './gathering.ts';
import type { DayTallies, Drop } from './hit/hit.ts';
import { notStored, type Refusals } from './refusals.ts';

/** Views that may wait for their commit; about 20 MB of them. */
export const maxWaiting = 20_000;

/**
 * Called once, when the views are durable: with the indexes of those that were not counted because their day was
 * sealed meanwhile. Or with `overloaded`, when none of them was accepted.
 */
type Settle = (refused: readonly number[] | ApiError) => void;

type CountingStore = Pick<Store, 'viewsPerBatch' | 'countViews' | 'countBatches'>;

/** Views that are counted together or not at all, or what is no view. */
interface Group {
  views: View[];
  /** Sums that come without a view. */
  tallied?: DayTallies;
  settle: Settle;
}

/** A batch that counts once, however often it is sent. */
interface KeyedGroup {
  batch: KeyedBatch;
  settle: (counted: CountedBatch | ApiError) => void;
}

interface Batch {
  groups: Group[];
  keyed: KeyedGroup[];
  views: View[];
  uncounted: Uncounted;
  /** Of groups without views. */
  tallies: TallyCount[];
  size: number;
}

/** Batches on their way: while one is committed the next lies ready, as answering takes as long as committing. */
const maxOnTheirWay = 2;
/** Views that make a second batch worth its own commit. */
const minBehind = 64;
/** Views that no longer wait for others: a commit costs about as much as the rest of so many hits. */
const enough = 24;

/**
 * Gathers views and hands them to the store, batch after batch. Whatever arrives while batches are on their way is the
 * next one, so that the load itself sets the size; where that leaves them small, they wait for some milliseconds.
 */
export class ViewBuffer {
  readonly #store: CountingStore;
  readonly #refusals: Refusals;
  readonly #gathering = new Gathering(enough);
  #groups: Group[] = [];
  #keyed: KeyedGroup[] = [];
  /** Views and what else has no answer yet, and those of them that are not on their way yet. */
  #waiting = 0;
  #gathered = 0;
  readonly #drops = new GatheredDrops();
  /** A number, not a set of promises: see the calls of `Thread` for why. */
  #onTheirWay = 0;
  #arrivals: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isScheduled = false;
  /** Of each transaction with views. */
  readonly commitSeconds = new Histogram([
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
  ]);
  readonly commitViews = new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256, 1024]);

  /** @param refusals is told of views that could not be stored */
  constructor(store: CountingStore, refusals: Refusals) {
    this.#store = store;
    this.#refusals = refusals;
  }

  /** Views and what else has no answer yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Callbacks, as a hit is too small a thing to bear the cost of promises (bench/README.md). */
  add(views: View[], settle: Settle): void {
    if (this.#isFull(settle)) return;
    this.#groups.push({ views, settle });
    this.#arrived(views.length);
  }

  /** Sums that come without a view; settled like one, once they are durable. */
  addTallied(tallied: DayTallies, settle: Settle): void {
    if (this.#isFull(settle)) return;
    this.#groups.push({ views: [], tallied, settle });
    this.#arrived(1);
  }

  addKeyed(batch: KeyedBatch, settle: KeyedGroup['settle']): void {
    if (this.#isFull(settle)) return;
    this.#keyed.push({ batch, settle });
    this.#arrived(sizeOf(batch));
  }

  #isFull(settle: (refusal: ApiError) => void): boolean {
    if (this.#waiting < maxWaiting) return false;
    settle(overloaded('The server is overloaded. The hit was not stored; retry later.'));
    return true;
  }

  #arrived(views: number): void {
    this.#waiting += views;
    this.#gathered += views;
    if (this.#timer) this.#gathering.arrived(views);
    if (this.#gathered >= minBehind && this.#onTheirWay > 0) {
      if (this.#onTheirWay < maxOnTheirWay) this.#send();
    } else if (this.#onTheirWay === 0) this.#schedule();
  }

  /** Tallies a hit that was not counted; it goes to the store with the next views, or when drained. */
  tally(drop: Extract<Drop, { tally: object }>): void {
    this.#drops.add(drop);
  }

  /** Stores what was tallied, where no views that would take it along are waiting. */
  storeTallies(): void {
    if (!this.#drops.isEmpty && this.#gathered === 0 && this.#onTheirWay === 0) this.#send();
  }

  /** Resolves when all that was added is settled and all that was tallied is stored. */
  async drain(): Promise<void> {
    if (this.#gathered > 0 || !this.#drops.isEmpty) this.#send();
    while (this.#onTheirWay > 0) {
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
      if (this.#onTheirWay === 0 && this.#gathered > 0) this.#send();
    }
  }

  /** The requests of this turn of the event loop come along with the first. */
  #schedule(): void {
    if (this.#isScheduled) return;
    if (this.#timer && this.#gathered < enough) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#gathered > 0 && this.#onTheirWay === 0) this.#sendOrWait();
    });
  }

  #sendOrWait(): void {
    const waitMs = this.#gathered < enough && !this.#timer ? this.#gathering.begin() : 0;
    if (waitMs === 0) this.#send();
    else this.#timer = setTimeout(() => this.#send(true), waitMs);
  }

  #send(hasWaited = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#take();
    this.#gathering.sent(batch.size, hasWaited);
    this.#onTheirWay++;
    const startedAt = performance.now();
    void Promise.all([this.#commit(batch), this.#commitKeyed(batch)]).then(([refused, counted]) => {
      this.#onTheirWay--;
      this.#note(batch, startedAt);
      this.#waiting -= batch.size;
      // The next batch goes out before this one is answered.
      if (this.#gathered > 0) this.#sendNext();
      settleAll(batch, refused);
      for (const [i, { settle }] of batch.keyed.entries()) {
        settle(counted instanceof ApiError ? counted : (counted[i] as CountedBatch));
      }
      for (const resolve of this.#arrivals.splice(0)) resolve();
    });
  }

  #note({ size }: Batch, startedAt: number): void {
    if (size === 0) return;
    this.commitSeconds.observe(secondsSince(startedAt));
    this.commitViews.observe(size);
  }

  #sendNext(): void {
    if (this.#onTheirWay > 0) this.#send();
    else if (!this.#timer) this.#sendOrWait();
  }

  /** What the next transaction holds: the tallies, and groups up to its size. */
  #take(): Batch {
    const groups = takeSome(this.#groups, this.#store.viewsPerBatch, sizeOfGroup);
    const keyed = takeSome(this.#keyed, this.#store.viewsPerBatch, ({ batch }) => sizeOf(batch));
    const views = groups.flatMap((group) => group.views);
    const size = keyed.reduce(
      (sum, { batch }) => sum + sizeOf(batch),
      groups.reduce((sum, group) => sum + sizeOfGroup(group), 0),
    );
    this.#gathered -= size;
    return { groups, keyed, views, uncounted: this.#drops.take(), tallies: talliesOf(groups), size };
  }

  /** Answers the indexes of refused views, or the error that the senders are told. */
  async #commit({ views, uncounted, tallies: told }: Batch): Promise<number[] | ApiError> {
    const { dropped } = uncounted;
    const tallies = [...uncounted.tallies, ...told];
    if (views.length === 0 && dropped.length === 0 && tallies.length === 0) return [];
    try {
      const refused = await this.#store.countViews(views, dropped, tallies);
      this.#refusals.stored();
      return refused;
    } catch (error) {
      this.#drops.putBack(uncounted);
      return this.#complain(error, views.length);
    }
  }

  async #commitKeyed({ keyed }: Batch): Promise<CountedBatch[] | ApiError> {
    if (keyed.length === 0) return [];
    try {
      const counted = await this.#store.countBatches(keyed.map(({ batch }) => batch));
      this.#refusals.stored();
      return counted;
    } catch (error) {
      return this.#complain(
        error,
        keyed.reduce((sum, { batch }) => sum + batch.views.length, 0),
      );
    }
  }

  #complain(error: unknown, views: number): ApiError {
    this.#refusals.add(error, views);
    return notStored(error);
  }
}

/** One without a view is work too. */
function sizeOf({ views }: KeyedBatch): number {
  return Math.max(1, views.length);
}

function sizeOfGroup({ views, tallied }: Group): number {
  return tallied ? 1 : views.length;
}

function talliesOf(groups: readonly Group[]): TallyCount[] {
  const gathered = new GatheredTallies();
  for (const { tallied } of groups) if (tallied) gathered.add(tallied);
  return gathered.take();
}

/** Takes the first of a queue, as many as make up so many views. */
function takeSome<Item>(queue: Item[], views: number, sizeOf: (item: Item) => number): Item[] {
  let size = 0;
  const end = queue.findIndex((item) => {
    size += sizeOf(item);
    return size >= views;
  });
  return queue.splice(0, end === -1 ? queue.length : end + 1);
}

function settleAll({ groups }: Batch, outcome: number[] | ApiError): void {
  let start = 0;
  for (const { views, settle } of groups) {
    const first = start;
    start += views.length;
    if (outcome instanceof ApiError || outcome.length === 0) settle(outcome);
    else settle(outcome.filter((i) => i >= first && i < start).map((i) => i - first));
  }
}
