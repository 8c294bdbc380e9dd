import { isDeepStrictEqual } from 'node:util';
import type { LiveProject } from '../../projects/registry.ts';
import type { Job } from '../../store/jobs/job.ts';
import { newestJobs } from '../../store/jobs/jobs.ts';
import { JobFailure } from '../failure.ts';
import { ForgeMemory } from '../forge/memory.ts';
import { numberInLink } from '../forge/pull-link.ts';
import { createRedactor } from '../text/redaction.ts';
import type { JobServices } from '../turn/services.ts';
import type { ForgeCall, ForgeCalls } from './forge-calls.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Jobs that are looked at, at once. */
const atOnce = 20;
/** A job that is older than that is left alone; what was merged can be reverted for longer. */
const longestMs = 60 * dayMs;
const longestMergedMs = 120 * dayMs;
const callMs = 2 * minuteMs;
/** One that was closed may be opened again. */
const closedMs = 12 * hourMs;
/** Webhooks that wait to be looked after. */
const maxCalls = 100;

interface Waiting {
  dueAt: number;
  failures: number;
  /** Until when all is known that was written; a restart looks at the last week again. */
  seenAt: number;
}

type WatchServices = JobServices & { forgeCalls: ForgeCalls };

/**
 * Looks what is said at the open and merged pull requests of jobs: now and then, and at once where a webhook calls. Each comment is worked
 * off once, over all nodes, as the store says; what is remembered here only spares requests.
 */
export class CommentWatch {
  readonly #services: WatchServices;
  readonly #waiting = new Map<string, Waiting>();
  readonly #memory = new ForgeMemory();
  readonly #calls: ForgeCall[] = [];
  readonly #stopping = new AbortController();
  #running = Promise.resolve();

  constructor(services: WatchServices) {
    this.#services = services;
  }

  /** Answers webhooks; and every minute, where this server works on jobs, what is due. Answers how to stop. */
  keepLooking(): () => Promise<void> {
    const { config, forgeCalls } = this.#services;
    const stopListening = forgeCalls.add((call) => this.#hearCall(call));
    const timer =
      config.jobs.maxTurns > 0
        ? setInterval(() => this.#enqueue(() => this.look()), minuteMs).unref()
        : undefined;
    return () => {
      stopListening();
      clearInterval(timer);
      this.#stopping.abort();
      return this.#running;
    };
  }

  #enqueue(work: () => Promise<void>): void {
    this.#running = this.#running
      .then(work)
      .catch((error: unknown) => this.#services.log.error('Pull requests could not be looked at:', error));
  }

  /** Many at once are one: what they are about is read at the code host. */
  #hearCall(call: ForgeCall): void {
    if (this.#calls.some((one) => isDeepStrictEqual(one, call)) || this.#calls.length >= maxCalls) return;
    this.#calls.push(call);
    this.#enqueue(async () => {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      const project = this.#services.registry.project(call.projectId);
      if (project) await this.#lookIn(project, call);
    });
  }

  /** At what is due. */
  async look(): Promise<void> {
    for (const project of this.#services.registry.projects()) await this.#lookIn(project);
  }

  async #lookIn(project: LiveProject, call?: ForgeCall): Promise<void> {
    const { repository, forge, comments, mendChecks } = project.settings;
    if (repository === null || forge === 'none' || (comments === 'off' && !mendChecks)) return;
    for (const job of await this.#openJobs(project, call)) {
      if (this.#stopping.signal.aborted) return;
      await this.#lookAt(project, job);
    }
  }

  /** Those that were not looked at for the longest. */
  async #openJobs({ id: projectId, settings }: LiveProject, call: ForgeCall | undefined): Promise<Job[]> {
    const { store, now } = this.#services;
    const { jobs } = await store.jobs.listJobs({ projectId, ...newestJobs });
    const dueAt = ({ prLink }: Job) => this.#waiting.get(prLink ?? '')?.dueAt ?? 0;
    return jobs
      .filter((job) => {
        const { prLink, status, merged, createdAt, repository } = job;
        if (prLink === null || (status === 'archived' && !merged)) return false;
        if (!isAtHost(repository, settings.repository)) return false;
        if (call) return isAbout(call, job);
        return dueAt(job) <= now() && now() - Date.parse(createdAt) < (merged ? longestMergedMs : longestMs);
      })
      .toSorted((a, b) => dueAt(a) - dueAt(b))
      .slice(0, atOnce);
  }

