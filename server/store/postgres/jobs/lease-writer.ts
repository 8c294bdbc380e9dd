import type {
  FailureNote,
  Lease,
  NewEvent,
  RecordedPhase,
  TurnOutcome,
  TurnRecord,
  Usage,
} from '../../job-store.ts';
import type { Database } from '../database.ts';
import type { Session } from '../session.ts';
import type { StoreClock } from './store-clock.ts';
import { appendEvents, appendMessages } from './transcript.ts';

/** A turn whose job's row is locked by who holds its lease. */
interface Held {
  session: Session;
  job: number;
  turn: number;
  record: string;
  now: number;
}

/** What runners do with the turns that they hold. */
export class LeaseWriter {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Needs no lock of the job: it is one row, which is right before and after. */
  async renewLease(lease: Lease, leaseMs: number): Promise<boolean> {
    const renewed = await this.#database.query(
      `update turns set due_at = store_clock($4) + $5
       where job = (select id from jobs where public_id = $1) and number = $2 and fence = $3 and leased
       returning 1`,
      [lease.turn.jobId, lease.turn.number, lease.fence, this.#clock(), leaseMs],
    );
    return renewed.length === 1;
  }

  recordPhase(
    lease: Lease,
    phase: RecordedPhase,
    found: TurnRecord,
    event: NewEvent | null,
  ): Promise<boolean> {
    return this.#change(lease, async (held) => {
      const record: TurnRecord = { ...JSON.parse(held.record), ...found };
      await held.session.query(
        'update turns set phase = $3, record = $4, branch = $5 where job = $1 and number = $2',
        [held.job, held.turn, phase, JSON.stringify(record), record.branch ?? null],
      );
      await nameBranches(held, phase, record, found.pullRequest?.url);
      await appendEvents(held.session, { ...held, events: event ? [event] : [], kind: 'written' });
    });
  }

  appendEvents(lease: Lease, events: NewEvent[]): Promise<boolean> {
    return this.#change(lease, (held) => appendEvents(held.session, { ...held, events, kind: 'written' }));
  }

  appendMessages(lease: Lease, messages: unknown[], usage?: Usage): Promise<boolean> {
    return this.#change(lease, async (held) => {
      await appendMessages(held.session, { ...held, messages });
      if (usage) await spendTokens(held, usage);
    });
  }

  resetMessages(lease: Lease): Promise<boolean> {
    return this.#change(lease, async ({ session, job, turn }) => {
      await session.query('delete from messages where job = $1 and turn = $2', [job, turn]);
    });
  }

  settleTurn(lease: Lease, outcome: TurnOutcome, event: NewEvent): Promise<boolean> {
    const { messages = [] } = outcome;
    return this.#change(lease, async (held) => {
      await settle(held, outcome);
      await appendMessages(held.session, { ...held, messages });
      await rest(held, outcome);
      await appendEvents(held.session, { ...held, events: [event], kind: 'ended' });
    });
  }

  releaseTurn(
    lease: Lease,
    waitMs: number,
    attemptCounts: boolean,
    event: NewEvent | null,
  ): Promise<boolean> {
    return this.#change(lease, async (held) => {
      const { session, job, turn, now } = held;
      await session.query(
        `update turns set leased = false, due_at = $3, attempt = attempt - $4::int,
           phase = case phase when 'claimed' then 'queued' else phase end
         where job = $1 and number = $2`,
        [job, turn, now + waitMs, attemptCounts ? 0 : 1],
      );
      await appendEvents(session, { ...held, events: event ? [event] : [], kind: 'ended' });
    });
  }

  /** Does nothing for those who have lost the turn. */
  #change(lease: Lease, apply: (held: Held) => Promise<void>): Promise<boolean> {
    return this.#database.transaction(async (session) => {
      // Whoever waits for the locks is asked again how both rows are then.
      const [held] = await session.query<Omit<Held, 'session'>>(
        `select t.job, t.number as turn, t.record, store_clock($4) as now
         from jobs j join turns t on t.job = j.id
         where j.public_id = $1 and t.number = $2 and t.fence = $3 and t.leased
         for no key update of j, t`,
        [lease.turn.jobId, lease.turn.number, lease.fence, this.#clock()],
      );
      if (held) await apply({ session, ...held });
      return held !== undefined;
    });
  }
}

/** The base is known once it is pinned, and the branch is there once it was pushed. */
async function nameBranches(
  { session, job }: Held,
  phase: RecordedPhase,
  { baseBranch, branch }: TurnRecord,
  prLink: string | undefined,
): Promise<void> {
  const pushed = phase === 'pushed' ? branch : undefined;
  await session.query(
    `update jobs set base_branch = coalesce($2, base_branch), branch = coalesce($3, branch),
       pr_link = coalesce($4, pr_link)
     where id = $1`,
    [job, baseBranch ?? null, pushed ?? null, prLink ?? null],
  );
}

async function spendTokens(
  { session, job, turn }: Held,
  { steps, inputTokens, outputTokens, cachedTokens }: Usage,
): Promise<void> {
  await session.query(
    `update turns set steps = steps + $3, input_tokens = input_tokens + $4, output_tokens = output_tokens + $5,
       cached_tokens = cached_tokens + $6
     where job = $1 and number = $2`,
    [job, turn, steps, inputTokens, outputTokens, cachedTokens],
  );
}

async function settle(
  { session, job, turn, record }: Held,
  { resumes = false, failure }: TurnOutcome,
): Promise<void> {
  const settled = resumes ? JSON.stringify({ ...JSON.parse(record), refusal: failure }) : record;
  await session.query(
    `update turns set phase = 'settled', leased = false, record = $3,
       resumes_at = case when $4 then case phase when 'claimed' then 'queued' else phase end end
     where job = $1 and number = $2`,
    [job, turn, settled, resumes],
  );
}

/** The job is what its last turn came to, unless another waits. */
async function rest({ session, job, now }: Held, { status, failure, prLink }: TurnOutcome): Promise<void> {
  await session.query(
    `update jobs set active_at = $2, failure = $3, pr_link = coalesce($5, pr_link),
       status = case when exists (select from turns where job = $1 and phase <> 'settled') then 'active' else $4 end
     where id = $1`,
    [job, now, toJson(failure), status, prLink || null],
  );
}

function toJson(failure: FailureNote | undefined): string | null {
  return failure ? JSON.stringify(failure) : null;
}
