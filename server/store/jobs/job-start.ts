/** What started a job by itself, as it was called then. */
export interface Starter {
  /** Its id. */
  automation: string;
  name: string;
  kind: 'schedule' | 'trigger';
}

/** What an automation starts a job for: a time, or things; at most so many jobs within any 7 days. */
export interface Start {
  automation: string;
  keys: readonly string[];
  perWeek: number;
}

export const startsWindowMs = 7 * 24 * 60 * 60 * 1000;
