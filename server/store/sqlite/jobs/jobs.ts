import type { Statement } from 'better-sqlite3';
import type { Idempotency } from '../../idempotency.ts';
import {
  type Accepted,
  eventOf,
  hourlyUses,
  type Job,
  type JobStatus,
  type NewEvent,
  type NewJob,
  type TurnRecord,
} from '../../job-store.ts';
import type { Connection } from '../connection.ts';
import { Allowance, type LimitedRoute } from './allowance.ts';
import { TranscriptWriter } from './transcript.ts';

/** A job with its number inside the database, and its failure and usage in columns. */
export type JobRow = Omit<Job, 'failure' | 'usage'> & {
  row: number;
  failureCode: string | null;
  failureMessage: string | null;
  steps: number | null;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  cost: number | null;
};

/** Where an accepted request comes from and what it may be sent again by. */
interface Asking {
  project: number;
  route: LimitedRoute;
  keyRoute: string;
  idempotency: Idempotency | null;
  isSpent: boolean;
  now: number;
}

export const jobColumns = `j.id as row, j.public_id as id, p.public_id as projectId, j.status, j.repository, j.ref,
  j.base_branch as baseBranch, j.branch, j.model, j.pr_link as prLink, j.created_at as createdAt,
  j.archived_at as archivedAt, j.failure_code as failureCode, j.failure_message as failureMessage,
  (select sum(steps) from turns where job = j.id) as steps,
  (select sum(input_tokens) from turns where job = j.id) as inputTokens,
  (select sum(output_tokens) from turns where job = j.id) as outputTokens,
  (select sum(cached_tokens) from turns where job = j.id) as cachedTokens,
  (select sum(cost) from turns where job = j.id) as cost`;
export const jobTables = 'jobs j join projects p on p.id = j.project';

export function toJob(found: JobRow): Job {
  const {
    row: _row,
    failureCode,
    failureMessage,
    steps,
    inputTokens,
    outputTokens,
    cachedTokens,
    cost,
    ...job
  } = found;
  const isFailed = failureCode !== null && job.status !== 'active';
  return {
    ...job,
    failure: isFailed ? { code: failureCode, message: failureMessage ?? '' } : null,
    usage: steps ? { steps, inputTokens, outputTokens, cachedTokens, cost } : null,
  };
}

function prepareFind(db: Connection): Statement<[string, string], JobRow> {
  return db.prepare(`select ${jobColumns} from ${jobTables} where p.public_id = ? and j.public_id = ?`);
}

/** Reads jobs; the runner's side of them is in turns.ts and leases.ts. */
export class JobReader {
  readonly #find: Statement<[string, string], JobRow>;
  readonly #cost: Statement<[string, number], { cost: number | null }>;
  readonly #list: Statement<[{ projectId: string; limit: number; offset: number }], JobRow>;
  readonly #listByStatus: Statement<
    [{ projectId: string; limit: number; offset: number; status: JobStatus | null }],
    JobRow
  >;

  constructor(db: Connection) {
    const selected = `select ${jobColumns} from ${jobTables}`;
    const page = 'order by j.id desc limit @limit offset @offset';
    this.#find = prepareFind(db);
    this.#cost = db.prepare(
      `select sum(t.cost) as cost from projects p join jobs j on j.project = p.id join turns t on t.job = j.id
       where p.public_id = ? and t.created_at >= ?`,
    );
    this.#list = db.prepare(`${selected} where p.public_id = @projectId ${page}`);
    this.#listByStatus = db.prepare(
      `${selected} where p.public_id = @projectId and j.status = @status ${page}`,
    );
  }

  readCost(projectId: string, since: number): number {
    return this.#cost.get(projectId, since)?.cost ?? 0;
  }

  findJob(projectId: string, jobId: string): Job | null {
    const row = this.#find.get(projectId, jobId);
    return row ? toJob(row) : null;
  }

  listJobs(query: { projectId: string; status: JobStatus | null; limit: number; offset: number }): {
    jobs: Job[];
    hasMore: boolean;
  } {
    const statement = query.status === null ? this.#list : this.#listByStatus;
    const rows = statement.all({ ...query, limit: query.limit + 1 });
    return { jobs: rows.slice(0, query.limit).map(toJob), hasMore: rows.length > query.limit };
  }
}

/** What people do with jobs. */
export class JobWriter {
  readonly #db: Connection;
  readonly #find: Statement<[string, string], JobRow>;
  readonly #allowance: Allowance;
  readonly #transcript: TranscriptWriter;
  readonly #project: Statement<[string], { id: number }>;
  readonly #insertJob: Statement<[NewJob & { project: number; now: number; createdAt: string }]>;
  readonly #insertTurn: Statement<
    [{ job: number; prompt: string; now: number; record: string }],
    { number: number }
  >;
  readonly #activate: Statement<[{ job: number; now: number }]>;
  readonly #resume: Statement<[{ job: number; now: number }]>;
  readonly #byRow: Statement<[number], JobRow>;
  readonly #archive: Statement<[string, number]>;
  readonly #dropTurns: Statement<[number]>;
  readonly #lastTurn: Statement<[number], { number: number }>;
  readonly #idle: Statement<[number], { row: number }>;

