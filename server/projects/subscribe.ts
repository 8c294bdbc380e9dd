import type { Log } from '../log.ts';
import { ThrottledLogger } from '../throttled-logger.ts';

const againMs = 1_000;

/** A copy of stored data in memory, and the source of changes. */
export interface Subscription {
  log: Log;
  /** Returns a function that stops listening. */
  onChange(listener: () => void): () => void;
  refresh(): Promise<void>;
  /** The message to log where a refresh fails. */
  failure: string;
}

/**
 * Refreshes now, and after every change; tries again after a failure, as each change is notified once. Returns a
 * function that stops it.
 */
export function subscribe({ log, onChange, refresh, failure }: Subscription): () => void {
  const troubles = new ThrottledLogger(log, (times) => `${failure}${times === 1 ? '' : `, ${times} times`}:`);
  let isEnded = false;
  let again: NodeJS.Timeout | undefined;
  const refreshOnce = () => {
    clearTimeout(again);
    refresh().catch((error: unknown) => {
      // The store may close while it is being read, which is no error.
      if (isEnded) return;
      troubles.add(error);
      clearTimeout(again);
      again = setTimeout(refreshOnce, againMs).unref();
    });
  };
  const stopListening = onChange(refreshOnce);
  refreshOnce();
  return () => {
    isEnded = true;
    clearTimeout(again);
    stopListening();
    troubles.end();
  };
}
