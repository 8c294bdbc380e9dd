import type { ClaimLimits, Lease, Phase } from '../../jobs/job-turn.ts';
import type { Usage } from '../../jobs/usage.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';
import { readClock, type StoreClock } from '../store-clock.ts';
import { type JobRow, jobColumns, jobTables, joinRecord, toJob } from './job-rows.ts';

interface TurnRow extends Usage {
  job: number;
  number: number;
  prompt: string;
  phase: Phase;
  attempt: number;
  createdAtMs: number;
  fence: number;
  record: string[];
}

/** First in the queue of its job. */
const isNext = `t.phase <> 'settled' and not exists (
  select from turns e where e.job = t.job and e.number < t.number and e.phase <> 'settled')`;

/** How often a turn may be gone when it is to be taken. */
const maxTries = 10;

/** Gives turns to runners. */
export class TurnWriter {
  readonly #database: Database;
  readonly #clock: StoreClock;

  constructor(database: Database, clock: StoreClock) {
    this.#database = database;
    this.#clock = clock;
  }

  claimTurn(limits: ClaimLimits): Promise<Lease | null> {
    return this.#database.transaction(async (db) => {
      // One claim at a time, over all nodes: each counts what the one before took.
      await db.query('select pg_advisory_xact_lock(4, 0)');
      const now = await readClock(db, this.#clock);
      for (let tries = 1; tries <= maxTries; tries++) {
        const due = await lockDue(db, limits, now);
        const turn = due && (await take(db, due, limits.leaseMs, now));
        if (turn) {
          await takeRound(db, turn.job);
          return await toLease(db, turn);
        }
        if (!due) return null;
      }
      return null;
    });
  }

  async msUntilDue(): Promise<number | null> {
    const [next] = await this.#database.query<{ ms: number | null }>(
      `select min(t.due_at) - store_clock($1) as ms from turns t where ${isNext}`,
      [this.#clock()],
    );
    return next?.ms ?? null;
  }
}

/** Locks the job of the turn that is to be taken, unless somebody is at it just now. */
async function lockDue(
  db: Queryable,
  { total, perProject }: ClaimLimits,
  now: number,
): Promise<Pick<TurnRow, 'job' | 'number'> | undefined> {
  const [due] = await db.query<Pick<TurnRow, 'job' | 'number'>>(
    `with at_work as materialized (
       select j.project, count(*) as turns from turns t join jobs j on j.id = t.job
       where t.leased and t.due_at > $1 group by j.project)
     select t.job, t.number from turns t join jobs j on j.id = t.job
       left join project_rounds r on r.project = j.project
       left join at_work w on w.project = j.project
     where t.due_at <= $1 and ${isNext}
       and (select coalesce(sum(turns), 0) from at_work) < $2 and coalesce(w.turns, 0) < $3
     order by r.round nulls first, t.created_at, t.job, t.number limit 1
     for no key update of j skip locked`,
    [now, total, perProject],
  );
  return due;
}

/** Undefined: it was taken, or somebody has renewed its lease, between the two statements. */
async function take(
  db: Queryable,
  { job, number }: Pick<TurnRow, 'job' | 'number'>,
  leaseMs: number,
  now: number,
): Promise<TurnRow | undefined> {
  const [turn] = await db.query<TurnRow>(
    `update turns t set fence = fence + 1, attempt = attempt + 1, leased = true, due_at = $3 + $4,
       phase = case phase when 'queued' then 'claimed' else phase end
     where t.job = $1 and t.number = $2 and t.due_at <= $3 and ${isNext}
     returning job, number, prompt, phase, attempt, created_at as "createdAtMs", fence, record, steps,
       input_tokens as "inputTokens", output_tokens as "outputTokens", cached_tokens as "cachedTokens", cost`,
    [job, number, now, leaseMs],
  );
  return turn;
}

async function takeRound(db: Queryable, job: number): Promise<void> {
  await db.query(
    `insert into project_rounds (project, round)
     select project, (select coalesce(max(round), 0) + 1 from project_rounds) from jobs where id = $1
     on conflict (project) do update set round = excluded.round`,
    [job],
  );
}

async function toLease(db: Queryable, turn: TurnRow): Promise<Lease> {
  const { job: row, fence, prompt, record, ...counted } = turn;
  const { steps, inputTokens, outputTokens, cachedTokens, cost, ...rest } = counted;
  const [found] = await db.query<JobRow & { earlier: string[] | null; unpublished: string[] | null }>(
    `select ${jobColumns},
       (select record from turns where job = $1 and number < $2 and branch is not null
        order by number desc limit 1) as earlier,
       (select record from turns where job = $1 and number < $2 and resumes_at is not null
        order by number limit 1) as unpublished
     from ${jobTables} where j.id = $1`,
    [row, turn.number],
  );
  const { earlier, unpublished, ...job } = found as NonNullable<typeof found>;
  return {
    turn: {
      ...rest,
      jobId: job.id,
      projectId: job.projectId,
      prompt: JSON.parse(prompt),
      record: joinRecord(record),
      usage: { steps, inputTokens, outputTokens, cachedTokens, cost },
    },
    job: toJob(job),
    earlier: earlier && joinRecord(earlier),
    unpublished: joinRecord(unpublished ?? []).refusal ?? null,
    fence,
  };
}
