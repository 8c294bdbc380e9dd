import { Complaint } from '../complaint.ts';
import { type ApiError, damagedDatabase, overloaded } from '../errors.ts';
import type { Log } from '../log.ts';
import { isTrouble, StoreError } from '../store/store.ts';

/** That hits could not be stored, as the machine did not let the database work. */
export interface Unstored {
  error: StoreError;
  /** Of the newest failure, by `performance.now()`. */
  at: number;
  /** Whether something was stored after it. */
  isOver: boolean;
}

/** Hits that could not be stored: for the log, and for the readiness of the server. */
export class Refusals {
  readonly #complaint: Complaint;
  #unstored: Unstored | undefined;

  constructor(log: Log, describe: (times: number) => string) {
    this.#complaint = new Complaint(log, describe);
  }

  get unstored(): Readonly<Unstored> | undefined {
    return this.#unstored;
  }

  add(reason: unknown, times: number): void {
    if (reason instanceof StoreError && isTrouble(reason)) {
      this.#unstored = { error: reason, at: performance.now(), isOver: false };
    }
    this.#complaint.add(reason, times);
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
    this.#complaint.end();
  }
}

/** For hits that were not committed; the log has the cause. */
export function notStored(error: unknown): ApiError {
  const isDamaged = error instanceof StoreError && error.code === 'damaged';
  return isDamaged
    ? damagedDatabase()
    : overloaded('Storage is not writable (disk full?). The hit was not stored; retry later.', 5);
}
