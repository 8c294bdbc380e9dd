import { amountOf, type TallyCount } from '../counting/tally.ts';
import type { View } from '../counting/view.ts';
import { ApiError, overloaded } from '../errors.ts';
import { Histogram, secondsSince } from '../metrics/meter.ts';
import type { DroppedTally, Uncounted } from '../store/counts/counting-store.ts';
import type { CountedBatch, KeyedBatch } from '../store/counts/receipt-store.ts';
import type { Store } from '../store/store.ts';
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

/** Transactions that wait for company follow each other no faster. */
const gatherMs = 16;
/** What comes sooner than this comes from who was just answered. */
const soonMs = 2;
/** A shorter wait says nothing about whether waiting is worth it. */
const conclusiveMs = 6;
/** Of a batch so much has to come later, or waiting was in vain. */
const worthwhileShare = 0.25;
/** Waits in vain, one after the other, after which nothing waits for some time. */
const maxVain = 4;
/** Transactions that then go at once; twice as many each time that waiting is in vain again. */
const firstPause = 64;
const longestPause = 1024;

/**
 * Says how long a small transaction should wait for more views. After a while without views it never waits. Senders who
 * all wait for their answers send nothing meanwhile: where waiting brings no more views it is given up, and tried
 * again now and then, so that it does not slow down who is as fast as the answers are.
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
    if (hasWaited && this.#waitMs >= conclusiveMs) this.#judge(this.#late >= size * worthwhileShare);
    this.#recentSize = Math.max(size, this.#recentSize * 0.75);
    this.#sentAt = performance.now();
  }

  #judge(wasWorthIt: boolean): void {
    if (wasWorthIt) {
      this.#vain = 0;
      this.#pause = 0;
    } else if (this.#pause > 0 || ++this.#vain >= maxVain) {
      this.#pause = Math.min(longestPause, this.#pause * 2 || firstPause);
      this.#leftOfPause = this.#pause;
    }
  }
}

/** A hit that is not counted, of a project and day that are known. */
type TalliedDrop = Extract<Drop, { tally: object }>;

/** Adds up hits that are not counted: why, and what they add to besides. */
export class GatheredDrops {
  #dropped = new Map<string, DroppedTally>();
  readonly #tallies = new GatheredTallies();

  get isEmpty(): boolean {
    return this.#dropped.size === 0 && this.#tallies.isEmpty;
  }

  add({ dropped: reason, family, tally }: TalliedDrop): void {
    const { projectId, day } = tally;
    this.#addDropped({ projectId, day, reason, family, hits: 1 });
    this.#tallies.add(tally);
  }

  /** All that was added, which is forgotten here. */
  take(): Uncounted {
    const dropped = [...this.#dropped.values()];
    this.#dropped = new Map();
    return { dropped, tallies: this.#tallies.take() };
  }

  /** What could not be stored. */
  putBack({ dropped, tallies }: Uncounted): void {
    for (const one of dropped) this.#addDropped(one);
    for (const one of tallies) this.#tallies.addCount(one);
  }

  #addDropped(one: DroppedTally): void {
    const key = `${one.projectId} ${one.day} ${one.reason} ${one.family}`;
    const known = this.#dropped.get(key);
    if (known) known.hits += one.hits;
    else this.#dropped.set(key, { ...one });
  }
}

/** Adds up what hits add to beside views. */
export class GatheredTallies {
  #counts = new Map<string, TallyCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add({ projectId, day, tallies, bytes }: DayTallies): void {
    for (const entry of tallies) {
      this.addCount({ ...entry, projectId, day, hits: 1, amount: amountOf(entry, bytes) });
    }
  }

  addCount(one: TallyCount): void {
    const key = `${one.projectId} ${one.day} ${one.tally}\n${one.group}\n${one.name}`;
    const known = this.#counts.get(key);
    if (known) {
      known.hits += one.hits;
      known.amount += one.amount;
    } else this.#counts.set(key, { ...one });
  }

  /** All that was added, which is forgotten here. */
  take(): TallyCount[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }
}
