import type { Year } from './reports/year.ts';

/** What every part of the bench is handed. */
export interface Bench {
  /** A folder of its own for everything it writes, removed at the end. */
  folder: string;
  /** Ends all processes when the bench has had its time or is interrupted. */
  signal: AbortSignal;
  generator: 'wrk' | 'autocannon';
  /** Says what is being done, while it is done. */
  log(line: string): void;
  /** A year of counts, made when it is first asked for. */
  year(): Promise<Year>;
}

/** A line of the table. */
export interface Finding {
  what: string;
  value: string;
  /** Where there is a target to meet. */
  target?: { text: string; met: boolean };
}

/** As many as the target names. */
export const connections = 512;

export function atLeast(value: number, limit: number): NonNullable<Finding['target']> {
  return { text: `at least ${limit}`, met: value >= limit };
}

export function atMost(value: number, limit: number, unit = ''): NonNullable<Finding['target']> {
  return { text: `at most ${limit}${unit}`, met: value <= limit };
}