  async #lookAt(project: LiveProject, job: Job): Promise<void> {
    const { now, log } = this.#services;
    const url = job.prLink ?? '';
    const { failures = 0, seenAt = 0 } = this.#waiting.get(url) ?? {};
    const pauseMs = pauseOf(now() - Math.max(Date.parse(job.createdAt), seenAt));
    try {
      const seen = await this.#hear(project, job, seenAt);
      const waitMs = seen === undefined ? closedMs : pauseMs;
      this.#waiting.set(url, { dueAt: now() + waitMs, failures: 0, seenAt: seen ?? seenAt });
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const asked = error instanceof JobFailure ? (error.retryAfterMs ?? 0) : 0;
      const waitMs = Math.max(asked, Math.min(dayMs, pauseMs * 2 ** (failures + 1)));
      this.#waiting.set(url, { dueAt: now() + waitMs, failures: failures + 1, seenAt });
      // Once, until it works again: whoever comments gets no answer meanwhile.
      const reason = error instanceof JobFailure ? error.message : error;
      // Of a repository that the project has left.
      if (error instanceof JobFailure && error.code === 'bad_repository') return;
      if (failures === 0) log.error(`What is said at ${url} could not be looked at:`, reason);
    }
  }

  /** @returns until when all is known; undefined: the pull request was closed */
  async #hear(project: LiveProject, job: Job, seenAt: number): Promise<number | undefined> {
    const number = numberInLink(job.prLink);
    if (number === undefined) return undefined;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(callMs)]);
    // What talks to code hosts is loaded where there is something to ask.
    const [{ openTarget }, { hearComments }, { hearChecks }] = await Promise.all([
      import('../turn/target.ts'),
      import('./hearing.ts'),
      import('./red-checks.ts'),
    ]);
    const target = await openTarget(this.#services, job, project, signal, this.#memory);
    const { forge, secrets } = target;
    const pull = await forge?.findPullRequest(number, signal).catch(async (error: unknown) => {
      if (!(error instanceof JobFailure) || error.code !== 'moved') throw error;
      const { followMove } = await import('../turn/moved-repository.ts');
      if ((await followMove(this.#services, project, { ...target, signal })) === undefined) throw error;
      return 'moved' as const;
    });
    if (pull === 'moved') return seenAt;
    if (!forge || !pull || pull.state === 'closed') return undefined;
    const redact = createRedactor(secrets);
    const watched = { services: this.#services, project, job, forge, pull, redact, signal };
    const { comments, mendChecks } = project.settings;
    const seen = comments === 'off' ? seenAt : await hearComments(watched, seenAt);
    if (mendChecks && pull.state === 'open') await hearChecks(watched);
    return seen;
  }
}

function isAbout({ number, branch }: ForgeCall, job: Job): boolean {
  return (
    (number === undefined || number === numberInLink(job.prLink)) &&
    (branch === undefined || branch === job.branch)
  );
}

/** Talk is mostly answered soon, or not at all. */
function pauseOf(quietMs: number): number {
  if (quietMs < dayMs) return minuteMs;
  return quietMs < 7 * dayMs ? 10 * minuteMs : hourMs;
}

/** A job whose repository was renamed there finds out by its id. */
function isAtHost(repository: string, present: string | null): boolean {
  return repository === present || URL.parse(repository)?.origin === URL.parse(present ?? '')?.origin;
}
