import {
  addUsage,
  type FailureNote,
  type Job,
  type Lease,
  type Phase,
  phases,
  type RecordedPhase,
  type Turn,
  type TurnOutcome,
  type TurnRecord,
  toShown,
  type Usage,
} from '../../store/jobs/job.ts';
import type { JobStore } from '../../store/jobs/jobs.ts';
import type { NewEvent } from '../../store/jobs/transcript.ts';
import type { TurnMeter } from './turn-meter.ts';

/** Somebody else has the turn now, or the job was stopped or archived: nothing that is done for it counts any more. */
export class LeaseLost extends Error {}

interface TurnLeaseOptions {
  jobs: JobStore;
  claimed: Lease;
  leaseMs: number;
  meter: TurnMeter;
}

/** A turn as long as this process has it. Every method throws LeaseLost, and `signal` aborts, once it has it no more. */
export class TurnLease {
  readonly job: Job;
  readonly turn: Turn;
  /** What the newest earlier turn with a branch found out. */
  readonly earlier: TurnRecord | null;
  /** Why what an earlier turn committed is not delivered; null: nothing waits to be. */
  readonly unpublished: FailureNote | null;
  /** Prompts of the job's messages that wait behind this turn. */
  readonly waiting: readonly string[];
  /** With what was recorded since the turn was claimed. */
  record: TurnRecord;
  /** Of the turn's agent, over all attempts. */
  usage: Usage;
  #phase: RecordedPhase;
  readonly #options: TurnLeaseOptions;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(options: TurnLeaseOptions) {
    const { job, turn, earlier, unpublished, waiting } = options.claimed;
    this.job = job;
    this.turn = turn;
    this.earlier = earlier;
    this.unpublished = unpublished;
    this.waiting = waiting;
    this.record = turn.record;
    this.usage = turn.usage;
    // Claiming makes a queued turn a claimed one, and settled ones are not claimed.
    this.#phase = turn.phase === 'queued' || turn.phase === 'settled' ? 'claimed' : turn.phase;
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), options.leaseMs / 3);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Whether the phase is still to be done. */
  lacks(phase: Phase): boolean {
    return phases.indexOf(this.#phase) < phases.indexOf(phase);
  }

  /** Whether a commit waits to be pushed, or to be opened as a pull request. */
  get isDelivering(): boolean {
    return this.record.commit !== undefined && this.lacks('opened');
  }

  /** To be called before something is done outside: a runner that was paused learns by it that it is late. */
  async renew(): Promise<void> {
    const { jobs, claimed, leaseMs } = this.#options;
    this.#expect(await jobs.renewLease(claimed, leaseMs));
  }

  async reach(phase: RecordedPhase, found: TurnRecord, data: NewEvent['data'] = {}): Promise<void> {
    const { jobs, claimed } = this.#options;
    const event = { type: 'phase', data: { phase, ...data } };
    this.#expect(await jobs.recordPhase(claimed, phase, found, event));
    this.record = { ...this.record, ...found };
    this.#phase = phase;
  }

  /** Adds to the record without a new phase. */
  async note(found: TurnRecord): Promise<void> {
    const { jobs, claimed } = this.#options;
    this.#expect(await jobs.recordPhase(claimed, this.#phase, found, null));
    this.record = { ...this.record, ...found };
  }

  async say(event: NewEvent): Promise<void> {
    const { jobs, claimed } = this.#options;
    this.#expect(await jobs.appendEvents(claimed, [event]));
  }

  async remember(messages: readonly unknown[], usage?: Usage): Promise<void> {
    this.#expect(await this.#options.jobs.appendMessages(this.#options.claimed, [...messages], usage));
    if (!usage) return;
    this.usage = addUsage(this.usage, usage);
    this.#options.meter.use(usage);
  }

  /** What earlier attempts remembered. */
  async recall(): Promise<unknown[]> {
    return await this.#options.jobs.readTurnMessages(this.job.id, this.turn.number);
  }

  async forget(): Promise<void> {
    this.#expect(await this.#options.jobs.resetMessages(this.#options.claimed));
  }

  async settle(outcome: TurnOutcome, event: NewEvent): Promise<void> {
    const { jobs, claimed } = this.#options;
    const used = this.usage.steps === 0 ? {} : { usage: toShown(this.usage) };
    const model = this.record.madeBy?.at(-1);
    const data = { ...event.data, ...used, ...(model !== undefined && { model }) };
    this.#expect(await jobs.settleTurn(claimed, outcome, { ...event, data }));
    this.#options.meter.ends[outcome.status]++;
  }

  /** @param tried false: it was interrupted through no fault of its own */
  async handBack(waitMs: number, tried: boolean, event: NewEvent): Promise<void> {
    const { jobs, claimed } = this.#options;
    this.#expect(await jobs.releaseTurn(claimed, waitMs, tried, event));
    this.#options.meter.ends.handed_back++;
  }

  /** Whether it is still held shows in the signal alone: what is wrong with the store shows where the turn itself writes. */
  async look(): Promise<void> {
    await this.renew().catch(() => undefined);
  }

  /** Must be called in the end. */
  close(): void {
    clearInterval(this.#timer);
  }

  #expect(valid: boolean): void {
    if (valid) return;
    const lost = new LeaseLost('Another process took over the turn, or its job was stopped or archived.');
    this.#abort.abort(lost);
    throw lost;
  }
}
