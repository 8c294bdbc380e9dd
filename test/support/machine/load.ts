import { availableParallelism, loadavg } from 'node:os';

/**
 * So many whole milliseconds where nobody else is at work, and as much longer as others take of the machine: what has to
 * be done within a second takes four where four want each core. No bound: after a burst of processes it can be minutes.
 */
export function atThisLoad(ms: number): number {
  const [wanted = 0] = loadavg();
  return Math.ceil(ms * Math.max(1, wanted / availableParallelism()));
}

/** For what is waited for: the mean of the last minute has nothing of a burst that begins now, such as other tests. */
export const timeoutAtThisLoad = (ms: number): number => 4 * atThisLoad(ms);
