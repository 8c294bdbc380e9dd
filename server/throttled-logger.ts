import type { Log } from './log.ts';

const everyMs = 60_000;

/** Logs a failure at once, and then, while it lasts, once a minute with the number of times. */
export class ThrottledLogger {
  readonly #log: Log;
  readonly #describe: (times: number) => string;
  #times = 0;
  #reason: unknown;
  #timer: NodeJS.Timeout | undefined;

  /** @param describe makes the message, which the reason follows */
  constructor(log: Log, describe: (times: number) => string) {
    this.#log = log;
    this.#describe = describe;
  }

  add(reason: unknown, times = 1): void {
    this.#times += times;
    this.#reason = reason;
    if (this.#timer) return;
    this.#write();
    this.#timer = setInterval(() => this.#writeAgain(), everyMs).unref();
  }

  /** Logs what has not been logged yet. */
  end(): void {
    if (this.#times > 0) this.#write();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #writeAgain(): void {
    if (this.#times > 0) this.#write();
    else this.end();
  }

  #write(): void {
    this.#log.error(this.#describe(this.#times), this.#reason);
    this.#times = 0;
  }
}
