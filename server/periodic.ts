import type { Log } from './log.ts';

interface Periodic {
  /** Undefined: only what is added is done. */
  everyMs: number | undefined;
  /** Whether the first time is now. */
  isDueNow: boolean;
  log: Log;
  /** What is logged before the reason where it fails; it goes on the next time. */
  failure: string;
}

/** Does something again and again, never twice at once. What is added is done in between. */
export function periodically(
  work: () => Promise<void>,
  { everyMs, isDueNow, log, failure }: Periodic,
): { add: (work: () => Promise<void>) => void; stop: () => Promise<void> } {
  let running = Promise.resolve();
  let isStopped = false;
  const add = (work: () => Promise<void>) => {
    running = running
      .then(() => (isStopped ? undefined : work()))
      .catch((error: unknown) => log.error(failure, error));
  };
  if (isDueNow) add(work);
  const timer = everyMs === undefined ? undefined : setInterval(() => add(work), everyMs).unref();
  return {
    add,
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      return running;
    },
  };
}
