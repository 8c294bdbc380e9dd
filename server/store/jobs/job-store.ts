import type { Idempotency } from '../idempotency.ts';
import type { Job, JobStatus } from './job.ts';
import type { CommentMessage, CommentOutcome, CommentState } from './job-comment.ts';
import type { JobEvent, NewEvent } from './job-event.ts';
import type { JobImage, NewImage } from './job-image.ts';
import type { Start } from './job-start.ts';
import type { ClaimLimits, Lease, RecordedPhase, TurnOrigin, TurnOutcome, TurnRecord } from './job-turn.ts';
import type { Usage } from './usage.ts';

/**
 * How often a project may create jobs, and as often again send messages, in any stretch of time of that length. Never more
 * are accepted, however many requests come at once and wherever.
 */
export const hourlyUses = { limit: 100, windowMs: 60 * 60 * 1000 } as const;

/** Of a project, the jobs that are looked through for whose a pull request is: what is older is left alone. */
export const newestJobs = { status: null, limit: 100, offset: 0 } as const;

/** Answer of a request that spends the limit of an hour. */
export type Accepted =
  | { kind: 'accepted' | 'repeated'; job: Job }
  | { kind: 'limited'; retryAfterMs: number; limit: number; windowMs: number }
  | { kind: 'key_reused' }
  | { kind: 'spent' }
  | { kind: 'archived' }
  | { kind: 'not_found' };

/** `taken`: a job was started for one of the keys, or the automation is off or gone; `full`: so many were this week. */
export type Started = Accepted | { kind: 'taken' } | { kind: 'full' };

/** How many there are. */
export interface JobTotals {
  jobs: Record<JobStatus, number>;
  /** Those that are not settled. */
  turns: { waiting: number; running: number };
}

export interface NewJob extends Pick<Job, 'id' | 'projectId' | 'repository' | 'ref' | 'model'>, TurnOrigin {
  prompt: string;
  reverts?: string;
}

/** One that takes back a merged pull request. */
export type RevertingJob = NewJob & { reverts: string; record: TurnRecord };

/** A comment at a pull request of a job. */
export interface CommentKey {
  jobId: string;
  key: string;
}

/** `known`: something was made of the comment before. */
export type Reverted = Accepted | { kind: 'known' };

/**
 * What happened to a job: a turn waits in it (`queued`), its transcript grew (`written`), nobody works on it any more, and
 * so there may be room for another (`ended`), or the work on it shall stop (`archived`).
 */
export interface JobNews {
  kind: 'queued' | 'written' | 'ended' | 'archived';
  jobId: string;
}

/**
 * Jobs, their turns and transcripts. As in `Store`, each method is a whole unit of work. A method that takes a lease
 * answers false, and changes nothing, when the lease has gone to somebody else or the job is archived.
 *
 * What time it is, the store knows: leases, pauses and hours hold for all that share it, whose clocks differ. So nobody
 * hands in a moment, only how long something lasts.
 */
export interface JobStore {
  /**
   * Creates job, first turn and first event (`message`), and spends one of the project's `hourlyUses`, in one
   * transaction. A repeated request is answered with the job as it is now, and spends nothing; so does a refused one. Of
   * requests with one key that come at once, one creates the job and the others repeat it.
   * @param isSpent the project's budget is spent: only what was accepted before is answered
   */
  createJob(job: NewJob, idempotency: Idempotency | null, isSpent?: boolean): Promise<Accepted>;
  /** Creates it as `createJob` does, and notes what for, in one transaction: of several that start it at once one does. */
  startJob(job: NewJob, start: Start): Promise<Started>;
  /**
   * Queues one more turn, with its event; the job is active again, and turns that are to be resumed go before it. The same
   * limit, counted apart.
   */
  addMessage(
    projectId: string,
    jobId: string,
    prompt: string,
    idempotency: Idempotency | null,
    isSpent?: boolean,
    images?: readonly NewImage[],
  ): Promise<Accepted>;
  /**
   * Queues a comment as `addMessage` does, once for each key; where the hour or the budget does not allow it, that is noted in
   * its place.
   */
  hearComment(
    projectId: string,
    jobId: string,
    comment: CommentMessage,
    isSpent: boolean,
  ): Promise<CommentOutcome>;
  /**
   * Has a merged pull request taken back, by a new job, or by the one that is there for it and not archived: of several at
   * once one is made. Where that rests, it tries again, as `addMessage` does; while it is at work, only a comment makes it look
   * once more. Null: it was asked for elsewhere than in a comment.
   */
  revertMerge(job: RevertingJob, comment: CommentKey | null): Promise<Reverted>;
  /** Notes what else was made of a comment, over what was. */
  noteComment(
    projectId: string,
    jobId: string,
    key: string,
    state: Exclude<CommentState, 'heard'>,
  ): Promise<void>;
  /** What was made of the comments at a job's pull requests, by their keys. */
  readComments(projectId: string, jobId: string): Promise<Record<string, CommentState>>;
  findJob(projectId: string, jobId: string): Promise<Job | null>;
  /** Newest first. */
  listJobs(query: {
    projectId: string;
    status: JobStatus | null;
    limit: number;
    offset: number;
  }): Promise<{ jobs: Job[]; hasMore: boolean }>;
  /** Final and idempotent; a turn at work loses its lease, waiting ones are dropped. Null: no such job. */
  archiveJob(projectId: string, jobId: string): Promise<Job | null>;
  /** What the turns cost that a project was asked for since then (milliseconds since 1970), in millionths of a dollar. */
  readCost(projectId: string, since: number): Promise<number>;
  /** Archives completed and failed jobs without a message or an end of a turn for so long; answers how many. */
  archiveIdleJobs(idleMs: number): Promise<number>;

