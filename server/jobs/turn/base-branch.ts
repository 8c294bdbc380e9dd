import { join } from 'node:path';
import type { LiveProject } from '../../projects/registry.ts';
import type { Job } from '../../store/jobs/job.ts';
import { JobFailure } from '../failure.ts';
import { GitClient } from '../git/git-client.ts';
import type { JobServices } from './services.ts';
import { openTarget } from './target.ts';

/** Asks the repository which branch a job goes to, and notes it. Null: it did not say so in time, and the job's first turn asks. */
export async function askForBaseBranch(
  services: Pick<JobServices, 'config' | 'secrets' | 'store' | 'now'>,
  project: LiveProject,
  job: Job,
  signal: AbortSignal,
): Promise<string | null> {
  const { config, store, now } = services;
  const { path, protocols, network } = config.jobs.git;
  const options = { path, protocols, network, mayReach: config.jobs.mayReach, maxMirrorBytes: 0, now };
  const gitClient = new GitClient({ ...options, root: join(config.dataDir, 'jobs') });
  try {
    const target = await openTarget(services, job, project, signal);
    const baseBranch = await gitClient.findBaseBranch(await target.access(), job.ref);
    await store.jobs.noteBaseBranch(project.id, job.id, baseBranch);
    return baseBranch;
  } catch (error) {
    if (error instanceof JobFailure || signal.aborted) return null;
    throw error;
  } finally {
    await gitClient.close();
  }
}
