import type { Occasion } from '../../../../shared/jobs/automation.ts';
import type { JobCause, Search } from './job-cause.ts';
import { findMissingPages } from './missing-page.ts';
import { findRelease } from './release.ts';
import { findUnreadPages } from './unread-page.ts';

/** What waits for something to happen. */
export type Trigger = Exclude<Occasion, { kind: 'weekly' | 'monthly' }>;

/** What has happened that no job was started for yet. Undefined: nothing. */
export async function findTrigger({ when, ...search }: Search<Trigger>): Promise<JobCause | undefined> {
  switch (when.kind) {
    case 'missing_page':
      return findMissingPages({ ...search, when });
    case 'unread_page':
      return findUnreadPages({ ...search, when });
    case 'release':
      return findRelease({ ...search, when });
    default:
      return when satisfies never;
  }
}
