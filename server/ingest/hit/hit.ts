import type { TalliedReason } from '../../../shared/hit.ts';
import type { DimensionFrom } from '../../../shared/reports/dimensions.ts';
import type { VisibleSeconds } from '../../../shared/visible-time.ts';
import type { Day } from '../../counting/calendar.ts';
import type { TellsEvent } from '../../counting/event.ts';
import type { Page } from '../../counting/page/page.ts';
import type { TallySet } from '../../counting/tally.ts';
import type { CountedKind, SeenClient } from '../../counting/view.ts';
import type { NetworkHint } from '../../identity/networks/network-hint.ts';
import type { DetailedFindings } from '../../identity/proof/proof.ts';
import type { LiveProject } from '../../projects/registry.ts';

/** How a hit reached us. */
export type Via = 'script' | 'pixel' | 'report';

/** A hit as it came in, whatever the way: parsed, and not yet judged. */
export interface Hit extends Partial<Record<DimensionFrom<'page'>, string | null>> {
  via: Via;
  projectId: string;
  url: string;
  referrer: string | undefined;
  hashRoutes: boolean;
  /** The visitor's IP address, in its one spelling. */
  address: string;
  userAgent: string;
  language: string | null;
  /** Milliseconds since 1970. */
  at: number;
  /** The page request's own headers, by lower-case name; known only from reports. */
  headers: Readonly<Record<string, string>> | undefined;
  method?: string | undefined;
  /** How it was answered, as far as a report tells: status, media type, and bytes of the body. */
  status?: number | undefined;
  type?: string | undefined;
  bytes?: number | undefined;
  /** The site's script counts its people, so that this report is not for them. */
  leavesPeople?: boolean;
  /** Which passage of the page a link was to, as a fragment directive; known only from the tracker. */
  directive?: string | undefined;
  /** Letters of what the tracker found in the page. */
  pageSigns?: string | undefined;
  /** The browser asked for the image while it prepared the page for a visit that may never come. */
  isAhead?: boolean;
  /** What happened on the page; left out: it was viewed. */
  event?: TellsEvent | undefined;
  /** How long the page has been seen since it was viewed; left out: it is viewed now. */
  seenFor?: VisibleSeconds | undefined;
}

/** What was found out about a hit that no rule dropped. */
export interface JudgedHit {
  hit: Hit;
  project: LiveProject;
  page: Page;
  /** The path that was asked for, where the page's is that of another, which it stands for. */
  asked: string;
  day: Day;
  /** Of the day, from `00` to `23`. */
  hour: string;
  /** When the hit happened, in milliseconds since 1970. */
  at: number;
  kind: CountedKind;
  client: SeenClient | null;
  /** Whose network an AI client came from that nothing proved; undefined where that is not looked at. */
  network: NetworkHint | undefined;
  /** The site's robots.txt asks the AI client not to read this. */
  isDisallowed: boolean;
  /** What was looked up about the sender. */
  findings: DetailedFindings | undefined;
}

/** A hit that cannot be understood. */
export interface InvalidHit {
  dropped: 'invalid';
  error: string;
}

/** What a hit adds to that is no view, or none that counts, with how many bytes were sent. */
export interface DayTallies {
  projectId: string;
  day: Day;
  tallies: TallySet;
  bytes: number;
}

/** A hit that is not counted, and why. Where its project and day are known, it is tallied. */
export type Drop =
  | { dropped: 'unknown_project' }
  /** How long a program has a page open says nothing. */
  | { dropped: 'not_a_person' }
  | InvalidHit
  | {
      dropped: TalliedReason;
      /** The sort of bot, or the AI client that was spoofed; empty for other reasons. */
      family: string;
      tally: DayTallies;
    };
