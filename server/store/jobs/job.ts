import type { Starter } from './automations.ts';
import type { CommentOrigin } from './job-comment.ts';
import type { NewImage } from './job-image.ts';

export type JobStatus = 'active' | 'completed' | 'archived' | 'failed';

/** A durable unit of work: a prompt, its follow-ups, one branch at a time. */
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
  /** `provider/model`, or the name of the outside agent, as it was chosen for the job. */
  model: string;
  /** The same of what answered last, as the newest turn that ended has it; null: none did. */
  answeredBy: string | null;
  /** Address of the newest pull request, whatever the status; the API hides it while the job is active. */
  prLink: string | null;
  /** Why the newest turn failed; null while the job is active, and where it did not. */
  failure: FailureNote | null;
  /** Why the newest turn changed nothing, in the agent's words; null while the job is active, and where it changed something. */
  noChange: string | null;
  /** Whether a person stopped the newest turn; false while the job is active. */
  stopped: boolean;
  /** Of all turns so far; null: no step was made. */
  usage: Usage | null;
  /** Null: a person or a program asked for it. */
  startedBy: Starter | null;
  /** Address of the merged pull request that it takes back; null: it was asked for something else. */
  reverts: string | null;
  /** Whether its newest pull request was merged, as far as that was noticed. */
  merged: boolean;
  createdAt: string;
  archivedAt: string | null;
}

export interface FailureNote {
  code: string;
  /** A sentence that a person can act on; without secrets. */
  message: string;
}

/** What agents took from a model. */
export interface Usage {
  /** Answers of the model. */
  steps: number;
  /** Those read from the provider's cache included. */
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** In millionths of a dollar; null: unknown. */
  cost: number | null;
}

export const noUsage: Readonly<Usage> = {
  steps: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  cost: null,
};

export function addUsage(sum: Readonly<Usage>, more: Readonly<Usage>): Usage {
  return {
    steps: sum.steps + more.steps,
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cachedTokens: sum.cachedTokens + more.cachedTokens,
    cost: more.cost === null ? sum.cost : (sum.cost ?? 0) + more.cost,
  };
}

/** As people read it: in dollars. */
export function toShown({ cost, ...counts }: Readonly<Usage>): Usage {
  return { ...counts, cost: cost === null ? null : cost / 1_000_000 };
}

/**
 * How far a turn has come. Each is recorded before the next step begins, so that another runner can continue: `queued`
 * (not claimed), `claimed`, `pinned` (base and branch are known), `committed` (the patch and the commit's hash are
 * recorded, or that nothing changed), `pushed`, `opened` (the pull request is known), `settled`.
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
  /** Of the pull request, as the job last wrote it. */
  title?: string;
  body?: string;
  isDraft?: boolean;
  /** The models that answered in this turn, or the outside agent; absent: git alone, or a version before this one. */
  madeBy?: string[];
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
  /** Of a signed commit; null: it is not signed. */
  signature?: string | null;
  /** Messages of rules that refused the turn's commits, as the agent got them; empty: there were none. */
  rejections?: string[];
  /** The refused commit in whose place the agent makes another one, and how often it did since the last message. */
  mending?: { commit: string; tries: number; failure: string };
  /** Where at a pull request the turn was asked for; absent: elsewhere. */
  origin?: CommentOrigin;
  /** Address of the merged pull request that this turn takes back, without an agent. */
  reverts?: string;
}

/** A turn as its pull request describes it. */
export interface Chapter {
  prompt: string;
  /** The agent's own words: a title, an empty line, a summary. Of an unfinished one what it said last. May be empty. */
  summary: string;
  /** What stopped the agent before it was done. */
  unfinished?: string | undefined;
  /** What is wrong with the change, and was not before; one sentence each. */
  findings?: readonly string[] | undefined;
  /** How other pull requests change the same; one sentence each. */
  repeats?: readonly string[] | undefined;
  /** How many sentences of the summary were left out, as the change did not bear them out. */
  leftOut?: number | undefined;
  /** What the agent calls the whole pull request from this turn on. */
  pullTitle?: string | undefined;
  /** The models or the outside agent that it was made by; empty: git alone. */
  madeBy?: readonly string[] | undefined;
  /** By which it is found out later what is left of it. */
  trace?: ChangeTrace | undefined;
}

/** What one commit changed, in short. */
export interface ChangeTrace {
  paths: readonly string[];
  /** Hashes of some of the lines that it added or took away. */
  lines: readonly string[];
}

export interface ChapterFile {
  path: string;
  /** The old path of a moved one. */
  from?: string | undefined;
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

/** The right to work on a turn until it ends; every write names it, and is refused once another runner has it. */
export interface Lease {
  turn: Turn;
  job: Job;
  /** Record of the newest earlier turn of the job that has a branch; null: none has. */
  earlier: TurnRecord | null;
  /** Why what an earlier turn of the job committed could not be delivered; null: nothing waits to be. */
  unpublished: FailureNote | null;
  /** Prompts of the job's messages that wait behind this turn, in their order. */
  waiting: string[];
  fence: number;
}

/** Over all runners of all processes. */
export interface ClaimLimits {
  /** Turns at work at once. */
  total: number;
  perProject: number;
  leaseMs: number;
}

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

/** What a turn gets at its start, besides its prompt. */
export interface TurnOrigin {
  record?: TurnRecord | undefined;
  /** Of a job's first turn. */
  startedBy?: Starter | undefined;
  images?: readonly NewImage[] | undefined;
}

/** Milliseconds since 1970; null: the database says what time it is, which all nodes share. */
export type Now = number | null;
