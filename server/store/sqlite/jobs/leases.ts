import type { Statement } from 'better-sqlite3';
import type { FailureNote } from '../../jobs/job.ts';
import type { NewEvent } from '../../jobs/job-event.ts';
import type { Phase, RecordedPhase, TurnOutcome, TurnRecord } from '../../jobs/job-turn.ts';
import type { Usage } from '../../jobs/usage.ts';
import type { Connection } from '../connection.ts';
import type { LeaseKey } from './lease-key.ts';
import { TranscriptWriter } from './transcript.ts';
import type { TurnRow } from './turns.ts';

/** Nobody has claimed the turn since, it has not ended or been given back, and its job is not archived. */
const isHeld = `job = (select id from jobs where public_id = @jobId) and number = @number
  and fence = @fence and leased = 1`;

/** What runners do with the turns that they hold. */
export class LeaseWriter {
  readonly #db: Connection;
  readonly #transcript: TranscriptWriter;
  readonly #find: Statement<[LeaseKey], TurnRow>;
  readonly #renew: Statement<[LeaseKey & { until: number }]>;
  readonly #record: Statement<[LeaseKey & { phase: Phase; record: string }]>;
  readonly #link: Statement<[string | null, number]>;
  readonly #name: Statement<[{ job: number; baseBranch: string | null; branch: string | null }]>;
  readonly #spend: Statement<[LeaseKey & Usage]>;
  readonly #addMessage: Statement<[{ job: number; number: number; message: string }]>;
  readonly #dropMessages: Statement<[number, number]>;
  readonly #settle: Statement<[LeaseKey & { record: string; resumes: number }]>;
  readonly #end: Statement<[{ job: number; status: string; now: number } & FailureNote]>;
  readonly #release: Statement<[LeaseKey & { dueAt: number; counted: number }]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#transcript = new TranscriptWriter(db);
    this.#find = db.prepare(`select * from turns where ${isHeld}`);
    this.#renew = db.prepare(`update turns set due_at = @until where ${isHeld}`);
    this.#record = db.prepare(`update turns set phase = @phase, record = @record where ${isHeld}`);
    this.#link = db.prepare('update jobs set pr_link = ? where id = ?');
    this.#name = db.prepare(
      `update jobs set base_branch = coalesce(@baseBranch, base_branch), branch = coalesce(@branch, branch)
       where id = @job`,
    );
    this.#spend = db.prepare(
      `update turns set steps = steps + @steps, input_tokens = input_tokens + @inputTokens,
         output_tokens = output_tokens + @outputTokens, cached_tokens = cached_tokens + @cachedTokens,
         cost = iif(@cost is null, cost, coalesce(cost, 0) + @cost)
       where ${isHeld}`,
    );
    this.#addMessage = db.prepare(
      `insert into messages (job, turn, position, message)
       select @job, @number, coalesce(max(position) + 1, 0), @message
       from messages where job = @job and turn = @number`,
    );
    this.#dropMessages = db.prepare('delete from messages where job = ? and turn = ?');
    this.#settle = db.prepare(
      `update turns set phase = 'settled', leased = 0, record = @record,
         resumes_at = iif(@resumes, iif(phase = 'claimed', 'queued', phase), null) where ${isHeld}`,
    );
    this.#end = db.prepare(
      `update jobs set active_at = @now, failure_code = nullif(@code, ''), failure_message = nullif(@message, ''),
         status = iif(exists (select 1 from turns where job = @job and phase <> 'settled'), 'active', @status)
       where id = @job`,
    );
    this.#release = db.prepare(
      `update turns set leased = 0, due_at = @dueAt, attempt = attempt - 1 + @counted,
         phase = iif(phase = 'claimed', 'queued', phase) where ${isHeld}`,
    );
  }

  renewLease(lease: LeaseKey, leaseMs: number): boolean {
    return this.#renew.run({ ...lease, until: lease.now + leaseMs }).changes === 1;
  }

  recordPhase(lease: LeaseKey, phase: RecordedPhase, found: TurnRecord, event: NewEvent | null): boolean {
    return this.#change(lease, ({ job, record }) => {
      const merged: TurnRecord = { ...JSON.parse(record), ...found };
      this.#record.run({ ...lease, phase, record: JSON.stringify(merged) });
      if (found.pullRequest) this.#link.run(found.pullRequest.url, job);
      this.#nameBranches(job, phase, merged);
      if (event) this.#transcript.append(job, lease.number, [event], lease.now);
    });
  }

  appendEvents(lease: LeaseKey, events: NewEvent[]): boolean {
    return this.#change(lease, ({ job }) => this.#transcript.append(job, lease.number, events, lease.now));
  }

  appendMessages(lease: LeaseKey, messages: unknown[], usage?: Usage): boolean {
    return this.#change(lease, (turn) => {
      this.#add(turn, messages);
      if (usage) this.#spend.run({ ...lease, ...usage });
    });
  }

  resetMessages(lease: LeaseKey): boolean {
    return this.#change(lease, ({ job, number }) => this.#dropMessages.run(job, number));
  }

  settleTurn(lease: LeaseKey, outcome: TurnOutcome, event: NewEvent): boolean {
    const { status, prLink, failure, resumes = false, messages = [] } = outcome;
    return this.#change(lease, (turn) => {
      const { job } = turn;
      const record = resumes ? JSON.stringify({ ...JSON.parse(turn.record), refusal: failure }) : turn.record;
      this.#settle.run({ ...lease, record, resumes: resumes ? 1 : 0 });
      if (prLink) this.#link.run(prLink, job);
      this.#add(turn, messages);
      this.#end.run({
        job,
        status,
        now: lease.now,
        code: failure?.code ?? '',
        message: failure?.message ?? '',
      });
      this.#transcript.append(job, lease.number, [event], lease.now);
    });
  }

  releaseTurn(lease: LeaseKey, waitMs: number, attemptCounts: boolean, event: NewEvent | null): boolean {
    const dueAt = lease.now + waitMs;
    return this.#change(lease, ({ job }) => {
      this.#release.run({ ...lease, dueAt, counted: attemptCounts ? 1 : 0 });
      if (event) this.#transcript.append(job, lease.number, [event], lease.now);
    });
  }

  /** The base is known once it is pinned, and the branch is there once it was pushed. */
  #nameBranches(job: number, phase: Phase, { baseBranch, branch }: TurnRecord): void {
    const pushed = phase === 'pushed' ? branch : undefined;
    this.#name.run({ job, baseBranch: baseBranch ?? null, branch: pushed ?? null });
  }

  #add({ job, number }: TurnRow, messages: readonly unknown[]): void {
    for (const message of messages) {
      this.#addMessage.run({ job, number, message: JSON.stringify(message) });
    }
  }

  /** Does nothing for those who have lost the turn. */
  #change(lease: LeaseKey, apply: (turn: TurnRow) => void): boolean {
    return this.#write(() => {
      const turn = this.#find.get(lease);
      if (!turn) return false;
      apply(turn);
      return true;
    });
  }

  #write<T>(apply: () => T): T {
    return this.#db.transaction(apply).immediate();
  }
}
