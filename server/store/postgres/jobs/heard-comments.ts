import type { CommentState } from '../../jobs/job-comment.ts';
import type { Database } from '../database.ts';
import type { Queryable } from '../queryable.ts';

/** Whether something was made of it; in a transaction that holds the lock of its job. */
export async function isKnown(db: Queryable, job: number, key: string): Promise<boolean> {
  const found = await db.query('select 1 from heard_comments where job = $1 and key = $2', [job, key]);
  return found.length > 0;
}

export async function noteComment(
  db: Queryable,
  job: number,
  key: string,
  state: CommentState,
): Promise<void> {
  await db.query(
    `insert into heard_comments (job, key, state) values ($1, $2, $3)
     on conflict (job, key) do update set state = excluded.state`,
    [job, key, state],
  );
}

export class CommentReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async readComments(projectId: string, jobId: string): Promise<Record<string, CommentState>> {
    const rows = await this.#database.query<{ key: string; state: CommentState }>(
      `select h.key, h.state from heard_comments h join jobs j on j.id = h.job join projects p on p.id = j.project
       where p.public_id = $1 and j.public_id = $2`,
      [projectId, jobId],
    );
    return Object.fromEntries(rows.map(({ key, state }) => [key, state]));
  }
}
