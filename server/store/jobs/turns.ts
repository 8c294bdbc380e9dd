import { has, type Sql } from '../../database/sql.ts';
import type { Now } from './job.ts';
import {
  type ClaimLimits,
  type Lease,
  noUsage,
  type Phase,
  type RecordedPhase,
  type Turn,
  type TurnOutcome,
  type TurnRecord,
  type Usage,
} from './job.ts';
import { type JobRow, jobColumns, jobTables, parseRecord, toJob } from './job-rows.ts';
import { appendEvents, type NewEvent } from './transcript.ts';

/** First in the queue of its job. */
const isNext = `t.phase <> 'settled' and not exists (
  select 1 from turns e where e.job = t.job and e.number < t.number and e.phase <> 'settled')`;

/** How often a turn may be gone when it is to be taken. */
const maxTries = 10;

/** Gives turns to runners. */
export function turns(sql: Sql) {
  return {
    /**
     * Takes the oldest due turn of the project that was handed none for the longest: queued and due, or its lease has run
     * out; no earlier unsettled turn in its job; limits kept. Raises its fence and counts the attempt; the phase that an
     * earlier attempt reached stays. Null: nothing to do.
     */
    claimTurn(at: Now, limits: ClaimLimits): Promise<Lease | null> {
      return sql.transaction(async (transaction) => {
        // One claim at a time, over all nodes: each counts what the one before took.
        await transaction.lock('claims', 0);
        const now = await transaction.now(at);
        for (let tries = 1; tries <= maxTries; tries++) {
          const due = await lockDue(transaction, limits, now);
          if (!due) return null;
          const turn = await take(transaction, due, limits.leaseMs, now);
          if (!turn) continue;
          await takeRound(transaction, turn.job);
          return toLease(transaction, turn);
        }
        return null;
      });
    },

    /**
     * Milliseconds until a turn may be due: a pause or a lease ends. 0 or less: one is due already, and `claimTurn` answers
     * null for it only while the limits are reached. Null: nothing waits.
     */
    async msUntilDue(at: Now): Promise<number | null> {
      const [next] = await sql.query<{ at: number | null }>(
        `select min(t.due_at) as at from turns t where ${isNext}`,
      );
      return next?.at == null ? null : next.at - (await sql.now(at));
    },
  };
}

type Due = Pick<TurnRow, 'job' | 'number'>;

/** Locks the job of the turn to be claimed, unless it is locked already. */
async function lockDue(sql: Sql, { total, perProject }: ClaimLimits, now: number): Promise<Due | undefined> {
  const [due] = await sql.query<Due>(
    `with at_work as materialized (
       select j.project, count(*) as turns from turns t join jobs j on j.id = t.job
       where t.leased and t.due_at > $1 group by j.project)
     select t.job, t.number from turns t join jobs j on j.id = t.job
       left join project_rounds r on r.project = j.project
       left join at_work w on w.project = j.project
     where t.due_at <= $1 and ${isNext}
       and (select coalesce(sum(turns), 0) from at_work) < $2 and coalesce(w.turns, 0) < $3
     order by r.round nulls first, t.created_at, t.job, t.number limit 1 ${sql.dialect.skipLocked('j')}`,
    [now, total, perProject],
  );
  return due;
}

interface TurnRow extends Usage, Pick<Turn, 'number' | 'phase' | 'attempt' | 'createdAtMs'> {
  job: number;
  /** JSON. */
  prompt: string;
  /** As `parseRecord` takes it. */
  record: string;
  fence: number;
}

/** Undefined: it was taken, or somebody has renewed its lease, between the two statements. */
async function take(
  sql: Sql,
  { job, number }: Due,
  leaseMs: number,
  now: number,
): Promise<TurnRow | undefined> {
  const [turn] = await sql.query<TurnRow>(
    `update turns as t set fence = fence + 1, attempt = attempt + 1, leased = true, due_at = $4,
       phase = case phase when 'queued' then 'claimed' else phase end
     where t.job = $1 and t.number = $2 and t.due_at <= $3 and ${isNext}
     returning job, number, prompt, phase, attempt, created_at as "createdAtMs", fence,
       ${sql.dialect.listAsJson('record')} as record, steps, input_tokens as "inputTokens",
       output_tokens as "outputTokens", cached_tokens as "cachedTokens", cost`,
    [job, number, now, now + leaseMs],
  );
  return turn;
}

