import { availableParallelism, loadavg } from 'node:os';

/**
 * So many milliseconds where nobody else is at work, and as much longer as others take of the machine: what has to be
 * done within a second takes four where four want each core.
 */
export function atThisLoad(ms: number): number {
  const [wanted = 0] = loadavg();
  return ms * Math.max(1, wanted / availableParallelism());
}
