import type { Day } from '../counting/calendar.ts';

/** Days before these are forgotten, as far as they are sealed; null: none. */
export interface Cutoffs {
  /** What a day was counted by: paths, sources, AI clients, …; its sums of the site stay. */
  details: Day | null;
  /** All of a day. */
  counts: Day | null;
}

/** Forgets what is older than a project keeps it. The rules of `Store` hold. */
export interface RetentionStore {
  /** A step that takes a moment. Answers whether there is more to do. */
  forgetSome(projectId: string, cutoffs: Cutoffs): Promise<boolean>;
  /** After the last step: tallies, and names that nothing is counted under any more. */
  finish(projectId: string, cutoffs: Cutoffs): Promise<void>;
}
