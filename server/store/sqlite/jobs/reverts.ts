import type { Statement } from 'better-sqlite3';
import type { CommentKey, Reverted, RevertingJob } from '../../jobs/job-store.ts';
import type { Connection } from '../connection.ts';
import type { CommentWriter } from './comments.ts';
import { type JobRow, jobColumns, jobTables, toJob } from './job-rows.ts';
import type { JobWriter } from './jobs.ts';

/** A merged pull request is taken back by one job. */
export class RevertWriter {
  readonly #db: Connection;
  readonly #jobs: JobWriter;
  readonly #comments: CommentWriter;
  readonly #find: Statement<[{ projectId: string; reverts: string }], JobRow>;

  constructor(db: Connection, jobs: JobWriter, comments: CommentWriter) {
    this.#db = db;
    this.#jobs = jobs;
    this.#comments = comments;
    this.#find = db.prepare(
      `select ${jobColumns} from ${jobTables}
       where p.public_id = @projectId and j.reverts = @reverts and j.status <> 'archived'`,
    );
  }

  revertMerge(now: number, job: RevertingJob, comment: CommentKey | null): Reverted {
    const { projectId, prompt, record } = job;
    const revert = (): Reverted => {
      if (comment && this.#comments.isKnown(projectId, comment)) return { kind: 'known' };
      const present = this.#find.get(job);
      const isAtWork = present?.status === 'active' && comment === null;
      const outcome = isAtWork
        ? ({ kind: 'repeated', job: toJob(present) } as const)
        : present
          ? this.#jobs.addMessage(now, projectId, present.id, prompt, null, false, [], record)
          : this.#jobs.createJob(now, job, null);
      if (comment) {
        const state = outcome.kind === 'limited' ? 'limited' : 'heard';
        this.#comments.note(projectId, comment, state);
      }
      return outcome;
    };
    return this.#db.transaction(revert).immediate();
  }
}
