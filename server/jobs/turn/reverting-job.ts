import { randomText } from '../../projects/key.ts';
import type { Job } from '../../store/jobs/job.ts';
import type { CommentOrigin } from '../../store/jobs/job-comment.ts';
import type { RevertingJob } from '../../store/jobs/jobs.ts';
import { numberInLink } from '../forge/pull-link.ts';

/** A job that takes back what another has merged, on the branch that it was merged into. */
export function revertingJob(job: Job, url: string, origin?: CommentOrigin): RevertingJob {
  const { projectId, repository, ref, baseBranch, model } = job;
  return {
    ...{ id: `job_${randomText(24)}`, projectId, repository, model },
    ref: baseBranch === null ? ref : `refs/heads/${baseBranch}`,
    prompt: `Revert pull request ${numberInLink(url)}: ${url}`,
    reverts: url,
    record: { reverts: url, ...(origin && { origin }) },
  };
}
