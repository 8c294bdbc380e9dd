import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import type { Lease } from '../../store/job-store.ts';
import { JobFailure } from '../failure.ts';
import { Workspace } from '../git/workspace.ts';
import { createRedactor } from '../text/redaction.ts';
import { HeldTurn, LeaseLost } from './lease.ts';
import { hourly } from './maintenance.ts';
import { openDestination } from './target.ts';
import { runTurn } from './turn.ts';

/** Other processes tell nothing: the store is asked for their jobs. */
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

/** Works off queued turns until it is told to stop; answers how. */
export function keepWorking(context: Context): () => Promise<void> {
  if (context.config.jobs.maxTurns === 0) return async () => {};
  const runner = new Runner(context);
  const working = runner.run();
  return async () => {
    runner.stop();
    await working;
  };
}

class Runner {
  readonly #context: Context;
  readonly #workspace: Workspace;
  readonly #running = new Map<HeldTurn, Promise<void>>();
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};
  /** Somebody called while nobody waited. */
  #hasNews = false;
  #isReady = false;

  constructor(context: Context) {
    this.#context = context;
    const { path, protocols, network } = context.config.jobs.git;
    const root = join(context.config.dataDir, 'jobs');
    this.#workspace = new Workspace({ root, path, protocols, network, maxMirrorBytes, now: context.now });
  }

  stop(): void {
    this.#stopping.abort();
    this.#call();
  }

  async run(): Promise<void> {
    const stopListening = this.#context.jobNews.listen(({ kind, jobId }) => {
      if (kind === 'archived') this.#abortJob(jobId);
      this.#call();
    });
    const stopTidying = hourly(this.#context, async () => {
      if (this.#isReady) await this.#workspace.tidy();
    });
    while (!this.#stopping.signal.aborted) {
      try {
        // Only a server that has work needs git.
        if (!this.#isReady && (await this.#isDue())) {
          await this.#workspace.start();
          this.#isReady = true;
        }
        if (this.#isReady) await this.#claimAll();
        await this.#idle(pollMs);
      } catch (error) {
        const message = error instanceof JobFailure ? error.message : error;
        this.#context.log.error('No job can be worked on, it is tried again in half a minute:', message);
        await this.#idle(troubleMs);
      }
    }
    stopListening();
    await this.#finish();
    await stopTidying();
    await this.#workspace.close();
  }

  async #isDue(): Promise<boolean> {
    const at = await this.#context.store.jobs.nextDueAt();
    return at !== null && at <= this.#context.now();
  }

  async #claimAll(): Promise<void> {
    const { store, config, now } = this.#context;
    const { maxTurns, maxTurnsPerProject, leaseMs } = config.jobs;
    const limits = { total: maxTurns, perProject: maxTurnsPerProject, leaseMs };
    while (this.#running.size < maxTurns && !this.#stopping.signal.aborted && (await this.#isDue())) {
      const lease = await store.jobs.claimTurn(limits, now());
      if (!lease) return;
      this.#begin(lease);
    }
  }

  #begin(lease: Lease): void {
    const { store, config, now } = this.#context;
    const held = new HeldTurn({ jobs: store.jobs, lease, leaseMs: config.jobs.leaseMs, now });
    const work = this.#work(held)
      .catch((error: unknown) => this.#context.log.error(`Turn of ${held.job.id} was left:`, error))
      .finally(() => {
        held.close();
        this.#running.delete(held);
        this.#call();
      });
    this.#running.set(held, work);
  }

  /** Resolves at the next news, or when a pause ends. */
  async #idle(ms: number): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#hasNews) this.#wake();
    const timer = new AbortController();
    await Promise.race([woken, pause(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    this.#hasNews = false;
  }

  #call(): void {
    this.#hasNews = true;
    this.#wake();
  }

  #abortJob(jobId: string): void {
    for (const held of this.#running.keys()) {
      if (held.job.id === jobId) held.abort(new LeaseLost('The job was archived.'));
    }
  }

  /** Turns under way may end by themselves for a while; then they are handed back. */
  async #finish(): Promise<void> {
    const ended = Promise.all(this.#running.values());
    const timer = new AbortController();
    const grace = pause(this.#context.config.jobs.graceMs, undefined, { signal: timer.signal });
    await Promise.race([ended, grace.catch(() => undefined)]);
    timer.abort();
    for (const held of this.#running.keys()) held.abort(new Stopping('The server is stopping.'));
    await ended;
  }

  async #work(held: HeldTurn): Promise<void> {
    let redact = (text: string) => text;
    try {
      if (held.turn.attempt > maxDeaths) throw new JobFailure('unknown', diedTooOften);
      const context = this.#context;
      // Another process may have changed the project a moment ago.
      await context.registry.refresh();
      const project = context.registry.project(held.job.projectId);
      if (!project) throw new LeaseLost('The project is gone.');
      const destination = await openDestination(context, held.job, project, held.signal);
      redact = createRedactor(destination.secrets);
      await runTurn({ context, project, workspace: this.#workspace, destination, held, redact });
    } catch (error) {
      await this.#end(held, held.signal.aborted ? held.signal.reason : error, redact);
    }
  }

  async #end(held: HeldTurn, error: unknown, redact: (text: string) => string): Promise<void> {
    if (error instanceof LeaseLost) return;
    try {
      if (error instanceof Stopping) {
        await held.handBack(0, false, { type: 'retry', data: { message: handedBack } });
        return;
      }
      const { code: reason, message, passing, retryAfterMs } = this.#explain(held, error).redacted(redact);
      const failures = (held.record.failures ?? 0) + 1;
      if (passing && failures < maxAttempts) {
        await held.note({ failures });
        const backoff = this.#context.config.jobs.retryMs * 2 ** (failures - 1);
        const waitMs = Math.min(maxWaitMs, Math.max(backoff, retryAfterMs ?? 0));
        await held.handBack(waitMs, true, { type: 'retry', data: { reason, message, waitMs } });
      } else {
        await held.settle(
          { status: 'failed', prLink: undefined },
          { type: 'failed', data: { reason, message } },
        );
      }
    } catch (late) {
      if (!(late instanceof LeaseLost)) throw late;
    }
  }

  #explain(held: HeldTurn, error: unknown): JobFailure {
    if (error instanceof JobFailure) return error;
    this.#context.log.error(`A turn of ${held.job.id} failed:`, error);
    return new JobFailure('internal', 'This is a defect of Headcount: the log of the server has the cause.');
  }
}

const diedTooOften = `The server ended ${maxDeaths} times while it worked on this: look into its log before you ask again.`;
const handedBack = 'The server was stopped: the turn goes on when a server runs again.';
