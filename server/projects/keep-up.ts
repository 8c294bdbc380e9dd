import { Complaint } from '../complaint.ts';
import type { Log } from '../log.ts';

const againMs = 1_000;

/** What is held in memory of the store, and who tells that it changed. */
export interface KeptUp {
  log: Log;
  /** Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  refresh(): Promise<void>;
  /** What cannot be done where a refresh fails. */
  complaint: string;
}

/**
 * Refreshes now, and whenever something changes; again where that fails, as nobody tells of the same change twice. Answers how
 * to end it.
 */
export function keepUp({ log, onChange, refresh, complaint }: KeptUp): () => void {
  const troubles = new Complaint(log, (times) => `${complaint}${times === 1 ? '' : `, ${times} times`}:`);
  let isEnded = false;
  let again: NodeJS.Timeout | undefined;
  const refreshOnce = () => {
    clearTimeout(again);
    refresh().catch((error: unknown) => {
      // The store may close while it is being read, which is nobody's trouble any more.
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
