import type { Starter } from './job-start.ts';
import type { Usage } from './usage.ts';

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