async function takeRound(sql: Sql, job: number): Promise<void> {
  await sql.query(
    `insert into project_rounds (project, round)
     select project, (select coalesce(max(round), 0) + 1 from project_rounds) from jobs where id = $1
     on conflict (project) do update set round = excluded.round`,
    [job],
  );
}

async function toLease(sql: Sql, turn: TurnRow): Promise<Lease> {
  const { job: row, fence, prompt, record, ...counted } = turn;
  const { steps, inputTokens, outputTokens, cachedTokens, cost, ...rest } = counted;
  const recordOf = (which: string) =>
    `(select ${sql.dialect.listAsJson('record')} from turns where job = $1 and number < $2 and ${which} limit 1)`;
  const [found] = await sql.query<JobRow & { earlier: string | null; unpublished: string | null }>(
    `select ${jobColumns},
       ${recordOf('branch is not null order by number desc')} as earlier,
       ${recordOf('resumes_at is not null order by number')} as unpublished
     from ${jobTables} where j.id = $1`,
    [row, turn.number],
  );
  const { earlier, unpublished, ...job } = found as NonNullable<typeof found>;
  const waiting = await sql.query<{ prompt: string }>(
    `select prompt from turns where job = $1 and number > $2 and phase <> 'settled' order by number`,
    [row, turn.number],
  );
  return {
    turn: {
      ...rest,
      jobId: job.id,
      projectId: job.projectId,
      prompt: JSON.parse(prompt),
      record: parseRecord(record),
      usage: { steps, inputTokens, outputTokens, cachedTokens, cost },
    },
    job: toJob(job),
    earlier: earlier === null ? null : parseRecord(earlier),
    unpublished: unpublished === null ? null : (parseRecord(unpublished).refusal ?? null),
    waiting: waiting.map((one) => JSON.parse(one.prompt)),
    fence,
  };
}

/** What of a lease travels to the database: prompts and patches stay behind. */
export interface LeaseKey {
  jobId: string;
  number: number;
  fence: number;
  now: Now;
}

interface Held {
  job: number;
  turn: number;
  phase: Phase;
  now: number;
}

/**
 * What runners do with the turns that they hold. Each answers false, and changes nothing, when the lease has gone to somebody
 * else or the job is archived.
 */
