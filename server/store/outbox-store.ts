import type { Day } from '../counting/calendar.ts';
import type { PageOfRows } from './page.ts';

export const channels = ['mail', 'webhook', 'pull_request'] as const;
export type Channel = (typeof channels)[number];

/** What is sent to one receiver. */
export interface NewDelivery {
  /** Unique everywhere: receivers know by it what they have already. */
  id: string;
  channel: Channel;
  /** The address of a mail, or of the pull request that is commented on; empty for a webhook. */
  receiver: string;
}

/** Something that a project's receivers are told, once. */
export interface Announcement {
  projectId: string;
  /** What it is about: nothing else of the same key is told of the project. */
  key: string;
  kind: string;
  title: string;
  /** JSON. */
  letter: string;
  /** Milliseconds since 1970. */
  at: number;
  deliveries: readonly NewDelivery[];
}

/** One that is due, for whoever claimed it to send. */
export interface ClaimedDelivery extends NewDelivery {
  projectId: string;
  kind: string;
  letter: string;
  /** Tries so far, this one included: whoever claims it later has a higher number. */
  attempts: number;
}

/** How a try ended. */
export interface DeliveryOutcome {
  /** Milliseconds since 1970; null: it was not sent. */
  sentAt: number | null;
  /** When it is tried again; null: never. */
  dueAt: number | null;
  /** In a sentence; null: there was none. */
  trouble: string | null;
}

/** As the owner reads of it. */
export interface LoggedDelivery extends NewDelivery, DeliveryOutcome {
  kind: string;
  title: string;
  createdAt: number;
  attempts: number;
}

/** A job that has completed or failed, and does nothing since. */
export interface FinishedJob {
  id: string;
  /** Milliseconds since 1970. */
  endedAt: number;
}

export interface DeliveryClaim {
  now: number;
  /** When somebody else may try it, unless it is settled before. */
  until: number;
  /** What is due later than this was put off by a clock that was wrong. */
  latest: number;
}

/** The wish to say something that is said once, by whoever claims it first. */
export interface AnnouncementClaim {
  projectId: string;
  /** As of an announcement. */
  key: string;
  now: number;
  /** After it somebody else may say it, as whoever claimed it may have died. */
  leaseMs: number;
}

/** What people and programs are told: digests and alerts. The rules of `Store` hold. */
export interface OutboxStore {
  /** Days up to this one are sealed; null: none is, or there is no such project. */
  sealedThrough(projectId: string): Promise<Day | null>;
  /** Since a moment, those that ended first before the others; 100 at most. */
  listFinishedJobs(projectId: string, since: number): Promise<FinishedJob[]>;
  /** Those of the keys that were told of the project. */
  findTold(projectId: string, keys: readonly string[]): Promise<string[]>;
  /** Of several at once one tells it. Answers false where it was told before, or there is no such project. */
  tell(announcement: Announcement): Promise<boolean>;
  /** For what is said at once, and not delivered. Answers false while another claim holds, or there is no such project. */
  claimAnnouncement(claim: AnnouncementClaim): Promise<boolean>;
  /** What is due first; nobody else has it until then. Null: nothing is due. */
  claimDelivery(claim: DeliveryClaim): Promise<ClaimedDelivery | null>;
  /** Nothing happens where somebody else has claimed it since. What is not tried again keeps no letter. */
  settleDelivery(id: string, attempts: number, outcome: DeliveryOutcome): Promise<void>;
  /** The newest first. */
  listDeliveries(query: {
    projectId: string;
    limit: number;
    offset: number;
  }): Promise<PageOfRows<LoggedDelivery>>;
  /** Deletes deliveries and keys from before these moments. */
  forgetTold(before: { deliveries: number; keys: number }): Promise<void>;
}
