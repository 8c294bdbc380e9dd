import type { LoginAttemptStore } from './admin/login-attempts.ts';
import type { RecentStore } from './counts/recent-store.ts';
import type { RangeStore } from './range-store.ts';

/** What several servers on one database have to know of each other, and a single one knows by itself. */
export interface NodeStore {
  readonly loginAttempts: LoginAttemptStore;
  readonly recent: RecentStore;
  readonly ranges: RangeStore;
}
