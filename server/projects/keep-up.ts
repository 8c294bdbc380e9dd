import type { Log } from '../log.ts';

/** What is held in memory of the store, and who tells that it changed. */
export interface KeptUp {
  log: Log;
  /** Answers how to stop listening. */
  onChange(listener: () => void): () => void;
  refresh(): Promise<void>;
  /** What cannot be done where a refresh fails, as a sentence that the reason follows. */
  complaint: string;
}

/** Refreshes now, and whenever something changes. Answers how to end it. */
export function keepUp({ log, onChange, refresh, complaint }: KeptUp): () => void {
  let isEnded = false;
  const refreshOnce = () =>
    void refresh().catch((error: unknown) => {
      // The store may close while it is being read, which is nobody's trouble any more.
      if (!isEnded) log.error(complaint, error);
    });
  const stopListening = onChange(refreshOnce);
  refreshOnce();
  return () => {
    isEnded = true;
    stopListening();
  };
}
