import { has, type Sql } from '../../database/sql.ts';
import { type Actor, type AuditEntry, addEntry } from '../admin/audit.ts';
import type { Idempotency, PageQuery } from '../page.ts';
import { findRefusal, noteStart, type Start } from './automations.ts';
import { faultReports, faults } from './faults.ts';
import type { Job, JobStatus, Lease, Now, TurnRecord } from './job.ts';
import {
  type CommentMessage,
  type CommentOutcome,
  type CommentState,
  commentOutcomeOf,
  type comments,
  isKnown,
  setComment,
} from './job-comment.ts';
import type { images, NewImage } from './job-image.ts';
import { isMerged, type JobRow, jobColumns, jobTables, readJob, toJob } from './job-rows.ts';
import {
  type Accepted,
  acceptJob,
  addTurn,
  type LockedJob,
  lockJob,
  lockJobOf,
  lockRequests,
  type NewJob,
  resume,
} from './requests.ts';
import { appendEvents, eventOf, type JobNews, type NewEvent, type transcripts } from './transcript.ts';
import { appendMessages, type LeaseKey, type leases, type turns } from './turns.ts';

/** Of a project, the jobs that are looked through for whose a pull request is: what is older is left alone. */
export const newestJobs = { status: null, limit: 100, offset: 0 } as const;

/** `taken`: a job was started for one of the keys, or the automation is off or gone; `full`: so many were this week. */
export type Started = Accepted | { kind: 'taken' } | { kind: 'full' };

/** One that takes back a merged pull request. */
export type RevertingJob = NewJob & { reverts: string; record: TurnRecord };

/** A comment at a pull request of a job. */
export interface CommentKey {
  jobId: string;
  key: string;
}

/** A turn that has not ended. */
export interface OpenTurn {
  number: number;
  prompt: string;
}

/** What the conversation gets at the end of a turn that was stopped. */
export interface StopNote {
  number: number;
  /** Where the conversation of the turn has not begun. */
  asked: unknown;
  note: unknown;
}

/** `known`: something was made of the comment before. */
export type Reverted = Accepted | { kind: 'known' };

/** A job by what it was asked first. */
export type AskedJob = Pick<Job, 'id' | 'status' | 'prLink' | 'merged'> & { prompt: string };

/** How many there are. */
export interface JobTotals {
  jobs: Record<JobStatus, number>;
  /** Those that are not settled. */
  turns: { waiting: number; running: number };
}