export function leases(sql: Sql) {
  /** Locks the job's row, and the turn's. */
  const holding = (
    { jobId, number, fence, now }: LeaseKey,
    apply: (sql: Sql, held: Held) => Promise<void>,
  ): Promise<boolean> =>
    sql.transaction(async (transaction) => {
      const [held] = await transaction.query<Omit<Held, 'now'>>(
        `select t.job, t.number as turn, t.phase from jobs j join turns t on t.job = j.id
         where j.public_id = $1 and t.number = $2 and t.fence = $3 and t.leased ${sql.dialect.forUpdate}`,
        [jobId, number, fence],
      );
      if (!held) return false;
      await apply(transaction, { ...held, now: await transaction.now(now) });
      return true;
    });
  return {
    /** Holds a lease for longer. Needs no lock of the job: it is one row, which is right before and after. */
    async renewLease({ jobId, number, fence, now }: LeaseKey, leaseMs: number): Promise<boolean> {
      return has(
        sql,
        `update turns set due_at = $4
         where job = (select id from jobs where public_id = $1) and number = $2 and fence = $3 and leased
         returning number`,
        [jobId, number, fence, (await sql.now(now)) + leaseMs],
      );
    },

    /**
     * Records a phase and what it found out (merged into the record), with its line of the transcript. A pull request
     * in it becomes the job's `prLink` at once, the branch of a push the job's, and the base as soon as it is known.
     */
    recordPhase(
      lease: LeaseKey,
      phase: RecordedPhase,
      found: TurnRecord,
      event: NewEvent | null,
    ): Promise<boolean> {
      return holding(lease, async (transaction, held) => {
        const [recorded] = await transaction.query<{ branch: string | null }>(
          `update turns set phase = $3, record = ${sql.dialect.append('record', '$4')}, branch = coalesce($5, branch)
           where job = $1 and number = $2 returning branch`,
          [held.job, held.turn, phase, JSON.stringify(found), found.branch ?? null],
        );
        await transaction.query(
          `update jobs set base_branch = coalesce($2, base_branch), pr_link = coalesce($3, pr_link),
             branch = coalesce($4, branch) where id = $1`,
          [
            held.job,
            found.baseBranch ?? null,
            found.pullRequest?.url ?? null,
            phase === 'pushed' ? (recorded?.branch ?? null) : null,
          ],
        );
        await appendEvents(transaction, { ...held, events: event ? [event] : [], kind: 'written' });
      });
    },

    appendEvents: (lease: LeaseKey, events: NewEvent[]): Promise<boolean> =>
      holding(lease, (transaction, held) => appendEvents(transaction, { ...held, events, kind: 'written' })),

    /** Messages of the conversation, appended, with what they cost; JSON. */
    appendMessages: (lease: LeaseKey, messages: unknown[], usage?: Usage): Promise<boolean> =>
      holding(lease, (transaction, held) => appendMessages(transaction, held, messages, usage)),

    /** Deletes the messages of the turn where the conversation cannot go on from them; its usage stays. */
    resetMessages: (lease: LeaseKey): Promise<boolean> =>
      holding(lease, async (transaction, { job, turn }) => {
        await transaction.query('delete from messages where job = $1 and turn = $2', [job, turn]);
      }),

    /** Ends the turn; the job is `status` once no further turn waits, and active and without failure otherwise. */
    settleTurn(
      lease: LeaseKey,
      { status, prLink, failure, resumes = false, messages = [] }: TurnOutcome,
      event: NewEvent,
    ): Promise<boolean> {
      return holding(lease, async (transaction, held) => {
        const { job, turn, phase, now } = held;
        await appendMessages(transaction, held, messages);
        await transaction.query(
          `update jobs set active_at = $3, failure = $4, pr_link = coalesce($5, pr_link),
             status = case when exists (
               select 1 from turns where job = $1 and number <> $2 and phase <> 'settled') then 'active' else $6 end
           where id = $1`,
          [job, turn, now, failure ? JSON.stringify(failure) : null, prLink || null, status],
        );
        await appendEvents(transaction, { ...held, events: [event], kind: 'ended' });
        if (resumes) {
          await transaction.query(
            `update turns set resumes_at = $3, record = ${sql.dialect.append('record', '$4')}
             where job = $1 and number = $2`,
            [job, turn, phase === 'claimed' ? 'queued' : phase, JSON.stringify({ refusal: failure })],
          );
        }
        await transaction.query(
          `update turns set phase = 'settled', leased = false where job = $1 and number = $2`,
          [job, turn],
        );
      });
    },

    /**
     * Gives the turn back, to be claimed again after so long; `attemptCounts` false: it was interrupted, not tried.
     * Its phase stays, but `claimed` becomes `queued`.
     */
    releaseTurn(
      lease: LeaseKey,
      waitMs: number,
      attemptCounts: boolean,
      event: NewEvent | null,
    ): Promise<boolean> {
      return holding(lease, async (transaction, held) => {
        await appendEvents(transaction, { ...held, events: event ? [event] : [], kind: 'ended' });
        await transaction.query(
          `update turns set leased = false, due_at = $3, attempt = attempt - $4,
             phase = case phase when 'claimed' then 'queued' else phase end
           where job = $1 and number = $2`,
          [held.job, held.turn, held.now + waitMs, attemptCounts ? 0 : 1],
        );
      });
    },
  };
}

/** Numbers come from the row that is locked. */
export async function appendMessages(
  sql: Sql,
  { job, turn }: Pick<Held, 'job' | 'turn'>,
  messages: readonly unknown[],
  usage: Usage = noUsage,
): Promise<void> {
  const { steps, inputTokens, outputTokens, cachedTokens, cost } = usage;
  const [counted] = await sql.query<{ next: number }>(
    `update turns set next_message = next_message + $3, steps = steps + $4, input_tokens = input_tokens + $5,
       output_tokens = output_tokens + $6, cached_tokens = cached_tokens + $7,
       cost = case when cast($8 as bigint) is null then cost else coalesce(cost, 0) + cast($8 as bigint) end
     where job = $1 and number = $2 returning next_message as next`,
    [job, turn, messages.length, steps, inputTokens, outputTokens, cachedTokens, cost],
  );
  if (messages.length === 0) return;
  const first = (counted?.next ?? 0) - messages.length;
  const given = messages.map((message, i) => ({ position: first + i, message: JSON.stringify(message) }));
  await sql.query(
    `insert into messages (job, turn, position, message)
     select $1, $2, position, message
     from ${sql.dialect.rows('$3', { position: 'int', message: 'text' })} as given`,
    [job, turn, JSON.stringify(given)],
  );
}
