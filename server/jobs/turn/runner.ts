import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { secondsSince } from '../../metrics/meter.ts';
import type { Lease } from '../../store/jobs/job.ts';
import { StoreError } from '../../store/store.ts';
import { findSandboxFault, sandboxOf } from '../agent/command/sandbox.ts';
import { JobFailure } from '../failure.ts';
import { GitClient } from '../git/git-client.ts';
import { GitOutput } from '../git/git-failure.ts';
import { createRedactor } from '../text/redaction.ts';
import { Alarm } from './alarm.ts';
import { failTurn, leaveForLater } from './ending.ts';
import { LeaseLost, TurnLease } from './lease.ts';
import { hourly } from './maintenance.ts';
import { followMove } from './moved-repository.ts';
import { answerFailedTurn } from './publishing/answer.ts';
import type { JobServices } from './services.ts';
import { openTarget } from './target.ts';
import { runTurn } from './turn.ts';
import type { TurnContext } from './turn-context.ts';

/** News may be lost, and pauses end without any: the store is asked. */
const pollMs = 1_000;
/** After something that no turn can help, such as a missing git. */
const troubleMs = 30_000;
/** Of a turn, for passing errors. */
const maxAttempts = 3;
/** More than passing errors explain: the turn itself ends the process. */
const maxDeaths = 10;
const maxWaitMs = 60 * 60 * 1000;
const maxMirrorBytes = 10_000_000_000;

/** The server is stopping, and turns go back to the queue. */
class Stopping extends Error {}

/** Runs queued turns until it is stopped; returns how to stop it. */
export function startRunner(services: JobServices): () => Promise<void> {
  if (services.config.jobs.maxTurns === 0) return async () => {};
  const runner = new Runner(services);
  void warnOfSandbox(services);
  const working = runner.run();
  return async () => {
    runner.stop();
    await working;
  };
}

/** Before the first job of an outside agent fails for it. */
async function warnOfSandbox({ registry, config, log }: JobServices): Promise<void> {
  const confined = [...registry.projects()].filter(
    ({ settings }) => settings.agentCommand !== null && !settings.agentUnconfined,
  );
  if (confined.length === 0) return;
  const fault = await findSandboxFault(sandboxOf(config), config.jobs.git.path);
  if (fault !== undefined) log.error(fault);
}

class Runner {
  readonly #services: JobServices;
  readonly #gitClient: GitClient;
  readonly #running = new Map<TurnLease, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #alarm = new Alarm();
  #isReady = false;

  constructor(services: JobServices) {
    this.#services = services;
    const { path, protocols, network } = services.config.jobs.git;
    const root = join(services.config.dataDir, 'jobs');
    const { mayReach } = services.config.jobs;
    const options = { root, path, protocols, mayReach, network, maxMirrorBytes, now: services.now };
    this.#gitClient = new GitClient(options);
  }

  stop(): void {
    this.#stopping.abort();
    this.#alarm.ring();
  }

