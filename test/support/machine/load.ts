import { availableParallelism, loadavg } from 'node:os';

/** The mean of the last minute has nothing of those that begin now, such as the tests beside. */
const atOnce = 4;

/**
 * As long as so many whole milliseconds of an idle machine take where four, or as many as did of late, want each core.
 * No bound: after a burst of processes it can be minutes.
 */
export function atThisLoad(ms: number): number {
  const [wanted = 0] = loadavg();
  return Math.ceil(ms * Math.max(atOnce, wanted / availableParallelism()));
}
