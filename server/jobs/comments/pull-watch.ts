import { isDeepStrictEqual } from 'node:util';
import { periodically } from '../../periodic.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Listeners } from '../../store/changes.ts';
import type { Job } from '../../store/jobs/job.ts';
import { newestJobs } from '../../store/jobs/jobs.ts';
import { JobFailure } from '../failure.ts';
import { ForgeMemory } from '../forge/memory.ts';
import { numberInLink } from '../forge/pull-link.ts';
import { createRedactor } from '../text/redaction.ts';
import { annotateMerge, isAnnotated } from '../turn/publishing/merge-annotation.ts';
import type { JobServices } from '../turn/services.ts';
import type { WatchedPull } from './watched-pull.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Jobs of one project that are looked at, at once. */
const atOnce = 20;
/** A job that is older than that is left alone; what was merged can be reverted for longer. */
const longestMs = 60 * dayMs;
const longestMergedMs = 120 * dayMs;
const callMs = 2 * minuteMs;
/** One that was closed may be opened again. */
const closedMs = 12 * hourMs;
/** Webhooks that wait to be looked after. */
const maxCalls = 100;

/** That something may have happened at a project's code host. Nothing in it is believed: what happened is read there. */
export interface ForgeCall {
  projectId: string;
  /** Of the pull request; undefined: any. */
  number?: number | undefined;
  /** The branch that the pull request proposes; undefined: any. */
  branch?: string | undefined;
}

interface Waiting {
  dueAt: number;
  failures: number;
  /** Until when all is known that was written; a restart looks at the last week again. */
  seenAt: number;
  /** Whether anything but a merge was looked for. */
  isHeard: boolean;
}

type WatchServices = JobServices & { forgeCalls: Listeners<ForgeCall> };

/** What is looked for at the pull request of a job. */
interface Wanted {
  comments: boolean;
  checks: boolean;
  merge: boolean;
}

interface Seen {
  /** Until when all is known that was written; undefined: it is closed, or nothing is looked for. */
  seen?: number;
  /** Why one of what is looked for was not. */
  failure?: unknown;
}

/**
 * Looks at the pull requests of jobs, now and then, and at once where a webhook calls: what people write there, which checks
 * fail, and whether it was merged. Each is worked off once, over all nodes, as the store says; what is remembered here only
 * spares requests. Turns look after pull requests that a job has left for a newer one.
 */
export class PullWatch {
  readonly #services: WatchServices;
  readonly #waiting = new Map<string, Waiting>();
  readonly #memory = new ForgeMemory();
  readonly #calls: ForgeCall[] = [];
  readonly #stopping = new AbortController();

  constructor(services: WatchServices) {
    this.#services = services;
  }