/** What people and automations do with jobs, each at a time that the store adds (`JobStore`). */
export function jobs(sql: Sql) {
  return {
    ...faults(sql),

    /**
     * Creates job, first turn and first event (`message`), and spends one of the project's `hourlyUses`, in one
     * transaction. A repeated request is answered with the job as it is now, and spends nothing; so does a refused one. Of
     * requests with one key that come at once, one creates the job and the others repeat it.
     * @param isSpent the project's budget is spent: only what was accepted before is answered
     */
    createJob(
      at: Now,
      job: NewJob,
      idempotency: Idempotency | null,
      isSpent: boolean = false,
    ): Promise<Accepted> {
      return sql.transaction(async (transaction) => {
        const project = await lockRequests(transaction, job.projectId);
        if (project === undefined) return { kind: 'not_found' };
        const now = await transaction.now(at);
        return acceptJob(transaction, { project, idempotency, isSpent, now }, job);
      });
    },

    /** Creates it as `createJob` does, and notes what for, in one transaction: of several that start it at once one does. */
    startJob(at: Now, job: NewJob, start: Start): Promise<Started> {
      return sql.transaction(async (transaction) => {
        const project = await lockRequests(transaction, job.projectId);
        if (project === undefined) return { kind: 'not_found' };
        const now = await transaction.now(at);
        const refusal = await findRefusal(transaction, project, start, now);
        if (refusal !== undefined) return { kind: refusal };
        return acceptJob(transaction, { project, idempotency: null, isSpent: false, now }, job, () =>
          noteStart(transaction, project, start, job.id, now),
        );
      });
    },

    /**
     * Queues one more turn, with its event; the job is active again, and turns that are to be resumed go before it. The same
     * limit, counted apart.
     */
    addMessage(
      at: Now,
      projectId: string,
      jobId: string,
      prompt: string,
      idempotency: Idempotency | null,
      isSpent: boolean = false,
      images: readonly NewImage[] = [],
    ): Promise<Accepted> {
      return sql.transaction(async (transaction) => {
        const found = await lockJobOf(transaction, projectId, jobId);
        if (!found) return { kind: 'not_found' };
        const now = await transaction.now(at);
        return addTurn(transaction, found, { jobId, prompt, images, idempotency, isSpent, now });
      });
    },

    /**
     * Queues a comment as `addMessage` does, once for each key; where the hour or the budget does not allow it, that is noted
     * in its place.
     */
    hearComment(
      at: Now,
      projectId: string,
      jobId: string,
      { prompt, origin }: CommentMessage,
      isSpent: boolean,
    ): Promise<CommentOutcome> {
      return sql.transaction(async (transaction) => {
        const found = await lockJobOf(transaction, projectId, jobId);
        if (!found) return 'not_found';
        const { row } = found.job;
        if (await isKnown(transaction, row, origin.key)) return 'known';
        const now = await transaction.now(at);
        const asked = { jobId, prompt, idempotency: null, isSpent, now, record: { origin } };
        const outcome = commentOutcomeOf(await addTurn(transaction, found, asked));
        if (outcome === 'heard' || outcome === 'limited' || outcome === 'spent') {
          await setComment(transaction, row, origin.key, outcome);
        }
        return outcome;
      });
    },

    /** Replaces the state of a comment. */
    noteComment(
      _at: Now,
      projectId: string,
      jobId: string,
      key: string,
      state: Exclude<CommentState, 'heard'>,
    ): Promise<void> {
      return sql.transaction(async (transaction) => {
        const found = await lockJobOf(transaction, projectId, jobId);
        if (found) await setComment(transaction, found.job.row, key, state);
      });
    },

    /**
     * Has a merged pull request taken back, by a new job, or by the one that is there for it and not archived: of several at
     * once one is made. Where that rests, it tries again, as `addMessage` does; while it is at work, only a comment makes it
     * look once more. Null: it was asked for elsewhere than in a comment.
     *
     * @param by notes it in the audit list as theirs
     */
    revertMerge(
      at: Now,
      job: RevertingJob,
      comment: CommentKey | null,
      by?: Pick<AuditEntry, 'actor' | 'at'> & Partial<Pick<AuditEntry, 'changes'>>,
    ): Promise<Reverted> {
      return sql.transaction(async (transaction) => {
        const project = await lockRequests(transaction, job.projectId);
        if (project === undefined) return { kind: 'not_found' };
        const commented = comment && (await lockJob(transaction, project, comment.jobId));
        if (comment && commented && (await isKnown(transaction, commented.row, comment.key)))
          return { kind: 'known' };
        const now = await transaction.now(at);
        const outcome = await revert(transaction, project, job, { now, asksAgain: comment !== null });
        if (comment && commented) {
          const state = outcome.kind === 'limited' ? 'limited' : 'heard';
          await setComment(transaction, commented.row, comment.key, state);
        }
        if (by && outcome.kind === 'accepted') {
          const action = outcome.job.id === job.id ? 'job.started' : 'job.continued';
          const entry = { action, projectId: job.projectId, subject: outcome.job.id } as const;
          await addEntry(transaction, { changes: [], ...by, ...entry });
        }
        return outcome;
      });
    },

    /**
     * Ends the turn at work and those that wait; what one of them has committed is delivered with the next message. A message
     * that came since they were listed stays, and with it the job is active: the delivery goes before it. The job of another
     * state stays as it is. Null: no such job.
     *
     * @param notes of these turns: what the conversation gets for each that committed nothing
     */
    stopJob(at: Now, projectId: string, jobId: string, notes: readonly StopNote[]): Promise<Job | null> {
      return sql.transaction(async (transaction) => {
        const job = await lockJobAlone(transaction, projectId, jobId);
        if (!job) return null;
        const last = notes.at(-1)?.number;
        if (job.status === 'active' && last !== undefined) {
          const now = await transaction.now(at);
          for (const note of notes) await addNote(transaction, job.row, note);
          const isKept = await endTurns(transaction, job.row, { last, now, event: eventOf.stopped });
          const isAtRest = await has(
            transaction,
            `update jobs set status = 'completed', failure = null, active_at = $2
             where id = $1 and not exists (select 1 from turns where job = $1 and phase <> 'settled') returning id`,
            [job.row, now],
          );
          // Only then is no later turn at work yet.
          if (isKept && !isAtRest) await resume(transaction, job.row, now);
        }
        return readJob(transaction, job.row);
      });
    },

    /** Final and idempotent; a turn at work loses its lease, waiting ones are dropped. Null: no such job. */
    archiveJob(at: Now, projectId: string, jobId: string): Promise<Job | null> {
      return sql.transaction(async (transaction) => {
        const job = await lockJobAlone(transaction, projectId, jobId);
        if (!job) return null;
        if (job.status !== 'archived') {
          await close(transaction, job.row, await transaction.now(at), eventOf.archived);
        }
        return readJob(transaction, job.row);
      });
    },

    /** Notes what the base of a job means, where no turn has found it out. */
    async noteBaseBranch(_at: Now, projectId: string, jobId: string, baseBranch: string): Promise<void> {
      await sql.query(
        `update jobs set base_branch = $3 where public_id = $2 and base_branch is null
         and project = (select id from projects where public_id = $1)`,
        [projectId, jobId, baseBranch],
      );
    },

    /** The repository of these jobs, and their pull requests, are at another address now. */
    async moveJobs(
      _at: Now,
      projectId: string,
      from: string,
      to: string,
      slugs: { from: string; to: string },
    ): Promise<void> {
      await sql.query(
        `update jobs set repository = $3, pr_link = replace(pr_link, $4, $5)
         where repository = $2 and project = (select id from projects where public_id = $1)`,
        [projectId, from, to, `/${slugs.from}/`, `/${slugs.to}/`],
      );
    },

    /**
     * Archives completed and failed jobs without a message or an end of a turn for so long, each with an entry in the audit log;
     * answers how many.
     */
    archiveIdleJobs(at: Now, idleMs: number, actor: Actor): Promise<number> {
      return sql.transaction(async (transaction) => {
        const now = await transaction.now(at);
        // Other nodes do the same at the same time.
        const idle = await transaction.query<{ row: number; subject: string; projectId: string }>(
          `select j.id as row, j.public_id as subject, p.public_id as "projectId"
           from jobs j join projects p on p.id = j.project where j.status in ('completed', 'failed') and j.active_at < $1
           order by j.active_at, j.id ${sql.dialect.skipLocked('j')}`,
          [now - idleMs],
        );
        for (const { row, ...about } of idle) {
          await close(transaction, row, now, eventOf.idle);
          await addEntry(transaction, { at: now, actor, action: 'job.archived', ...about, changes: [] });
        }
        return idle.length;
      });
    },
  };
}

