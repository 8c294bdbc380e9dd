import type { Day } from '../../counting/calendar.ts';

export interface RangeQuery {
  projectId: string;
  /** First day, inclusive; null: from the beginning. */
  from: Day | null;
  /** Last day, exclusive; null: to the end. */
  to: Day | null;
  limit: number;
  offset: number;
}
