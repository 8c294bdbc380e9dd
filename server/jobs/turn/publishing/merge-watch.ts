import type { LiveProject } from '../../../projects/registry.ts';
import type { Job } from '../../../store/jobs/job.ts';
import { newestJobs } from '../../../store/jobs/jobs.ts';
import { numberInLink } from '../../forge/pull-link.ts';
import type { JobServices } from '../services.ts';
import { isMarked, markMerge } from './merge-mark.ts';

const everyMs = 60_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A pull request that was not merged by then is given up on. */
const longestMs = 60 * dayMs;
const callMs = 60_000;

interface Waiting {
  dueAt: number;
  failures: number;
}

/**
 * Marks when the newest pull requests of jobs were merged; turns look after those before them. Code hosts are asked seldom, and
 * less often the older a job is; a restart asks once more, and several nodes that find the same merge leave one mark.
 */
export class MergeWatch {
  readonly #services: JobServices;
  readonly #waiting = new Map<string, Waiting>();
  readonly #done = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(services: JobServices) {
    this.#services = services;
  }

  /** Every minute, what is due. Answers how to stop. */
  keepLooking(): () => Promise<void> {
    const { log } = this.#services;
    let running = Promise.resolve();
    const look = () => {
      running = running
        .then(() => this.look())
        .catch((error: unknown) => log.error('It could not be looked up what was merged:', error));
    };
    const timer = setInterval(look, everyMs).unref();
    return () => {
      clearInterval(timer);
      this.#stopping.abort();
      return running;
    };
  }

  async look(): Promise<void> {
    for (const project of this.#services.registry.projects()) {
      if (project.settings.repository === null || project.settings.forge === 'none') continue;
      for (const job of await this.#openJobs(project)) await this.#lookAt(project, job);
    }
  }

  async #openJobs({ id: projectId }: LiveProject): Promise<Job[]> {
    const { store, now } = this.#services;
    const { jobs } = await store.jobs.listJobs({ projectId, ...newestJobs });
    return jobs.filter(({ prLink, status, createdAt }) => {
      if (prLink === null || status === 'active' || this.#done.has(prLink)) return false;
      const isDue = (this.#waiting.get(prLink)?.dueAt ?? 0) <= now();
      return isDue && now() - Date.parse(createdAt) < longestMs;
    });
  }

  async #lookAt(project: LiveProject, job: Job): Promise<void> {
    const { now } = this.#services;
    const url = job.prLink ?? '';
    const pauseMs = pauseOf(now() - Date.parse(job.createdAt));
    const failures = this.#waiting.get(url)?.failures ?? 0;
    try {
      const isOver = await this.#ask(project, job, url);
      if (this.#stopping.signal.aborted) return;
      this.#waiting.set(url, { dueAt: now() + pauseMs, failures: 0 });
      if (isOver) this.#end(url);
    } catch {
      // The token may be gone, or the host away: the job's own turns say so where somebody reads it.
      this.#waiting.set(url, {
        dueAt: now() + Math.min(dayMs, pauseMs * 2 ** (failures + 1)),
        failures: failures + 1,
      });
    }
  }

  /** @returns whether it was merged */
  async #ask(project: LiveProject, job: Job, url: string): Promise<boolean> {
    const { jobs } = this.#services.store;
    if (isMarked(await jobs.readComments(project.id, job.id), url)) return true;
    const number = numberInLink(url);
    if (number === undefined) return false;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(callMs)]);
    // What talks to code hosts is loaded where there is something to ask.
    const { openTarget } = await import('../target.ts');
    const { forge } = await openTarget(this.#services, job, project, signal);
    const pull = await forge?.findPullRequest(number, signal);
    const merge = pull && (await forge?.readMerge(pull, signal));
    signal.throwIfAborted();
    return merge !== undefined && (await markMerge(this.#services, project, { jobId: job.id, url, merge }));
  }

  #end(url: string): void {
    this.#done.add(url);
    this.#waiting.delete(url);
  }
}

/** A pull request is mostly merged on its first day, or not for long. */
function pauseOf(ageMs: number): number {
  if (ageMs < dayMs) return 10 * minuteMs;
  return ageMs < 7 * dayMs ? hourMs : 12 * hourMs;
}

/** Where this server works on jobs. Answers how to stop. */
export function watchMerges(services: JobServices): () => Promise<void> {
  if (services.config.jobs.maxTurns === 0) return async () => {};
  return new MergeWatch(services).keepLooking();
}