/** In a transaction that holds the lock of the project's requests. */
async function revert(
  sql: Sql,
  project: number,
  job: RevertingJob,
  { now, asksAgain }: { now: number; asksAgain: boolean },
): Promise<Accepted> {
  const { prompt, record } = job;
  const [present] = await sql.query<LockedJob & { jobId: string }>(
    `select id as row, status, public_id as "jobId" from jobs
     where project = $1 and reverts = $2 and status <> 'archived' ${sql.dialect.forUpdate}`,
    [project, job.reverts],
  );
  const asked = { idempotency: null, isSpent: false, now };
  if (!present) return acceptJob(sql, { ...asked, project }, job);
  if (present.status === 'active' && !asksAgain)
    return { kind: 'repeated', job: await readJob(sql, present.row) };
  return addTurn(sql, { project, job: present }, { ...asked, jobId: present.jobId, prompt, record });
}

/** While requests of the project go on. */
async function lockJobAlone(sql: Sql, projectId: string, jobId: string): Promise<LockedJob | undefined> {
  const [project] = await sql.query<{ id: number }>('select id from projects where public_id = $1', [
    projectId,
  ]);
  return project && lockJob(sql, project.id, jobId);
}

async function addNote(sql: Sql, job: number, { number, asked, note }: StopNote): Promise<void> {
  const isOpen = await has(
    sql,
    `select 1 from turns where job = $1 and number = $2 and phase in ('queued', 'claimed', 'pinned')`,
    [job, number],
  );
  if (!isOpen) return;
  const isBegun = await has(sql, 'select 1 from messages where job = $1 and turn = $2', [job, number]);
  await appendMessages(sql, { job, turn: number }, isBegun ? [note] : [asked, note]);
}

