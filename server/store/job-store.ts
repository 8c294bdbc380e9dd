import type { Idempotency } from './idempotency.ts';
import type { CommentMessage, CommentOrigin, CommentOutcome, CommentState } from './job-comment.ts';
import type { JobEvent, NewEvent } from './job-event.ts';
import type { JobImage, NewImage } from './job-image.ts';
import type { Start, Starter } from './job-start.ts';
import type { Usage } from './usage.ts';

/** A durable unit of work: a prompt, its follow-ups, one branch at a time. */
export type JobStatus = 'active' | 'completed' | 'archived' | 'failed';

export interface Job {
  /** `job_` and 20 or more characters. */
  id: string;
  projectId: string;
  status: JobStatus;
  /** As the project was set when the job was created. */
  repository: string;
  ref: string;
  /** The branch that pull requests go to; null until a turn, or an earlier job of the same source, has found it out. */
  baseBranch: string | null;
  /** The job's own branch as it was last pushed; null: it never was. */
  branch: string | null;
  /** `provider/model`, or the name of the outside agent. */
  model: string;
  /** Address of the newest pull request, whatever the status; the API hides it while the job is active. */
  prLink: string | null;
  /** Why the newest turn failed; null while the job is active, and where it did not. */
  failure: FailureNote | null;
  /** Why the newest turn changed nothing, in the agent's words; null while the job is active, and where it changed something. */
  noChange: string | null;
  /** Of all turns so far; null: no step was made. */
  usage: Usage | null;
  /** Null: a person or a program asked for it. */
  startedBy: Starter | null;
  createdAt: string;
  archivedAt: string | null;
}

export interface FailureNote {
  code: string;
  /** A sentence that a person can act on; without secrets. */
  message: string;
}

/**
 * How far a turn has come. Each is recorded before the next step begins, so that whoever takes over knows what is
 * done: `queued` (nobody works on it), `claimed`, `pinned` (base and branch are known), `committed` (the patch and
 * the commit's hash are recorded, or that nothing changed), `pushed`, `opened` (the pull request is known), `settled`.
 */
export const phases = ['queued', 'claimed', 'pinned', 'committed', 'pushed', 'opened', 'settled'] as const;
export type Phase = (typeof phases)[number];

/** Those that a runner records; the others are set by claiming and settling. */
export type RecordedPhase = Exclude<Phase, 'queued' | 'settled'>;

/** What the phases of a turn found out; only what has been recorded is there. */
export interface TurnRecord {
  base?: string;
  baseBranch?: string;
  /** Where the base branch was when a turn went on with the job's own; null: it is gone. */
  baseTip?: string | null;
  branch?: string;
  /** Where the branch has to be when it is pushed; null: it must not exist. */
  expectedTip?: string | null;
  /** The commit of the base branch that the turn brings into its branch; null: none any more. */
  merged?: string | null;
  /** Base64 of a binary patch, of `merged` where there is one; absent after `committed`: nothing changed. */
  patch?: string;
  message?: string;
  /** Whom the commit is by, as the project said when it was made. */
  author?: { name: string; email: string };
  commit?: string;
  summary?: string;
  /** What the turns of the branch were asked and say of their work, this one last. */
  chapters?: Chapter[];
  /** Those of this turn's commit. */
  files?: ChapterFile[];
  title?: string;
  /** Of the pull request, as the job last wrote it. */
  body?: string;
  /** Whether the turn found its pull request open, and so has to say there what it did. */
  continues?: boolean;
  /** Whether the pull request is opened as a draft; absent: as the project is set. */
  draft?: boolean;
  pullRequest?: { url: string; number: number };
  /** Where the branch was when the job last pushed it; absent: it never did. */
  tip?: string;
  /** Attempts that ended in a passing error, since the commit where there is one; others ended with their process. */
  failures?: number;
  /** The budget at which the agent was stopped; the commit holds what it had done by then. */
  unfinished?: FailureNote;
  /** Why the commit could not be delivered when that was last tried. */
  refusal?: FailureNote;
  /** Where at a pull request the turn was asked for; absent: elsewhere. */
  origin?: CommentOrigin;
}

/** A turn as its pull request tells of it. */
export interface Chapter {
  prompt: string;
  /** The agent's own words: a title, an empty line, a summary. Of an unfinished one what it said last. May be empty. */
  summary: string;
  /** What stopped the agent before it was done. */
  unfinished?: string | undefined;
  /** What is wrong with the change, and was not before; one sentence each. */
  findings?: readonly string[] | undefined;
}

export interface ChapterFile {
  path: string;
  change: 'added' | 'edited' | 'deleted' | 'moved';
  /** Lines that were added and taken away; undefined where they were not counted. */
  lines?: number | undefined;
}

export interface Turn {
  jobId: string;
  projectId: string;
  /** 0: the prompt that created the job. */
  number: number;
  prompt: string;
  phase: Phase;
  /** Tries so far, this one included. */
  attempt: number;
  /** Milliseconds since 1970; author and committer date of the turn's commit. */
  createdAtMs: number;
  record: TurnRecord;
  /** By all its attempts. */
  usage: Usage;
}

/** The right to work on a turn until it ends; every write names it, and is refused once somebody else has it. */
export interface Lease {
  turn: Turn;
  job: Job;
  /** Record of the newest earlier turn of the job that has a branch; null: none has. */
  earlier: TurnRecord | null;
  /** Why what an earlier turn of the job committed could not be delivered; null: nothing waits to be. */
  unpublished: FailureNote | null;
  fence: number;
}

/** Over all runners of all processes. */
export interface ClaimLimits {
  /** Turns at work at once. */
  total: number;
  perProject: number;
  leaseMs: number;
}

/**
 * How often a project may create jobs, and as often again send messages, in any stretch of time of that length. Never more
 * are accepted, however many requests come at once and wherever.
 */
export const hourlyUses = { limit: 100, windowMs: 60 * 60 * 1000 } as const;

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

/** How a turn ended. Without a `prLink` the job keeps the one it has. */
export interface TurnOutcome {
  status: 'completed' | 'failed';
  prLink: string | null | undefined;
  /** Of a turn that failed. */
  failure?: FailureNote | undefined;
  /** What was committed is not delivered: the job's next message takes the turn up again, at the phase it reached. */
  resumes?: boolean;
  /** What ends the turn's part of the conversation. */
  messages?: readonly unknown[];
}

/** How many there are. */
export interface JobTotals {
  jobs: Record<JobStatus, number>;
  /** Those that are not settled. */
  turns: { waiting: number; running: number };
}

/** What a turn is told from the start, besides its prompt. */
export interface TurnOrigin {
  record?: TurnRecord | undefined;
  /** Of a job's first turn. */
  startedBy?: Starter | undefined;
  images?: readonly NewImage[] | undefined;
}

export interface NewJob extends Pick<Job, 'id' | 'projectId' | 'repository' | 'ref' | 'model'>, TurnOrigin {
  prompt: string;
}

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
