import type { Statement } from 'better-sqlite3';
import type { Idempotency } from '../../idempotency.ts';
import type { LimitedRoute } from '../../jobs/allowance.ts';
import type { Job, JobStatus } from '../../jobs/job.ts';
import { eventOf, type NewEvent } from '../../jobs/job-event.ts';
import type { NewImage } from '../../jobs/job-image.ts';
import type { Start } from '../../jobs/job-start.ts';
import { type Accepted, hourlyUses, type NewJob, type Started } from '../../jobs/job-store.ts';
import type { TurnOrigin, TurnRecord } from '../../jobs/job-turn.ts';
import type { Connection } from '../connection.ts';
import { Allowance } from './allowance.ts';
import { ImageWriter } from './images.ts';
import { type JobRow, jobColumns, jobTables, prepareFind, toJob } from './job-rows.ts';
import { Starts } from './starts.ts';
import { TranscriptWriter } from './transcript.ts';

/** Where an accepted request comes from and what it may be sent again by. */
interface Asking {
  project: number;
  route: LimitedRoute;
  keyRoute: string;
  idempotency: Idempotency | null;
  isSpent: boolean;
  now: number;
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
  readonly #starts: Starts;
  readonly #transcript: TranscriptWriter;
  readonly #images: ImageWriter;
  readonly #project: Statement<[string], { id: number }>;
  readonly #insertJob: Statement<
    [
      Omit<NewJob, keyof TurnOrigin | 'reverts'> & {
        project: number;
        now: number;
        createdAt: string;
        startedBy: string | null;
        reverts: string | null;
      },
    ]
  >;
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
    this.#starts = new Starts(db);
    this.#transcript = new TranscriptWriter(db);
    this.#images = new ImageWriter(db);
    this.#project = db.prepare('select id from projects where public_id = ?');
    this.#insertJob = db.prepare(
      // What `ref` means is asked of the repository when the first turn begins; until then, what it meant last.
      `insert into jobs (public_id, project, status, repository, ref, model, created_at, active_at, started_by, reverts,
         base_branch)
       values (@id, @project, 'active', @repository, @ref, @model, @createdAt, @now, @startedBy, @reverts, (
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
      return this.#accept(asking, () => this.#insert(project, job, now));
    });
  }

  startJob(now: number, job: NewJob, start: Start): Started {
    return this.#write(() => {
      const project = this.#project.get(job.projectId)?.id;
      if (project === undefined) return { kind: 'not_found' };
      const refusal = this.#starts.refusal(project, start, now);
      if (refusal !== undefined) return { kind: refusal };
      const asking = { project, route: 'create', keyRoute: 'create', now } as const;
      return this.#accept({ ...asking, idempotency: null, isSpent: false }, () => {
        this.#starts.note(project, start, job.id, now);
        return this.#insert(project, job, now);
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
    images: readonly NewImage[] = [],
    record?: TurnRecord,
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
          this.#queue(job.row, prompt, now, { record, images });
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

  #insert(project: number, { record, startedBy, images, reverts, ...job }: NewJob, now: number): number {
    const times = { now, createdAt: new Date(now).toISOString() };
    const starter = startedBy ? JSON.stringify(startedBy) : null;
    const { lastInsertRowid } = this.#insertJob.run({
      ...job,
      ...times,
      project,
      startedBy: starter,
      reverts: reverts ?? null,
    });
    this.#queue(Number(lastInsertRowid), job.prompt, now, { record, startedBy, images });
    return Number(lastInsertRowid);
  }

  #queue(
    job: number,
    prompt: string,
    now: number,
    { record = {}, startedBy, images = [] }: TurnOrigin = {},
  ): void {
    const queued = this.#insertTurn.get({ job, prompt, now, record: JSON.stringify(record) });
    const turn = queued?.number as number;
    const told = { startedBy, origin: record.origin, images: this.#images.add(job, turn, images) };
    this.#transcript.append(job, turn, [eventOf.message(prompt, told)], now);
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
