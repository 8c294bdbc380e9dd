import type { Statement } from 'better-sqlite3';
import type {
  ClaimLimits,
  Lease,
  NewEvent,
  Phase,
  RecordedPhase,
  TurnOutcome,
  TurnRecord,
} from '../../job-store.ts';
import type { Connection } from '../connection.ts';
import { type JobRow, jobColumns, jobTables, toJob } from './jobs.ts';
import { TranscriptWriter } from './transcript.ts';

/** What of a lease travels to the writer: prompts and patches stay behind. */
export interface Held {
  jobId: string;
  number: number;
  fence: number;
}

interface TurnRow {
  job: number;
  number: number;
  prompt: string;
  phase: Phase;
  attempt: number;
  created_at: number;
  due_at: number;
  fence: number;
  record: string;
}

/** Nobody has claimed the turn since, it has not ended or been given back, and its job is not archived. */
const isHeld = `job = (select id from jobs where public_id = @jobId) and number = @number
  and fence = @fence and leased = 1`;

/** First in the queue of its job. */
const isNext = `t.phase <> 'settled' and not exists (
  select 1 from turns e where e.job = t.job and e.number < t.number and e.phase <> 'settled')`;

/** What runners do with turns. */
export class TurnWriter {
  readonly #db: Connection;
  readonly #transcript: TranscriptWriter;
  readonly #claim: Statement<[ClaimLimits & { now: number }], TurnRow>;
  readonly #job: Statement<[number], JobRow>;
  readonly #earlier: Statement<[number, number], { record: string }>;
  readonly #find: Statement<[Held], TurnRow>;
  readonly #renew: Statement<[Held & { until: number }]>;
  readonly #record: Statement<[Held & { phase: Phase; record: string }]>;
  readonly #link: Statement<[string | null, number]>;
  readonly #addMessage: Statement<[{ job: number; number: number; message: string }]>;
  readonly #dropMessages: Statement<[number, number]>;
  readonly #settle: Statement<[Held]>;
  readonly #end: Statement<[{ job: number; status: string; now: number }]>;
  readonly #release: Statement<[Held & { dueAt: number; counted: number }]>;

