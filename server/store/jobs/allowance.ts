import type { Idempotency } from '../idempotency.ts';
import { hourlyUses } from './job-store.ts';

/** Requests of which a project has `hourlyUses`. */
export type LimitedRoute = 'create' | 'message';

/** The job that an earlier request with this key led to; `reused`: that was another request. */
export function jobOfEarlier(
  earlier: { hash: string; job: number } | undefined,
  { requestHash }: Idempotency,
): number | 'reused' | undefined {
  if (!earlier) return undefined;
  return earlier.hash === requestHash ? earlier.job : 'reused';
}

/** @param blocking the use that makes the hour full; undefined: none does */
export function msUntilUse(blocking: { at: number } | undefined, now: number): number | undefined {
  return blocking && blocking.at + hourlyUses.windowMs - now;
}