  /** Answers webhooks; and every minute, where this server works on jobs, what is due. Answers how to stop. */
  keepLooking(): () => Promise<void> {
    const { config, forgeCalls, log } = this.#services;
    const everyMs = config.jobs.maxTurns > 0 ? minuteMs : undefined;
    const failure = 'Pull requests could not be checked:';
    const { add, stop } = periodically(() => this.look(), { everyMs, isDueNow: false, log, failure });
    const stopListening = forgeCalls.add((call) => this.#hearCall(call, add));
    return () => {
      stopListening();
      this.#stopping.abort();
      return stop();
    };
  }

  /** Many at once are one: what they are about is read at the code host. */
  #hearCall(call: ForgeCall, add: (work: () => Promise<void>) => void): void {
    if (this.#calls.some((one) => isDeepStrictEqual(one, call)) || this.#calls.length >= maxCalls) return;
    this.#calls.push(call);
    add(async () => {
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
    const { repository, forge } = project.settings;
    if (repository === null || forge === 'none') return;
    for (const job of await this.#openJobs(project, call)) {
      if (this.#stopping.signal.aborted) return;
      await this.#lookAt(project, job);
    }
  }

  /** Those that were not looked at for the longest. */
  async #openJobs({ id: projectId, settings }: LiveProject, call: ForgeCall | undefined): Promise<Job[]> {
    const { store, now } = this.#services;
    const { jobs } = await store.jobs.listJobs({ projectId, ...newestJobs });
    // What is turned on meanwhile waits for nothing.
    const dueAt = (job: Job) => {
      const waiting = this.#waiting.get(job.prLink ?? '');
      return waiting && (waiting.isHeard || !isHeard(settings, job)) ? waiting.dueAt : 0;
    };
    return jobs
      .filter((job) => {
        const { prLink, merged, createdAt, repository } = job;
        if (prLink === null || !isAtHost(repository, settings.repository)) return false;
        if (call) return isAbout(call, job);
        return dueAt(job) <= now() && now() - Date.parse(createdAt) < (merged ? longestMergedMs : longestMs);
      })
      .toSorted((a, b) => dueAt(a) - dueAt(b))
      .slice(0, atOnce);
  }

  async #lookAt(project: LiveProject, job: Job): Promise<void> {
    const { now } = this.#services;
    const url = job.prLink ?? '';
    const { seenAt = 0 } = this.#waiting.get(url) ?? {};
    const known = { seenAt, isHeard: isHeard(project.settings, job) };
    const quietMs = now() - Math.max(Date.parse(job.createdAt), seenAt);
    const mergePauseMs = mergePauseOf(quietMs);
    const pauseMs = known.isHeard ? pauseOf(quietMs) : mergePauseMs;
    try {
      const wanted = await this.#wantedOf(project, job, url);
      const { seen, failure } = await this.#read(project, job, { wanted, seenAt });
      // A closed one may be opened and merged, and what is read shows that, whatever else fails.
      const longestMs = wanted.merge ? mergePauseMs : undefined;
      if (failure !== undefined) this.#failed(url, failure, { known, pauseMs, longestMs });
      else {
        const waitMs = seen === undefined ? (longestMs ?? closedMs) : pauseMs;
        this.#waiting.set(url, { dueAt: now() + waitMs, ...known, failures: 0, seenAt: seen ?? seenAt });
      }
    } catch (error) {
      this.#failed(url, error, { known, pauseMs });
    }
  }

  #failed(
    url: string,
    error: unknown,
    {
      known,
      pauseMs,
      longestMs = dayMs,
    }: { known: Pick<Waiting, 'seenAt' | 'isHeard'>; pauseMs: number; longestMs?: number | undefined },
  ): void {
    if (this.#stopping.signal.aborted) return;
    const { now, log } = this.#services;
    const failures = (this.#waiting.get(url)?.failures ?? 0) + 1;
    const asked = error instanceof JobFailure ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(asked, Math.min(longestMs, pauseMs * 2 ** failures));
    this.#waiting.set(url, { dueAt: now() + waitMs, ...known, failures });
    // Of a repository that the project has left.
    if (error instanceof JobFailure && error.code === 'bad_repository') return;
    const reason = error instanceof JobFailure ? error.message : error;
    // Once, until it works again: comments get no answer meanwhile.
    if (failures > 1) return;
    if (known.isHeard) log.error(`The comments at ${url} could not be read:`, reason);
    else if (reason === error) log.error(`The state of ${url} could not be read:`, reason);
  }

  /** An annotation that somebody has removed does not come back. */
  async #wantedOf({ id, settings }: LiveProject, job: Job, url: string): Promise<Wanted> {
    return {
      comments: hasListeners(job) && settings.comments !== 'off',
      checks: hasListeners(job) && settings.mendChecks,
      merge: !isAnnotated(await this.#services.store.jobs.readComments(id, job.id), url),
    };
  }

  async #read(
    project: LiveProject,
    job: Job,
    { wanted, seenAt }: { wanted: Wanted; seenAt: number },
  ): Promise<Seen> {
    const number = numberInLink(job.prLink);
    if (number === undefined || !Object.values(wanted).includes(true)) return {};
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(callMs)]);
    // What talks to code hosts is loaded where there is something to ask.
    const { openTarget } = await import('../turn/target.ts');
    const target = await openTarget(this.#services, job, project, signal, this.#memory);
    const { forge, secrets } = target;
    const pull = await forge?.findPullRequest(number, signal).catch(async (error: unknown) => {
      if (!(error instanceof JobFailure) || error.code !== 'moved') throw error;
      const { followMove } = await import('../turn/moved-repository.ts');
      if ((await followMove(this.#services, project, { ...target, signal })) === undefined) throw error;
      return 'moved' as const;
    });
    if (pull === 'moved') return { seen: seenAt };
    if (!forge || !pull || pull.state === 'closed') return {};
    const redact = createRedactor(secrets);
    return await serve(
      { services: this.#services, project, job, forge, pull, redact, signal },
      wanted,
      seenAt,
    );
  }
}

/** One that fails keeps nothing from the others. */
async function serve(watched: WatchedPull, wanted: Wanted, seenAt: number): Promise<Seen> {
  const { services, project, job, forge, pull, signal } = watched;
  let seen = seenAt;
  const parts: (() => Promise<unknown>)[] = [];
  if (wanted.comments) {
    const { hearComments } = await import('./hearing.ts');
    parts.push(async () => (seen = await hearComments(watched, seenAt)));
  }
  if (wanted.checks && pull.state === 'open') {
    const { hearChecks } = await import('./red-checks.ts');
    parts.push(() => hearChecks(watched));
  }
  if (wanted.merge && pull.state === 'merged') {
    parts.push(async () => {
      const merge = await forge.readMerge(pull, signal);
      await annotateMerge(services, project, { jobId: job.id, url: job.prLink ?? '', merge });
    });
  }
  const failures: unknown[] = [];
  for (const part of parts) await part().catch((error: unknown) => failures.push(error));
  return { seen, failure: failures.find((error) => !(error instanceof JobFailure)) ?? failures[0] };
}

function isAbout({ number, branch }: ForgeCall, job: Job): boolean {
  return (
    (number === undefined || number === numberInLink(job.prLink)) &&
    (branch === undefined || branch === job.branch)
  );
}

const hasListeners = ({ status, merged }: Job) => status !== 'archived' || merged;

const isHeard = ({ comments, mendChecks }: LiveProject['settings'], job: Job) =>
  hasListeners(job) && (comments !== 'off' || mendChecks);

/** What is said there is mostly answered soon, or not at all. */
function pauseOf(quietMs: number): number {
  if (quietMs < dayMs) return minuteMs;
  return quietMs < 7 * dayMs ? 10 * minuteMs : hourMs;
}

/** Merges are mostly on the first day, and nobody waits for an answer. */
function mergePauseOf(quietMs: number): number {
  if (quietMs < dayMs) return 10 * minuteMs;
  return quietMs < 7 * dayMs ? hourMs : 12 * hourMs;
}

/** A job whose repository was renamed there finds out by its id. */
function isAtHost(repository: string, present: string | null): boolean {
  return repository === present || URL.parse(repository)?.origin === URL.parse(present ?? '')?.origin;
}
