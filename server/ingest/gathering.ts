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
