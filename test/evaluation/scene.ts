import { PullWatch } from '../../server/jobs/comments/pull-watch.ts';
import type { JobReply } from '../../shared/jobs/job.ts';
import type { Pull } from '../support/forge/api.ts';
import type { CheckDouble, NewPosted, Posted } from '../support/forge/comments.ts';
import { finish, sendMessage } from '../support/jobs/job-run.ts';
import type { JobClient } from '../support/jobs/jobs.ts';
import type { SiteCommit } from './site-files.ts';
import type { World } from './world.ts';

/** An agent may take half an hour, and may have to wait for others. */
const timeoutMs = 4 * 3_600_000;

interface Place {
  world: World;
  slug: string;
  base: string;
  jobs: JobClient;
  jobId: string;
}

/** What people and programs do around a job after its first turn. */
export class Scene {
  readonly #place: Place;
  /** What people committed to the base meanwhile, oldest first. */
  readonly commits: SiteCommit[] = [];
  /** What people who may do so asked for. */
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
    const { world, slug, base } = this.#place;
    this.commits.push(commit);
    await world.forge.git.commit(slug, { ...commit.files }, { branch: base, message: commit.message });
  }

  /** The job's pull request; undefined: its first turn opened none, and is judged by that. */
  async pull(): Promise<Pull | undefined> {
    const { branch } = await this.rest();
    const { world, slug } = this.#place;
    return (await world.forge.list(slug)).find(({ head }) => head === branch);
  }

  /** Comments at the pull request, and has it looked at. */
  async comment(comment: NewPosted): Promise<Posted | undefined> {
    const pull = await this.pull();
    const posted = pull && this.#place.world.forge.post(pull, comment);
    await this.#hear();
    return posted;
  }

  /** Has a check run on the newest commit, and the pull request looked at. @param find what is wrong with the files */
  async check(name: string, find: (read: (path: string) => Promise<string>) => Promise<string | undefined>) {
    const { world, slug } = this.#place;
    const pull = await this.pull();
    if (!pull) return;
    const { forge } = world;
    const fault = await find((path) => forge.git.read(slug, pull.headCommit, path));
    const state: CheckDouble['state'] = fault === undefined ? 'success' : 'failure';
    forge.checks.set(pull.headCommit, [{ name, state, text: fault ?? 'All is well.' }]);
    await this.#hear();
  }

  /** As happens once a minute. */
  async #hear(): Promise<void> {
    await new PullWatch(this.#place.world.headcount.context).look();
    await this.rest();
  }
}
