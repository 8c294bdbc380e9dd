import type { NewEvent } from '../../jobs/job-event.ts';
import type { Lease, RecordedPhase, TurnOutcome, TurnRecord } from '../../jobs/job-turn.ts';
import type { Usage } from '../../jobs/usage.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import type { StoreClock } from '../store-clock.ts';
import {
  appendingEvents,
  appendingMessages,
  holderOf,
  leased,
  recordingPhase,
  type Statement,
} from './leased-turn.ts';

/** What runners do with the turns that they hold: each is one statement, but for the end, which has to see what waits. */
export class LeaseWriter {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Needs no lock of the job: it is one row, which is right before and after. */
  async renewLease(lease: Lease, leaseMs: number): Promise<boolean> {
    const text = `update turns set due_at = store_clock($4) + $5
      where job = (select id from jobs where public_id = $1) and number = $2 and fence = $3 and leased
      returning 1`;
    return this.#do({ text, values: [...this.#holder(lease), leaseMs] });
  }

  async recordPhase(
    lease: Lease,
    phase: RecordedPhase,
    found: TurnRecord,
    event: NewEvent | null,
  ): Promise<boolean> {
    return this.#do(recordingPhase(this.#holder(lease), { phase, found, events: event ? [event] : [] }));
  }

  async appendEvents(lease: Lease, events: NewEvent[]): Promise<boolean> {
    return this.#do(appendingEvents(this.#holder(lease), events, 'written'));
  }

  async appendMessages(lease: Lease, messages: unknown[], usage?: Usage): Promise<boolean> {
    return this.#do(appendingMessages(this.#holder(lease), messages, usage));
  }

  async resetMessages(lease: Lease): Promise<boolean> {
    const text = `with ${leased},
      dropped as (delete from messages m using leased l where m.job = l.job and m.turn = l.turn)
      select from leased`;
    return this.#do({ text, values: this.#holder(lease) });
  }

  async settleTurn(lease: Lease, outcome: TurnOutcome, event: NewEvent): Promise<boolean> {
    const holder = this.#holder(lease);
    const { messages = [] } = outcome;
    return this.#database.transaction(async (db) => {
      if (!(await done(db, appendingMessages(holder, messages)))) return false;
      // From here on the job's row is locked, and what waits behind this turn can be seen.
      await rest(db, lease, outcome, this.#clock());
      await done(db, appendingEvents(holder, [event], 'ended'));
      await settle(db, lease, outcome);
      return true;
    });
  }

  async releaseTurn(
    lease: Lease,
    waitMs: number,
    attemptCounts: boolean,
    event: NewEvent | null,
  ): Promise<boolean> {
    const holder = this.#holder(lease);
    const text = `with ${leased}
      update turns t set leased = false, due_at = l.now + $5, attempt = attempt - $6::int,
        phase = case phase when 'claimed' then 'queued' else phase end
      from leased l where t.job = l.job and t.number = l.turn returning 1`;
    return this.#database.transaction(async (db) => {
      if (!(await done(db, appendingEvents(holder, event ? [event] : [], 'ended')))) return false;
      return done(db, { text, values: [...holder, waitMs, attemptCounts ? 0 : 1] });
    });
  }

  #holder(lease: Lease) {
    return holderOf(lease, this.#clock());
  }

  #do(statement: Statement): Promise<boolean> {
    return done(this.#database, statement);
  }
}

/** Answers whether it did anything. */
async function done(db: Queryable, { text, values }: Statement): Promise<boolean> {
  const rows = await db.query(text, values);
  return rows.length > 0;
}

/** The job is what its last turn came to, unless another waits. */
async function rest(
  db: Queryable,
  { turn }: Lease,
  { status, failure, prLink }: TurnOutcome,
  now: number | null,
): Promise<void> {
  await db.query(
    `update jobs j set active_at = store_clock($6), failure = $4, pr_link = coalesce($5, pr_link),
       status = case when exists (
         select from turns where job = j.id and number <> $2 and phase <> 'settled') then 'active' else $3 end
     where public_id = $1`,
    [turn.jobId, turn.number, status, failure ? JSON.stringify(failure) : null, prLink || null, now],
  );
}

async function settle(db: Queryable, { turn }: Lease, { resumes, failure }: TurnOutcome): Promise<void> {
  await db.query(
    `update turns set phase = 'settled', leased = false, record = record || $3::text[],
       resumes_at = case when $4 then case phase when 'claimed' then 'queued' else phase end end
     where job = (select id from jobs where public_id = $1) and number = $2`,
    [turn.jobId, turn.number, resumes ? [JSON.stringify({ refusal: failure })] : [], resumes === true],
  );
}