  async run(): Promise<void> {
    const stopListening = this.#services.store.jobs.onNews((news) => {
      if (news?.kind === 'archived') this.#lookAtJob(news.jobId);
      if (news === null) this.#lookAtLeases();
      if (news?.kind !== 'written') this.#alarm.ring();
    });
    const stopTidying = hourly(this.#services, async () => {
      if (this.#isReady) await this.#gitClient.tidy();
    });
    while (!this.#stopping.signal.aborted) {
      this.#services.runnerPulse.beat();
      try {
        // Only a server that has work needs git.
        if (!this.#isReady && (await this.#isDue())) {
          await this.#gitClient.start();
          this.#isReady = true;
        }
        if (this.#isReady) await this.#claimAll();
        await this.#alarm.sleep(pollMs);
      } catch (error) {
        const message = error instanceof JobFailure ? error.message : error;
        this.#services.log.error('Jobs cannot be run; trying again in 30 seconds:', message);
        await this.#alarm.sleep(troubleMs);
      }
    }
    stopListening();
    await this.#finish();
    await stopTidying();
    await this.#gitClient.close();
  }

  async #isDue(): Promise<boolean> {
    const ms = await this.#services.store.jobs.msUntilDue();
    return ms !== null && ms <= 0;
  }

  async #claimAll(): Promise<void> {
    const { store, config } = this.#services;
    const { maxTurns, maxTurnsPerProject, leaseMs } = config.jobs;
    const limits = { total: maxTurns, perProject: maxTurnsPerProject, leaseMs };
    while (this.#running.size < maxTurns && !this.#stopping.signal.aborted && (await this.#isDue())) {
      const claimed = await store.jobs.claimTurn(limits);
      if (!claimed) return;
      this.#begin(claimed);
    }
  }

  #begin(claimed: Lease): void {
    const { store, config, turnMeter: meter } = this.#services;
    const lease = new TurnLease({ jobs: store.jobs, claimed, leaseMs: config.jobs.leaseMs, meter });
    const startedAt = performance.now();
    const running = this.#run(lease)
      .catch((error: unknown) => this.#services.log.error(`A turn of ${lease.job.id} was abandoned:`, error))
      .finally(() => {
        meter.seconds.observe(secondsSince(startedAt));
        lease.close();
        this.#running.delete(lease);
        this.#alarm.ring();
      });
    this.#running.set(lease, running);
  }

  #lookAtJob(jobId: string): void {
    for (const lease of this.#running.keys()) {
      // A later turn of a job that was stopped may be at work already.
      if (lease.job.id === jobId) void lease.look();
    }
  }

  /** Those that were lost unheard end here. */
  #lookAtLeases(): void {
    for (const lease of this.#running.keys()) void lease.look();
  }

  /** Turns under way may end by themselves for a while; then they are handed back. */
  async #finish(): Promise<void> {
    const ended = Promise.all(this.#running.values());
    const timer = new AbortController();
    const grace = pause(this.#services.config.jobs.graceMs, undefined, { signal: timer.signal });
    await Promise.race([ended, grace.catch(() => undefined)]);
    timer.abort();
    for (const lease of this.#running.keys()) lease.abort(new Stopping('The server is stopping.'));
    await ended;
  }

  async #run(lease: TurnLease): Promise<void> {
    let context: TurnContext | undefined;
    try {
      if (lease.unpublished) return await leaveForLater(lease, lease.unpublished);
      if (lease.turn.attempt > maxDeaths) throw new JobFailure('unknown', diedTooOften);
      const services = this.#services;
      // Another process may have changed the project a moment ago.
      await services.registry.refresh();
      const project = services.registry.project(lease.job.projectId);
      if (!project) throw new LeaseLost('The project is gone.');
      const target = await openTarget(services, lease.job, project, lease.signal);
      const redact = createRedactor(target.secrets);
      context = { services, project, gitClient: this.#gitClient, target, lease, redact };
      await runTurn(context);
    } catch (error) {
      const reason = lease.signal.aborted ? lease.signal.reason : error;
      if (await this.#follow(lease, reason, context)) return;
      await this.#end(lease, reason, context);
    }
  }

  /** Goes on where the repository of the project is by now. @returns whether that is known */
  async #follow(lease: TurnLease, error: unknown, context: TurnContext | undefined): Promise<boolean> {
    if (!(error instanceof JobFailure) || error.code !== 'moved' || !context) return false;
    try {
      const { project, target } = context;
      const address = await followMove(this.#services, project, { ...target, signal: lease.signal });
      if (address === undefined) return false;
      const message = `The repository is at ${address} now: the project and its jobs follow.`;
      await lease.handBack(0, true, { type: 'retry', data: { message } });
      return true;
    } catch (late) {
      if (late instanceof LeaseLost) return true;
      throw late;
    }
  }

  /** @param context what the turn was worked on with, as far as it came to that */
  async #end(lease: TurnLease, error: unknown, context: TurnContext | undefined): Promise<void> {
    if (error instanceof LeaseLost) return;
    const { retryMs } = this.#services.config.jobs;
    try {
      if (error instanceof Stopping) {
        await lease.handBack(0, false, { type: 'retry', data: { message: handedBack } });
        return;
      }
      if (error instanceof StoreError && error.code === 'unavailable') {
        const data = { message: outage, waitMs: retryMs };
        await lease.handBack(retryMs, true, { type: 'retry', data });
        return;
      }
      const redact = context?.redact ?? ((text: string) => text);
      const explained = this.#explain(lease, error);
      const failure = explained.redacted(redact);
      if (explained.cause instanceof GitOutput) {
        const said = redact(explained.cause.message);
        this.#services.log.error(`A turn of ${lease.job.id} failed (${failure.code}), git said:`, said);
      }
      const { code: reason, message, passing, retryAfterMs } = failure;
      const failures = (lease.record.failures ?? 0) + 1;
      // The mirror was made again in between: a third try would end like the second, and be paid like it.
      const attempts = reason === 'mirror_damaged' ? 2 : maxAttempts;
      if (passing && failures < attempts) {
        await lease.note({ failures });
        const backoff = retryMs * 2 ** (failures - 1);
        const waitMs = Math.min(maxWaitMs, Math.max(backoff, retryAfterMs ?? 0));
        await lease.handBack(waitMs, true, { type: 'retry', data: { reason, message, waitMs } });
      } else {
        if (context) await answerFailedTurn(context, failure);
        await failTurn(lease, failure);
      }
    } catch (late) {
      if (!(late instanceof LeaseLost)) throw late;
    }
  }

  #explain(lease: TurnLease, error: unknown): JobFailure {
    if (error instanceof JobFailure) return error;
    this.#services.log.error(`A turn of ${lease.job.id} failed:`, error);
    return new JobFailure('internal', 'This is a defect of Headcount: the log of the server has the cause.');
  }
}

const diedTooOften = `The server ended ${maxDeaths} times while it worked on this: check its log before you ask again.`;
const outage = 'The database was unavailable for a moment: the turn continues from what was recorded.';
const handedBack = 'The server was stopped: the turn continues when a server runs again.';
