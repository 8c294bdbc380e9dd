import type { Checks, FailedCheck } from '../forge.ts';

/** One of the programs that look at a commit. */
export interface Check extends FailedCheck {
  state: 'running' | 'passed' | 'failed';
}

export function sumUp(all: readonly Check[]): Checks {
  const failed = all.filter(({ state }) => state === 'failed');
  const isRunning = all.some(({ state }) => state === 'running');
  if (all.length === 0) return { state: 'none', failed: [] };
  if (isRunning) return { state: 'running', failed };
  return { state: failed.length > 0 ? 'failed' : 'passed', failed };
}
