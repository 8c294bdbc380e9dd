import { amountOf, type CounterIncrement } from '../counting/counter.ts';
import type { View } from '../counting/view.ts';
import { ApiError, damagedDatabase, overloaded } from '../errors.ts';
import type { Log } from '../log.ts';
import { Histogram, secondsSince } from '../metrics/meter.ts';
import type { DroppedCounter, Uncounted } from '../store/counts/counting-store.ts';
import type { CountedBatch, KeyedBatch } from '../store/receipts.ts';
import { isTrouble, type Store, StoreError } from '../store/store.ts';
import { ThrottledLogger } from '../throttled-logger.ts';
import type { DayCounters, Drop } from './hit/hit.ts';

/** Views that may wait for their commit; about 20 MB of them. */
export const maxWaiting = 20_000;

/**
 * Called once, when the views are durable: with the indexes of those that were not counted because their day was
 * sealed meanwhile. Or with `overloaded`, when none of them was accepted.
 */
type Settle = (refused: readonly number[] | ApiError) => void;

type CountingStore = Pick<Store, 'viewsPerBatch' | 'countViews' | 'countBatches'>;

/** Views that are counted together or not at all, or counters without a view. */
interface Group {
  views: View[];
  /** Sums that come without a view. */
  dayCounters?: DayCounters;
  size: number;
  settle: Settle;
}

/** A batch that counts once, however often it is sent. */
interface KeyedGroup {
  batch: KeyedBatch;
  /** One without a view counts as one. */
  size: number;
  settle: (counted: CountedBatch | ApiError) => void;
}

interface Batch {
  groups: Group[];
  keyed: KeyedGroup[];
  views: View[];
  uncounted: Uncounted;
  /** Of groups without views. */
  counters: CounterIncrement[];
  size: number;
}

/** Batches on their way: while one is committed the next lies ready, as answering takes as long as committing. */
const maxOnTheirWay = 2;
/** Views that make a second batch worth its own commit. */
const minBehind = 64;
/** Views that no longer wait for others: a commit costs about as much as the rest of so many hits. */
const enough = 24;

/**
 * Gathers views and hands them to the store, batch after batch. Views that arrive while batches are on their way are the
 * next one, so that the load itself sets the size; where that leaves them small, they wait for some milliseconds.
 */
export class ViewBuffer {
  readonly #store: CountingStore;
  readonly #refusals: Refusals;
  readonly #gathering = new Gathering(enough);
  #groups: Group[] = [];
  #keyed: KeyedGroup[] = [];
  /** Views and counters without an answer yet, and those that are not on their way yet. */
  #waiting = 0;
  #gathered = 0;
  readonly #drops = new Gathered();
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

  /** @param refusals gets the views that could not be stored */
  constructor(store: CountingStore, refusals: Refusals) {
    this.#store = store;
    this.#refusals = refusals;
  }

  /** Views and counters without an answer yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Callbacks, as promises cost too much for each hit (bench/README.md). */
  add(views: View[], settle: Settle): void {
    if (this.#waiting >= maxWaiting) {
      settle(tooMany());
      return;
    }
    this.#groups.push({ views, size: views.length, settle });
    this.#arrived(views.length);
  }

  /** Sums that come without a view; settled like one, once they are durable. */
  addCounters(dayCounters: DayCounters, settle: Settle): void {
    if (this.#waiting >= maxWaiting) {
      settle(tooMany());
      return;
    }
    this.#groups.push({ views: [], dayCounters, size: 1, settle });
    this.#arrived(1);
  }

  addKeyed(batch: KeyedBatch, settle: KeyedGroup['settle']): void {
    if (this.#waiting >= maxWaiting) {
      settle(tooMany());
      return;
    }
    const size = Math.max(1, batch.views.length);
    this.#keyed.push({ batch, size, settle });
    this.#arrived(size);
  }

