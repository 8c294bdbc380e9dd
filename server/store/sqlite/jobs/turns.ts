import type { Statement } from 'better-sqlite3';
import type { ClaimLimits, Lease, Phase, TurnRecord } from '../../jobs/job-turn.ts';
import type { Connection } from '../connection.ts';
import { type JobRow, jobColumns, jobTables, toJob } from './job-rows.ts';

export interface TurnRow {
  job: number;
  number: number;
  prompt: string;
  phase: Phase;
  attempt: number;
  created_at: number;
  due_at: number;
  fence: number;
  record: string;
  steps: number;
  input_tokens: number;
  output_tokens: number;
  cached_tokens: number;
  cost: number | null;
}

/** First in the queue of its job. */
const isNext = `t.phase <> 'settled' and not exists (
  select 1 from turns e where e.job = t.job and e.number < t.number and e.phase <> 'settled')`;

/** Gives turns to runners. */
export class TurnWriter {
  readonly #db: Connection;
  readonly #claim: Statement<[ClaimLimits & { now: number }], TurnRow>;
  readonly #takeRound: Statement<[number]>;
  readonly #job: Statement<[number], JobRow>;
  readonly #earlier: Statement<[number, number], { record: string }>;
  readonly #unpublished: Statement<[number, number], { record: string }>;

  constructor(db: Connection) {
    this.#db = db;
    // cross join: SQLite keeps this order, the few turns at work first and not all jobs of the project.
    this.#claim = db.prepare(
      `update turns set fence = fence + 1, attempt = attempt + 1, leased = 1, due_at = @now + @leaseMs,
         phase = iif(phase = 'queued', 'claimed', phase)
       where (job, number) = (
         select t.job, t.number from turns t join jobs j on j.id = t.job
           left join project_rounds r on r.project = j.project
         where t.due_at <= @now and ${isNext}
           and (select count(*) from turns w where w.leased = 1 and w.due_at > @now) < @total
           and (select count(*) from turns w cross join jobs k on k.id = w.job
                where w.leased = 1 and w.due_at > @now and k.project = j.project) < @perProject
         order by r.round, t.created_at, t.job, t.number limit 1)
       returning *`,
    );
    this.#takeRound = db.prepare(
      `insert into project_rounds (project, round)
       select project, (select coalesce(max(round), 0) + 1 from project_rounds) from jobs where id = ?
       on conflict (project) do update set round = excluded.round`,
    );
    this.#job = db.prepare(`select ${jobColumns} from ${jobTables} where j.id = ?`);
    this.#earlier = db.prepare(
      `select record from turns where job = ? and number < ? and record ->> 'branch' is not null
       order by number desc limit 1`,
    );
    this.#unpublished = db.prepare(
      'select record from turns where job = ? and number < ? and resumes_at is not null order by number limit 1',
    );
  }

  claimTurn(now: number, limits: ClaimLimits): Lease | null {
    const claim = this.#db.transaction(() => {
      const turn = this.#claim.get({ ...limits, now });
      if (!turn) return null;
      this.#takeRound.run(turn.job);
      const earlier = parseRecord(this.#earlier.get(turn.job, turn.number));
      const unpublished = parseRecord(this.#unpublished.get(turn.job, turn.number))?.refusal ?? null;
      return { ...toLease(turn, this.#job.get(turn.job) as JobRow), earlier, unpublished };
    });
    return claim.immediate();
  }
}

function parseRecord(row: { record: string } | undefined): TurnRecord | null {
  return row ? JSON.parse(row.record) : null;
}

function toLease(turn: TurnRow, job: JobRow): Omit<Lease, 'earlier' | 'unpublished'> {
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
      usage: {
        steps: turn.steps,
        inputTokens: turn.input_tokens,
        outputTokens: turn.output_tokens,
        cachedTokens: turn.cached_tokens,
        cost: turn.cost,
      },
    },
    job: toJob(job),
    fence: turn.fence,
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
