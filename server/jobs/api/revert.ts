import { ApiError } from '../../errors.ts';
import type { Job } from '../../store/jobs/job.ts';
import type { JobStore } from '../../store/jobs/job-store.ts';
import { revertingJob } from '../turn/reverting-job.ts';
import { acceptedJob, noJob } from './reply.ts';

/** The job that takes back the newest pull request of another. @throws ApiError */
export async function revertMerge(jobs: JobStore, projectId: string, jobId: string): Promise<Job> {
  const job = await jobs.findJob(projectId, jobId);
  if (!job) throw noJob();
  const { prLink } = job;
  if (prLink === null) {
    throw new ApiError('invalid', 'The job has no pull request, so that there is nothing to take back.');
  }
  const asked = await jobs.revertMerge(revertingJob(job, prLink), null);
  if (asked.kind === 'known') throw new Error('Only comments are known.');
  return acceptedJob(asked, 'jobs', undefined);
}