/** Archives a job. */
async function close(sql: Sql, job: number, now: number, event: NewEvent): Promise<void> {
  await sql.query(`update jobs set status = 'archived', archived_at = $2 where id = $1`, [job, now]);
  const [last] = await sql.query<{ turn: number }>(
    'select coalesce(max(number), 0) as turn from turns where job = $1',
    [job],
  );
  await endTurns(sql, job, { last: last?.turn ?? 0, now, event });
}

interface TurnsEnd {
  /** The number of the last of them. */
  last: number;
  now: number;
  event: NewEvent;
}

/** Ends the turn at work and those that wait. Whether one of them has committed something, which can be resumed. */
async function endTurns(sql: Sql, job: number, { last, now, event }: TurnsEnd): Promise<boolean> {
  const ended = await sql.query<{ isKept: boolean | number }>(
    `update turns set phase = 'settled', leased = false, fence = fence + 1,
       resumes_at = case when phase in ('committed', 'pushed') then phase end
     where job = $1 and number <= $2 and phase <> 'settled' returning resumes_at is not null as "isKept"`,
    [job, last],
  );
  await appendEvents(sql, { job, turn: last, events: [event], now, kind: 'archived' });
  return ended.some(({ isKept }) => Boolean(isKept));
}

/** Jobs as they are. */
export function jobReports(sql: Sql) {
  return {
    ...faultReports(sql),

    async findJob(projectId: string, jobId: string): Promise<Job | null> {
      const [row] = await sql.query<JobRow>(
        `select ${jobColumns} from ${jobTables} where p.public_id = $1 and j.public_id = $2`,
        [projectId, jobId],
      );
      return row ? toJob(row) : null;
    },

    /** Those that `stopJob` would end. */
    async listOpenTurns(projectId: string, jobId: string): Promise<OpenTurn[]> {
      const rows = await sql.query<OpenTurn>(
        `select t.number, t.prompt from turns t
         join jobs j on j.id = t.job join projects p on p.id = j.project
         where p.public_id = $1 and j.public_id = $2 and t.phase <> 'settled' order by t.number`,
        [projectId, jobId],
      );
      return rows.map(({ number, prompt }) => ({ number, prompt: JSON.parse(prompt) }));
    },

    /** What the turns cost that a project was asked for since then (milliseconds since 1970), in millionths of a dollar. */
    async readCost(projectId: string, since: number): Promise<number> {
      const [row] = await sql.query<{ cost: number | null }>(
        `select sum(t.cost) as cost from projects p join jobs j on j.project = p.id join turns t on t.job = j.id
         where p.public_id = $1 and t.created_at >= $2`,
        [projectId, since],
      );
      return row?.cost ?? 0;
    },

    /** Newest first. */
    async listJobs({ projectId, status, limit, offset }: PageQuery & { status: JobStatus | null }) {
      // A condition that may hold for all would keep the index of states from being used.
      const ofStatus = status === null ? 'cast($2 as text) is null' : 'j.status = $2';
      const rows = await sql.query<JobRow>(
        `select ${jobColumns} from ${jobTables}
         where p.public_id = $1 and ${ofStatus} order by j.id desc limit $3 offset $4`,
        [projectId, status, limit + 1, offset],
      );
      return { jobs: rows.slice(0, limit).map(toJob), hasMore: rows.length > limit };
    },

    /** The newest jobs, with the beginning of what each was asked first, as JSON. */
    async listAsked(projectId: string): Promise<AskedJob[]> {
      const rows = await sql.query<AskedJob>(
        `select j.public_id as id, j.status, j.pr_link as "prLink", ${isMerged} as merged, substr(t.prompt, 1, 3000) as prompt
         from ${jobTables} join turns t on t.job = j.id and t.number = 0
         where p.public_id = $1 order by j.id desc limit 250`,
        [projectId],
      );
      return rows.map((row) => ({ ...row, merged: Boolean(row.merged) }));
    },

    /** Of all projects together. */
    async countJobs(): Promise<JobTotals> {
      const counted = { active: 0, completed: 0, failed: 0, archived: 0 };
      const rows = await sql.query<{ status: JobStatus; jobs: number }>(
        'select status, count(*) as jobs from jobs group by status',
      );
      for (const row of rows) counted[row.status] = row.jobs;
      const [turns] = await sql.query<JobTotals['turns']>(
        `select count(*) filter (where not leased) as waiting, count(*) filter (where leased) as running
         from turns where phase <> 'settled'`,
      );
      return { jobs: counted, turns: turns ?? { waiting: 0, running: 0 } };
    },
  };
}