  #arrived(views: number): void {
    this.#waiting += views;
    this.#gathered += views;
    if (this.#timer) this.#gathering.arrived(views);
    if (this.#gathered >= minBehind && this.#onTheirWay > 0) {
      if (this.#onTheirWay < maxOnTheirWay) this.#send();
    } else if (this.#onTheirWay === 0) this.#schedule();
  }

  /** Adds a dropped hit to its counters, which are stored with the next views, or when drained. */
  addDrop(drop: Extract<Drop, { dayCounters: object }>): void {
    this.#drops.drop(drop);
  }

  /** Stores counters where no views are waiting that would be stored with them. */
  storeCounters(): void {
    if (!this.#drops.isEmpty && this.#gathered === 0 && this.#onTheirWay === 0) this.#send();
  }

  /** Resolves when all that was added is settled and all counters are stored. */
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
    const { keyed, size } = batch;
    const counting = keyed.length === 0 ? [] : this.#commitKeyed(keyed);
    void Promise.all([this.#commit(batch), counting]).then(([refused, counted]) => {
      this.#onTheirWay--;
      if (size > 0) {
        this.commitSeconds.observe(secondsSince(startedAt));
        this.commitViews.observe(size);
      }
      this.#waiting -= size;
      // The next batch goes out before this one is answered.
      if (this.#gathered > 0) this.#sendNext();
      settleAll(batch, refused);
      for (const [i, { settle }] of keyed.entries()) {
        settle(counted instanceof ApiError ? counted : (counted[i] as CountedBatch));
      }
      for (const resolve of this.#arrivals.splice(0)) resolve();
    });
  }

  #sendNext(): void {
    if (this.#onTheirWay > 0) this.#send();
    else if (!this.#timer) this.#sendOrWait();
  }

  /** The next transaction: the counters, and groups up to its size. */
  #take(): Batch {
    const { viewsPerBatch } = this.#store;
    const groups = takeSome(this.#groups, viewsPerBatch);
    const keyed = takeSome(this.#keyed, viewsPerBatch);
    const views: View[] = [];
    let gathered: Gathered | undefined;
    let size = 0;
    for (const group of groups) {
      size += group.size;
      for (const view of group.views) views.push(view);
      if (!group.dayCounters) continue;
      gathered ??= new Gathered();
      gathered.add(group.dayCounters);
    }
    for (const group of keyed) size += group.size;
    this.#gathered -= size;
    return {
      groups,
      keyed,
      views,
      uncounted: this.#drops.take(),
      counters: gathered?.take().counters ?? [],
      size,
    };
  }

  /** Returns the indexes of rejected views, or the error for the senders. */
  async #commit({ views, uncounted, counters: gathered }: Batch): Promise<number[] | ApiError> {
    const { dropped } = uncounted;
    const counters = [...uncounted.counters, ...gathered];
    if (views.length === 0 && dropped.length === 0 && counters.length === 0) return [];
    try {
      const refused = await this.#store.countViews(views, dropped, counters);
      this.#refusals.stored();
      return refused;
    } catch (error) {
      this.#drops.putBack(uncounted);
      return this.#logFailure(error, views.length);
    }
  }

  async #commitKeyed(keyed: readonly KeyedGroup[]): Promise<CountedBatch[] | ApiError> {
    try {
      const counted = await this.#store.countBatches(keyed.map(({ batch }) => batch));
      this.#refusals.stored();
      return counted;
    } catch (error) {
      return this.#logFailure(
        error,
        keyed.reduce((sum, { batch }) => sum + batch.views.length, 0),
      );
    }
  }

  #logFailure(error: unknown, views: number): ApiError {
    this.#refusals.add(error, views);
    return notStored(error);
  }
}

function tooMany(): ApiError {
  return overloaded('The server is overloaded. The hit was not stored; retry later.');
}

/** Takes the first of a queue, as many as make up so many views. */
function takeSome<Item extends { size: number }>(queue: Item[], views: number): Item[] {
  let size = 0;
  let end = 0;
  while (end < queue.length && size < views) size += (queue[end++] as Item).size;
  return queue.splice(0, end);
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

/** The least time between transactions that wait for more views. */
const gatherMs = 16;
/** Views that come sooner are from senders that were just answered. */
const soonMs = 2;
/** A shorter wait says nothing about whether waiting is worth it. */
const conclusiveMs = 6;
/** The share of a batch that has to come later, or waiting was in vain. */
const worthwhileShare = 0.25;
/** Waits in vain, one after the other, after which nothing waits for some time. */
const maxVain = 4;
/** Transactions that then go at once; twice as many each time that waiting is in vain again. */
const firstPause = 64;
const longestPause = 1024;

/**
 * Says how long a small transaction should wait for more views. After a while without views it never waits. Senders who
 * all wait for their answers send nothing meanwhile: where waiting brings no more views it is given up, and tried
 * again now and then, so that it does not slow down senders that are as fast as the answers.
 */
export class Gathering {
  readonly #fullSize: number;
  #sentAt = Number.NEGATIVE_INFINITY;
  /** Of the largest transaction of late, less a quarter for each that came after it. */
  #recentSize = 0;
  #begunAt = Number.POSITIVE_INFINITY;
  #waitMs = 0;
  #late = 0;
  #vain = 0;
  #pause = 0;
  #leftOfPause = 0;

  /** @param fullSize of a transaction after which none needs to wait */
  constructor(fullSize: number) {
    this.#fullSize = fullSize;
  }

  /** Milliseconds for which the next transaction should wait; 0: it should go at once. */
  begin(): number {
    const now = performance.now();
    const rest = this.#sentAt + gatherMs - now;
    if (this.#recentSize >= this.#fullSize || this.#leftOfPause > 0 || rest <= 0) return 0;
    this.#begunAt = now;
    this.#waitMs = rest;
    this.#late = 0;
    return rest;
  }

  /** While a transaction waits. */
  arrived(views: number): void {
    if (performance.now() - this.#begunAt > soonMs) this.#late += views;
  }

  /** A transaction goes; @param hasWaited for as long as it should. */
  sent(size: number, hasWaited: boolean): void {
    if (this.#leftOfPause > 0) this.#leftOfPause--;
    if (hasWaited && this.#waitMs >= conclusiveMs) this.#adapt(this.#late >= size * worthwhileShare);
    this.#recentSize = Math.max(size, this.#recentSize * 0.75);
    this.#sentAt = performance.now();
  }

  #adapt(wasWorthIt: boolean): void {
    if (wasWorthIt) {
      this.#vain = 0;
      this.#pause = 0;
    } else if (this.#pause > 0 || ++this.#vain >= maxVain) {
      this.#pause = Math.min(longestPause, this.#pause * 2 || firstPause);
      this.#leftOfPause = this.#pause;
    }
  }
}

/** Adds up the counters of hits, and dropped hits by reason. */
export class Gathered {
  readonly #dropped = new Map<string, DroppedCounter>();
  readonly #counters = new Map<string, CounterIncrement>();

  get isEmpty(): boolean {
    return this.#dropped.size === 0 && this.#counters.size === 0;
  }

  drop({ dropped: reason, family, dayCounters }: Extract<Drop, { dayCounters: object }>): void {
    const { projectId, day } = dayCounters;
    this.#addDropped({ projectId, day, reason, family, hits: 1 });
    this.add(dayCounters);
  }

  add({ projectId, day, counters, bytes }: DayCounters): void {
    for (const entry of counters) {
      this.#addCount({ ...entry, projectId, day, hits: 1, amount: amountOf(entry, bytes) });
    }
  }

  /** Returns all that was added, and clears it. */
  take(): Uncounted {
    const taken = { dropped: [...this.#dropped.values()], counters: [...this.#counters.values()] };
    this.#dropped.clear();
    this.#counters.clear();
    return taken;
  }

  /** Puts back entries that could not be stored. */
  putBack({ dropped, counters }: Uncounted): void {
    for (const one of dropped) this.#addDropped(one);
    for (const one of counters) this.#addCount(one);
  }

  #addDropped(one: DroppedCounter): void {
    const key = `${one.projectId} ${one.day} ${one.reason} ${one.family}`;
    const known = this.#dropped.get(key);
    if (known) known.hits += one.hits;
    else this.#dropped.set(key, { ...one });
  }

  #addCount(one: CounterIncrement): void {
    const key = `${one.projectId} ${one.day} ${one.counter}\n${one.group}\n${one.name}`;
    const known = this.#counters.get(key);
    if (known) {
      known.hits += one.hits;
      known.amount += one.amount;
    } else this.#counters.set(key, { ...one });
  }
}

/** Hits could not be stored, as the database could not write. */
export interface Unstored {
  error: StoreError;
  /** Of the newest failure, by `performance.now()`. */
  at: number;
  /** Whether something was stored after it. */
  isOver: boolean;
}

/** Hits that could not be stored: for the log, and for the readiness of the server. */
export class Refusals {
  readonly #failureLog: ThrottledLogger;
  #unstored: Unstored | undefined;

  constructor(log: Log, describe: (times: number) => string) {
    this.#failureLog = new ThrottledLogger(log, describe);
  }

  get unstored(): Readonly<Unstored> | undefined {
    return this.#unstored;
  }

  add(reason: unknown, times: number): void {
    if (reason instanceof StoreError && isTrouble(reason)) {
      this.#unstored = { error: reason, at: performance.now(), isOver: false };
    }
    this.#failureLog.add(reason, times);
  }

  /** Hits were stored. */
  stored(): void {
    if (this.#unstored) this.#unstored.isOver = true;
  }

  /** As much as a batch could be written after that failure. */
  settle(unstored: Unstored): void {
    if (this.#unstored === unstored) this.#unstored = undefined;
  }

  end(): void {
    this.#failureLog.end();
  }
}

/** For hits that were not committed; the log has the cause. */
export function notStored(error: unknown): ApiError {
  const isDamaged = error instanceof StoreError && error.code === 'damaged';
  return isDamaged
    ? damagedDatabase()
    : overloaded('Storage is not writable (disk full?). The hit was not stored; retry later.', 5);
}
