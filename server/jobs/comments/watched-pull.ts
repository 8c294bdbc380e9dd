import type { LiveProject } from '../../projects/registry.ts';
import type { Job } from '../../store/jobs/job.ts';
import type { Forge, PullRequest } from '../forge/forge.ts';
import type { JobServices } from '../turn/services.ts';

/** An open or merged pull request of a job, at which it is looked what people and programs say. */
export interface WatchedPull {
  services: Pick<JobServices, 'store' | 'now'>;
  project: LiveProject;
  job: Job;
  forge: Forge;
  pull: PullRequest;
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  signal: AbortSignal;
}