  /**
   * Takes the oldest due turn of the project that was handed none for the longest: queued and due, or its lease has run
   * out; no earlier unsettled turn in its job; limits kept. Raises its fence and counts the attempt; the phase that an
   * earlier attempt reached stays. Null: nothing to do.
   */
  claimTurn(limits: ClaimLimits): Promise<Lease | null>;
  /** Holds a lease for longer. */
  renewLease(lease: Lease, leaseMs: number): Promise<boolean>;
  /**
   * Records a phase and what it found out (merged into the record), with its line of the transcript. A pull request
   * in it becomes the job's `prLink` at once.
   */
  recordPhase(
    lease: Lease,
    phase: RecordedPhase,
    record: TurnRecord,
    event: NewEvent | null,
  ): Promise<boolean>;
  appendEvents(lease: Lease, events: NewEvent[]): Promise<boolean>;
  /** Messages of the conversation, appended, with what they cost; JSON. */
  appendMessages(lease: Lease, messages: unknown[], usage?: Usage): Promise<boolean>;
  /** Those of settled turns, in order. */
  readMessages(jobId: string): Promise<unknown[]>;
  /** Those that the attempts of this turn have appended so far. */
  readTurnMessages(jobId: string, turn: number): Promise<unknown[]>;
  /** Those that came with the prompts of a job up to a turn, by their numbers. */
  readImages(jobId: string, turn: number): Promise<JobImage[]>;
  /** One of them, by its number. */
  findImage(projectId: string, jobId: string, number: number): Promise<JobImage | null>;
  /** Throws away what the turn appended to the conversation, where nobody can go on from it; its usage stays. */
  resetMessages(lease: Lease): Promise<boolean>;
  /** Ends the turn; the job is `status` once no further turn waits, and active and without failure otherwise. */
  settleTurn(lease: Lease, outcome: TurnOutcome, event: NewEvent): Promise<boolean>;
  /**
   * Gives the turn back, to be claimed again after so long; `attemptCounts` false: it was interrupted, not tried.
   * Its phase stays, but `claimed` becomes `queued`.
   */
  releaseTurn(lease: Lease, waitMs: number, attemptCounts: boolean, event: NewEvent | null): Promise<boolean>;

  /** Transcript after that number, oldest first. Null: no such job. */
  readEvents(projectId: string, jobId: string, after: number, limit: number): Promise<JobEvent[] | null>;
  /**
   * Milliseconds until a turn may be due: a pause or a lease ends. 0 or less: one is due already, and `claimTurn` answers
   * null for it only while the limits are reached. Null: nothing waits.
   */
  msUntilDue(): Promise<number | null>;
  countJobs(): Promise<JobTotals>;

  /**
   * Calls back at what happens to jobs, whoever on this data did it, as far as the engine hears of others; null: some may
   * have been missed. Only a hint, so ask from time to time, too. Answers how to end it.
   */
  onNews(listener: (news: JobNews | null) => void): () => void;
}
