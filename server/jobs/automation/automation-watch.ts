import { isSchedule, type Occasion } from '../../../shared/jobs/automation.ts';
import { requestOf } from '../../../shared/jobs/recipes.ts';
import { auditing } from '../../audit/audit-list.ts';
import { ApiError } from '../../errors.ts';
import { periodically } from '../../periodic.ts';
import type { LiveProject } from '../../projects/registry.ts';
import type { Automation, Starter } from '../../store/jobs/automations.ts';
import { newJob } from '../api/new-job.ts';
import { acceptedJob } from '../api/reply.ts';
import { JobFailure } from '../failure.ts';
import { refuseSpending } from '../turn/spending.ts';
import type { AutomationServices } from './services.ts';
import { lastDue, type Schedule } from './timetable.ts';
import type { JobCause, Memory, Search } from './trigger/job-cause.ts';
import { findMissingPages } from './trigger/missing-page.ts';
import { findRelease } from './trigger/release.ts';
import { findUnreadPages } from './trigger/unread-page.ts';

const everyMs = 60_000;
/** Triggers look at what changes slowly. */
const triggerEveryMs = 60 * everyMs;
/** What a server that was off makes up for. */
const longestDelayMs = 24 * 60 * everyMs;
/** Runs of a trigger that were not started stand in one place, as they are tried again. */
export const notStarted = '(not started)';
/** Among so many runs the newest job is looked for, and the newest release. */
const newestRuns = 200;

interface Watched {
  project: LiveProject;
  automation: Automation & { onSince: number };
}

/**
 * Starts jobs at their times, and when something happens. What was done the store knows, so that a restart, another node or a
 * clock that jumps starts nothing twice.
 */
export class AutomationWatch {
  readonly #services: AutomationServices;
  /** What was looked at last, by automation: the time of a schedule, or when a trigger looked. */
  readonly #seen = new Map<string, string | number>();

  constructor(services: AutomationServices) {
    this.#services = services;
  }

  async look(): Promise<void> {
    const { store, registry, clock } = this.#services;
    clock.look();
    if (!clock.isSure) return;
    for (const automation of await store.automations.listEnabled()) {
      const { onSince } = automation;
      const project = registry.project(automation.projectId);
      if (project && onSince !== null)
        await this.#lookAt({ project, automation: { ...automation, onSince } });
    }
  }