  constructor(db: Connection) {
    this.#db = db;
    this.#find = prepareFind(db);
    this.#allowance = new Allowance(db);
    this.#transcript = new TranscriptWriter(db);
    this.#project = db.prepare('select id from projects where public_id = ?');
    this.#insertJob = db.prepare(
      // What `ref` means is asked of the repository when the first turn begins; until then, what it meant last.
      `insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at, base_branch)
       values (@id, @project, 'active', @repository, @ref, @model, @createdAt, @now, (
         select base_branch from jobs
         where project = @project and repository = @repository and ref = @ref and base_branch is not null
         order by id desc limit 1))`,
    );
    this.#insertTurn = db.prepare(
      `insert into turns (job, number, prompt, phase, created_at, due_at, record)
       select @job, coalesce(max(number) + 1, 0), @prompt, 'queued', @now, @now, @record from turns where job = @job
       returning number`,
    );
    this.#activate = db.prepare(
      `update jobs set status = 'active', active_at = @now, failure_code = null, failure_message = null
       where id = @job`,
    );
    this.#resume = db.prepare(
      `update turns set phase = resumes_at, resumes_at = null, due_at = @now, attempt = 0,
         record = json_remove(record, '$.failures', '$.refusal')
       where job = @job and resumes_at is not null`,
    );
    this.#byRow = db.prepare(`select ${jobColumns} from ${jobTables} where j.id = ?`);
    this.#archive = db.prepare(`update jobs set status = 'archived', archived_at = ? where id = ?`);
    this.#dropTurns = db.prepare(
      `update turns set phase = 'settled', leased = 0, fence = fence + 1 where job = ? and phase <> 'settled'`,
    );
    this.#lastTurn = db.prepare('select max(number) as number from turns where job = ?');
    this.#idle = db.prepare(
      `select id as row from jobs where status in ('completed', 'failed') and active_at < ?`,
    );
  }

  createJob(now: number, job: NewJob, idempotency: Idempotency | null, isSpent = false): Accepted {
    return this.#write(() => {
      const project = this.#project.get(job.projectId)?.id;
      if (project === undefined) return { kind: 'not_found' };
      const asking = { project, route: 'create', keyRoute: 'create', idempotency, isSpent, now } as const;
      return this.#accept(asking, () => {
        const createdAt = new Date(now).toISOString();
        const { record, ...columns } = job;
        const row = Number(this.#insertJob.run({ ...columns, project, now, createdAt }).lastInsertRowid);
        this.#queue(row, job.prompt, now, record);
        return row;
      });
    });
  }

  addMessage(
    now: number,
    projectId: string,
    jobId: string,
    prompt: string,
    idempotency: Idempotency | null,
    isSpent = false,
  ): Accepted {
    return this.#write(() => {
      const job = this.#find.get(projectId, jobId);
      const project = this.#project.get(projectId)?.id;
      if (!job || project === undefined) return { kind: 'not_found' };
      const keyRoute = `message ${jobId}`;
      const asking = { project, route: 'message', keyRoute, idempotency, isSpent, now } as const;
      return this.#accept(
        asking,
        () => {
          this.#activate.run({ job: job.row, now });
          this.#resume.run({ job: job.row, now });
          this.#queue(job.row, prompt, now);
          return job.row;
        },
        job,
      );
    });
  }

  archiveJob(now: number, projectId: string, jobId: string): Job | null {
    return this.#write(() => {
      const job = this.#find.get(projectId, jobId);
      if (!job) return null;
      if (job.status !== 'archived') this.#close(job.row, now, eventOf.archived);
      return this.#get(job.row);
    });
  }

  archiveIdleJobs(now: number, idleMs: number): number {
    return this.#write(() => {
      const idle = this.#idle.all(now - idleMs);
      for (const { row } of idle) this.#close(row, now, eventOf.idle);
      return idle.length;
    });
  }

  /** The order matters: what was accepted before is answered again, whatever has happened since. */
  #accept(asking: Asking, apply: () => number, job?: JobRow): Accepted {
    const { project, route, keyRoute, idempotency, isSpent, now } = asking;
    const repeated = this.#allowance.findRepeated(project, keyRoute, idempotency, now);
    if (repeated === 'reused') return { kind: 'key_reused' };
    if (repeated !== undefined) return { kind: 'repeated', job: this.#get(repeated) };
    if (job?.status === 'archived') return { kind: 'archived' };
    if (isSpent) return { kind: 'spent' };
    const retryAfterMs = this.#allowance.spend(project, route, now);
    if (retryAfterMs !== undefined) return { kind: 'limited', retryAfterMs, ...hourlyUses };
    const row = apply();
    this.#allowance.remember(project, keyRoute, idempotency, row, now);
    return { kind: 'accepted', job: this.#get(row) };
  }

  #get(row: number): Job {
    return toJob(this.#byRow.get(row) as JobRow);
  }

  #queue(job: number, prompt: string, now: number, record: TurnRecord = {}): void {
    const queued = this.#insertTurn.get({ job, prompt, now, record: JSON.stringify(record) });
    const turn = queued?.number as number;
    this.#transcript.append(job, turn, [eventOf.message(prompt)], now);
  }

  #close(job: number, now: number, event: NewEvent): void {
    this.#archive.run(new Date(now).toISOString(), job);
    this.#dropTurns.run(job);
    const turn = this.#lastTurn.get(job)?.number ?? 0;
    this.#transcript.append(job, turn, [event], now);
  }

  #write<T>(apply: () => T): T {
    return this.#db.transaction(apply).immediate();
  }
}
