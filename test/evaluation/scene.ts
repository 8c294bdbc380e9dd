import type { JobReply } from '../../shared/job.ts';
import { finish, sendMessage } from '../support/jobs/job-run.ts';
import type { JobClient } from '../support/jobs/jobs.ts';
import type { SiteCommit } from './site-files.ts';
import type { World } from './world.ts';

/** An agent may take half an hour, and may have to wait for others. */
const timeoutMs = 4 * 3_600_000;

interface Place extends Pick<World, 'forge'> {
  slug: string;
  base: string;
  jobs: JobClient;
  jobId: string;
}

/** What people do around a job after its first turn. */
export class Scene {
  readonly #place: Place;
  /** What they committed to the base meanwhile, oldest first. */
  readonly commits: SiteCommit[] = [];
  /** What they asked for. */
  readonly prompts: string[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  /** Waits until the job rests. */
  rest(): Promise<JobReply> {
    const { jobs, jobId } = this.#place;
    return finish(jobs, jobId, timeoutMs);
  }

  async message(prompt: string): Promise<void> {
    const { jobs, jobId } = this.#place;
    this.prompts.push(prompt);
    await sendMessage(jobs, jobId, prompt);
    await this.rest();
  }

  async commit(commit: SiteCommit): Promise<void> {
    const { forge, slug, base } = this.#place;
    this.commits.push(commit);
    await forge.git.commit(slug, { ...commit.files }, { branch: base, message: commit.message });
  }
}
