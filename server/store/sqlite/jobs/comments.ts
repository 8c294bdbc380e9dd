import type { Statement } from 'better-sqlite3';
import {
  type CommentMessage,
  type CommentOutcome,
  type CommentState,
  commentOutcomeOf,
} from '../../jobs/job-comment.ts';
import type { CommentKey } from '../../jobs/job-store.ts';
import type { Connection } from '../connection.ts';
import type { JobWriter } from './jobs.ts';

interface Row {
  key: string;
  state: CommentState;
}

const ofJob = `job = (select j.id from jobs j join projects p on p.id = j.project
  where p.public_id = @projectId and j.public_id = @jobId)`;

interface Named {
  projectId: string;
  jobId: string;
  key: string;
}

/** Each comment at a pull request becomes a message once. */
export class CommentWriter {
  readonly #db: Connection;
  readonly #jobs: JobWriter;
  readonly #find: Statement<[Named], Row>;
  readonly #note: Statement<[Named & { state: CommentState }]>;

  constructor(db: Connection, jobs: JobWriter) {
    this.#db = db;
    this.#jobs = jobs;
    this.#find = db.prepare(`select key, state from heard_comments where ${ofJob} and key = @key`);
    this.#note = db.prepare(
      `insert into heard_comments (job, key, state)
       select j.id, @key, @state from jobs j join projects p on p.id = j.project
       where p.public_id = @projectId and j.public_id = @jobId
       on conflict (job, key) do update set state = excluded.state`,
    );
  }

  /** Inside a transaction. */
  isKnown(projectId: string, comment: CommentKey): boolean {
    return this.#find.get({ projectId, ...comment }) !== undefined;
  }

  /** Inside a transaction. */
  note(projectId: string, comment: CommentKey, state: CommentState): void {
    this.#note.run({ projectId, ...comment, state });
  }

  hearComment(
    now: number,
    projectId: string,
    jobId: string,
    { prompt, origin }: CommentMessage,
    isSpent: boolean,
  ): CommentOutcome {
    const named = { projectId, jobId, key: origin.key };
    const hear = (): CommentOutcome => {
      if (this.#find.get(named)) return 'known';
      const record = { origin };
      const accepted = this.#jobs.addMessage(now, projectId, jobId, prompt, null, isSpent, [], record);
      const outcome = commentOutcomeOf(accepted);
      if (outcome === 'heard' || outcome === 'limited' || outcome === 'spent') {
        this.#note.run({ ...named, state: outcome });
      }
      return outcome;
    };
    return this.#db.transaction(hear).immediate();
  }

  noteComment(
    _now: number,
    projectId: string,
    jobId: string,
    key: string,
    state: Exclude<CommentState, 'heard'>,
  ): void {
    this.#note.run({ projectId, jobId, key, state });
  }
}

export class CommentReader {
  readonly #list: Statement<[Pick<Named, 'projectId' | 'jobId'>], Row>;

  constructor(db: Connection) {
    this.#list = db.prepare(`select key, state from heard_comments where ${ofJob}`);
  }

  readComments(projectId: string, jobId: string): Record<string, CommentState> {
    const rows = this.#list.all({ projectId, jobId });
    return Object.fromEntries(rows.map(({ key, state }) => [key, state]));
  }
}
