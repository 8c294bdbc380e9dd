import type { Day } from '../../counting/calendar.ts';

/** Days before these are forgotten, as far as they are sealed; null: none. */
export interface Cutoffs {
  /** What a day was counted by: paths, sources, AI clients, …; its sums of the site stay. */
  details: Day | null;
  /** All of a day. */
  counts: Day | null;
}

/** Forgets no day, only names that nothing is counted under. */
export const noCutoffs: Cutoffs = { details: null, counts: null };

/** Of sealed days alone. With all of a day its details go. */
export function sealedCutoffs({ details, counts }: Cutoffs, sealedThrough: Day): Cutoffs {
  const bound = (day: Day | null) => (day === null ? null : Math.min(day, sealedThrough + 1));
  const all = bound(counts);
  const detailed = bound(details);
  return { counts: all, details: all === null ? detailed : Math.max(all, detailed ?? all) };
}

/** Forgets what is older than a project keeps it. The rules of `Store` hold. */
export interface RetentionStore {
  /** A step that takes a moment. Answers whether there is more to do. */
  forgetSome(projectId: string, cutoffs: Cutoffs): Promise<boolean>;
  /** After the last step: tallies, and names that nothing is counted under any more. */
  finish(projectId: string, cutoffs: Cutoffs): Promise<void>;
}