  constructor(db: Connection) {
    this.#db = db;
    this.#transcript = new TranscriptWriter(db);
    // cross join: SQLite keeps this order, the few turns at work first and not all jobs of the project.
    this.#claim = db.prepare(
      `update turns set fence = fence + 1, attempt = attempt + 1, leased = 1, due_at = @now + @leaseMs,
         phase = iif(phase = 'queued', 'claimed', phase)
       where (job, number) = (
         select t.job, t.number from turns t join jobs j on j.id = t.job
         where t.due_at <= @now and ${isNext}
           and (select count(*) from turns w where w.leased = 1 and w.due_at > @now) < @total
           and (select count(*) from turns w cross join jobs k on k.id = w.job
                where w.leased = 1 and w.due_at > @now and k.project = j.project) < @perProject
         order by t.created_at, t.job, t.number limit 1)
       returning *`,
    );
    this.#job = db.prepare(`select ${jobColumns} from ${jobTables} where j.id = ?`);
    this.#earlier = db.prepare(
      `select record from turns where job = ? and number < ? and record ->> 'branch' is not null
       order by number desc limit 1`,
    );
    this.#find = db.prepare(`select * from turns where ${isHeld}`);
    this.#renew = db.prepare(`update turns set due_at = @until where ${isHeld}`);
    this.#record = db.prepare(`update turns set phase = @phase, record = @record where ${isHeld}`);
    this.#link = db.prepare('update jobs set pr_link = ? where id = ?');
    this.#addMessage = db.prepare(
      `insert into messages (job, turn, position, message)
       select @job, @number, coalesce(max(position) + 1, 0), @message
       from messages where job = @job and turn = @number`,
    );
    this.#dropMessages = db.prepare('delete from messages where job = ? and turn = ?');
    this.#settle = db.prepare(`update turns set phase = 'settled', leased = 0 where ${isHeld}`);
    this.#end = db.prepare(
      `update jobs set active_at = @now, status = iif(
         exists (select 1 from turns where job = @job and phase <> 'settled'), 'active', @status)
       where id = @job`,
    );
    this.#release = db.prepare(
      `update turns set leased = 0, due_at = @dueAt, attempt = attempt - 1 + @counted,
         phase = iif(phase = 'claimed', 'queued', phase) where ${isHeld}`,
    );
  }

  claimTurn(limits: ClaimLimits, now: number): Lease | null {
    return this.#write(() => {
      const turn = this.#claim.get({ ...limits, now });
      if (!turn) return null;
      const earlier = this.#earlier.get(turn.job, turn.number);
      return toLease(turn, this.#job.get(turn.job) as JobRow, earlier?.record);
    });
  }

  renewLease(lease: Held, leaseMs: number, now: number): boolean {
    return this.#renew.run({ ...lease, until: now + leaseMs }).changes === 1;
  }

  recordPhase(
    lease: Held,
    phase: RecordedPhase,
    found: TurnRecord,
    event: NewEvent | null,
    now: number,
  ): boolean {
    return this.#change(lease, ({ job, record }) => {
      const merged = JSON.stringify({ ...JSON.parse(record), ...found });
      this.#record.run({ ...lease, phase, record: merged });
      if (found.pullRequest) this.#link.run(found.pullRequest.url, job);
      if (event) this.#transcript.append(job, lease.number, [event], now);
    });
  }

  appendEvents(lease: Held, events: NewEvent[], now: number): boolean {
    return this.#change(lease, ({ job }) => this.#transcript.append(job, lease.number, events, now));
  }

  appendMessages(lease: Held, messages: unknown[]): boolean {
    return this.#change(lease, ({ job, number }) => {
      for (const message of messages) {
        this.#addMessage.run({ job, number, message: JSON.stringify(message) });
      }
    });
  }

  resetMessages(lease: Held): boolean {
    return this.#change(lease, ({ job, number }) => this.#dropMessages.run(job, number));
  }

  settleTurn(lease: Held, { status, prLink }: TurnOutcome, event: NewEvent, now: number): boolean {
    return this.#change(lease, ({ job }) => {
      this.#settle.run(lease);
      if (prLink) this.#link.run(prLink, job);
      this.#end.run({ job, status, now });
      this.#transcript.append(job, lease.number, [event], now);
    });
  }

  releaseTurn(
    lease: Held,
    dueAt: number,
    attemptCounts: boolean,
    event: NewEvent | null,
    now: number,
  ): boolean {
    return this.#change(lease, ({ job }) => {
      this.#release.run({ ...lease, dueAt, counted: attemptCounts ? 1 : 0 });
      if (event) this.#transcript.append(job, lease.number, [event], now);
    });
  }

  /** Does nothing for those who have lost the turn. */
  #change(lease: Held, apply: (turn: TurnRow) => void): boolean {
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

function toLease(turn: TurnRow, job: JobRow, earlier: string | undefined): Lease {
  return {
    turn: {
      jobId: job.id,
      projectId: job.projectId,
      number: turn.number,
      prompt: turn.prompt,
      phase: turn.phase,
      attempt: turn.attempt,
      createdAtMs: turn.created_at,
      record: JSON.parse(turn.record),
    },
    job: toJob(job),
    earlier: earlier === undefined ? null : JSON.parse(earlier),
    fence: turn.fence,
    untilMs: turn.due_at,
  };
}

/** When the runner should look again. */
export class TurnReader {
  readonly #nextDue: Statement<[], { at: number | null }>;

  constructor(db: Connection) {
    this.#nextDue = db.prepare(`select min(t.due_at) as at from turns t where ${isNext}`);
  }

  nextDueAt(): number | null {
    return this.#nextDue.get()?.at ?? null;
  }
}