/** What reads only. */
type Reading = ReturnType<typeof jobReports> &
  ReturnType<typeof transcripts> &
  ReturnType<typeof comments> &
  ReturnType<typeof images>;

/** What is asked of the database: each call says what time it is, or that the database is to say so. */
type JobCalls = ReturnType<typeof jobs> & ReturnType<typeof turns>;

export type AtTime<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (at: Now, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

type ByLease<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (key: LeaseKey, ...rest: infer Rest) => infer Result
    ? (lease: Lease, ...rest: Rest) => Result
    : never;
};

/**
 * Jobs, their turns and transcripts. What time it is, the store knows: leases, pauses and hours hold for all that share it,
 * whose clocks differ. So nobody hands in a moment, only how long something lasts.
 */
export interface JobStore extends Reading, AtTime<JobCalls>, ByLease<ReturnType<typeof leases>> {
  /**
   * Calls back on changes of jobs, also by other processes where the engine reports these; null: some may have been
   * missed. Only a hint, so poll too. Returns a function that ends it.
   */
  onNews(listener: (news: JobNews | null) => void): () => void;
}

/** Calls that take a whole lease and send its key. */
export function byLease<Calls extends object>(calls: Calls, now: () => Now): ByLease<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    ({ turn, fence }: Lease, ...rest: unknown[]) =>
      call({ jobId: turn.jobId, number: turn.number, fence, now: now() } satisfies LeaseKey, ...rest),
  ]);
  return Object.fromEntries(taking);
}

/** Calls that send along when they were made. */
export function atTime<Calls extends object>(calls: Calls, now: () => Now): AtTime<Calls> {
  const taking = Object.entries(calls).map(([name, call]) => [
    name,
    (...rest: unknown[]) => call(now(), ...rest),
  ]);
  return Object.fromEntries(taking);
}