  /** One that fails keeps nothing from the others. */
  async #lookAt(watched: Watched): Promise<void> {
    const { when, name } = watched.automation.settings;
    try {
      if (isSchedule(when)) await this.#lookAtTime(watched, when as Schedule);
      else await this.#lookForTrigger(watched, when as Trigger);
    } catch (error) {
      if (error instanceof JobFailure) await this.#pass(watched, notStarted, error.message);
      else this.#services.log.error(`The automation ${name} could not be checked:`, error);
    }
  }

  async #lookAtTime(watched: Watched, schedule: Schedule): Promise<void> {
    const { store, now } = this.#services;
    const { project, automation } = watched;
    const { date, at } = lastDue(schedule, project.settings.timeZone, now());
    const seen = `${automation.onSince} ${date}`;
    if (at < automation.onSince || this.#seen.get(automation.id) === seen) return;
    const runs = await store.automations.findRuns(project.id, automation.id, [date]);
    if (runs.length > 0) {
      // It ran on this day already.
    } else if (now() - at > longestDelayMs) {
      await this.#pass(
        watched,
        date,
        'No server was running at that time, and the run is more than a day overdue.',
      );
    } else if (await this.#hasOpenJob(watched)) {
      await this.#pass(watched, date, 'The job that it started before is still running.');
    } else await this.#start(watched, { keys: [date], evidence: '' }, date);
    this.#seen.set(automation.id, seen);
  }

  async #lookForTrigger(watched: Watched, when: Trigger): Promise<void> {
    const { now } = this.#services;
    const { project, automation } = watched;
    const seen = `${automation.id} ${automation.onSince}`;
    if (now() - Number(this.#seen.get(seen) ?? Number.NEGATIVE_INFINITY) < triggerEveryMs) return;
    this.#seen.set(seen, now());
    if (await this.#hasOpenJob(watched)) return;
    const memory = this.#memoryOf(watched);
    const found = await findTrigger({ services: this.#services, project, when, memory });
    if (found) await this.#start(watched, found, notStarted);
  }

  /** @param place where it is noted that no job was started */
  async #start(watched: Watched, cause: JobCause, place: string): Promise<void> {
    try {
      await this.#startJob(watched, cause);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.#pass(watched, place, error.message);
    }
  }

  /** @throws ApiError with the reason why no job can be started now */
  async #startJob({ project, automation }: Watched, { keys, evidence }: JobCause): Promise<void> {
    const { store, now } = this.#services;
    const { id, settings } = automation;
    const { name, jobsPerWeek, when } = settings;
    const prompt = [requestOf(settings), evidence].filter((part) => part !== '').join('\n\n');
    const startedBy: Starter = { automation: id, name, kind: isSchedule(when) ? 'schedule' : 'trigger' };
    const wanted = { ...newJob(project, prompt), startedBy };
    const spent = await refuseSpending(this.#services, project, wanted.model);
    if (spent !== undefined) throw new ApiError('invalid', spent);
    const { entries } = auditing({ kind: 'automation', id, name }, now);
    const noted = entries({ action: 'job.started', projectId: project.id, subject: wanted.id });
    const start = { automation: id, keys, perWeek: jobsPerWeek };
    const started = await store.callAudited('jobs', 'startJob', [wanted, start], noted);
    // Another node has started it, or somebody turned the automation off.
    if (started.kind === 'taken') return;
    if (started.kind === 'full') {
      throw new ApiError('invalid', `It has reached its limit of jobs in 7 days: ${jobsPerWeek}.`);
    }
    acceptedJob(started, 'jobs', undefined);
  }

  async #hasOpenJob({ project, automation: { id } }: Watched): Promise<boolean> {
    const { store } = this.#services;
    const { rows } = await store.automations.listRuns({ ...ofRuns(project, id), limit: newestRuns });
    const jobId = rows.find((run) => run.jobId !== null)?.jobId;
    if (!jobId) return false;
    return (await store.jobs.findJob(project.id, jobId))?.status === 'active';
  }

  async #pass({ project, automation }: Watched, key: string, reason: string): Promise<void> {
    const { store, now } = this.#services;
    await store.automations.noteRun(project.id, automation.id, { key, at: now(), reason });
  }

  #memoryOf(watched: Watched): Memory {
    const { automations } = this.#services.store;
    const { project, automation } = watched;
    return {
      known: async (keys) => {
        const runs = await automations.findRuns(project.id, automation.id, keys);
        return new Set(runs.map(({ key }) => key));
      },
      newest: async () =>
        (await automations.listRuns({ ...ofRuns(project, automation.id), limit: newestRuns })).rows,
      pass: (key, reason) => this.#pass(watched, key, reason),
    };
  }
}

const ofRuns = (project: LiveProject, id: Automation['id']) => ({ projectId: project.id, id, offset: 0 });

/** Looks now, for what became due while the server was off, and then every minute. Answers how to stop. */
export function keepStarting(services: AutomationServices): () => Promise<void> {
  const watch = new AutomationWatch(services);
  const failure = 'Automations could not be checked; trying again in a minute:';
  return periodically(() => watch.look(), { everyMs, isDueNow: true, log: services.log, failure }).stop;
}

/** What waits for something to happen. */
type Trigger = Exclude<Occasion, { kind: 'weekly' | 'monthly' }>;

/** What has happened that no job was started for yet. Undefined: nothing. */
async function findTrigger({ when, ...search }: Search<Trigger>): Promise<JobCause | undefined> {
  switch (when.kind) {
    case 'missing_page':
      return findMissingPages({ ...search, when });
    case 'unread_page':
      return findUnreadPages({ ...search, when });
    case 'release':
      return findRelease({ ...search, when });
    default:
      return when satisfies never;
  }
}
