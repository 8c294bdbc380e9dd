import type { DropReason } from '../../shared/hit.ts';
import type { Day } from '../counting/calendar.ts';
import type { Page } from '../counting/page.ts';
import type { CountedKind, SeenClient } from '../counting/view.ts';
import type { Proof } from '../identity/proof/proof.ts';
import type { LiveProject } from '../projects/registry.ts';

/** How a hit reached us. */
export type Via = 'script' | 'pixel' | 'report';

/** A hit as it came in, whatever the way: parsed, and not yet judged. */
export interface Hit {
  via: Via;
  projectId: string;
  url: string;
  referrer: string | undefined;
  hashRoutes: boolean;
  /** The visitor's IP address, in its one spelling. */
  address: string;
  userAgent: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The page request's own headers, by lower-case name; known only from reports. */
  headers: Readonly<Record<string, string>> | undefined;
  method?: string | undefined;
  /** The site's script counts its people, so that this report is not for them. */
  leavesPeople?: boolean;
  /** Letters of what the tracker found in the page. */
  pageSigns?: string | undefined;
}

/** What the steps found out about a hit that none of them dropped. */
export interface JudgedHit {
  hit: Hit;
  project: LiveProject;
  page: Page;
  day: Day;
  /** When the hit happened, in milliseconds since 1970. */
  at: number;
  kind: CountedKind;
  client: SeenClient | null;
  /** What was looked up about the sender. */
  proof: Proof | undefined;
}

/** A hit that was understood but is not counted, and why. */
export interface Drop {
  dropped: DropReason;
  /** The project and day to tally it under; undefined where there is none. */
  tally?: { projectId: string; day: Day } | undefined;
  /** The sort of bot, or the AI client that was spoofed. */
  family?: string | undefined;
  /** What is wrong with a hit that could not be understood. */
  error?: string;
}
