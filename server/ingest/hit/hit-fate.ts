import { type DropReason, dropReasonNames } from '../../../shared/drop-reasons.ts';

/** Counted as a person's or an AI client's view, dropped for a reason, or not accepted. */
export type HitFate = 'human' | 'ai' | 'overloaded' | DropReason;

export function noFates(): Record<HitFate, number> {
  const dropped = Object.fromEntries(dropReasonNames.map((reason) => [reason, 0]));
  return { human: 0, ai: 0, overloaded: 0, ...(dropped as Record<DropReason, number>) };
}
