import type { Log } from './log.ts';

const everyMs = 60_000;

/** Says at once that something goes wrong, and then, while it lasts, once a minute how often. */
export class Complaint {
  readonly #log: Log;
  readonly #describe: (times: number) => string;
  #times = 0;
  #reason: unknown;
  #timer: NodeJS.Timeout | undefined;

  /** @param describe what happened so many times, as a sentence that the reason follows */
  constructor(log: Log, describe: (times: number) => string) {
    this.#log = log;
    this.#describe = describe;
  }

  add(reason: unknown, times = 1): void {
    this.#times += times;
    this.#reason = reason;
    if (this.#timer) return;
    this.#say();
    this.#timer = setInterval(() => this.#sayMore(), everyMs).unref();
  }

  /** Says what has not been said yet. */
  end(): void {
    if (this.#times > 0) this.#say();
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sayMore(): void {
    if (this.#times > 0) this.#say();
    else this.end();
  }

  #say(): void {
    this.#log.error(this.#describe(this.#times), this.#reason);
    this.#times = 0;
  }
}
