import { Complaint } from '../../../complaint.ts';
import type { Log } from '../../../log.ts';
import { StoreError } from '../../store.ts';

interface ChoreOptions {
  everyMs: number;
  work: () => Promise<void>;
  /** What could not be done where it fails, as a sentence begins. */
  failure: string;
  log: Log | undefined;
}

/** Work that a server does from time to time, never twice at once, and again where it failed. */
export class Chore {
  readonly #work: () => Promise<void>;
  readonly #complaint: Complaint | undefined;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor({ everyMs, work, failure, log }: ChoreOptions) {
    this.#work = work;
    this.#complaint = log && new Complaint(log, (times) => describe(failure, times));
    this.#timer = setInterval(() => this.start(), everyMs).unref();
  }

  start(): void {
    this.#running ??= this.#work()
      .catch((error: unknown) => this.#complain(error))
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    this.#complaint?.end();
  }

  #complain(error: unknown): void {
    // A database that cannot be used is told of for all that it keeps from working.
    if (!(error instanceof StoreError)) this.#complaint?.add(error);
  }
}

function describe(failure: string, times: number): string {
  return times === 1 ? `${failure}, which is tried again:` : `${failure}, tried ${times} times more:`;
}
