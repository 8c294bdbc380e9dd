import { has, type Sql } from '../../database/sql.ts';

/** The comment, or the failed checks, that a turn comes from. */
export interface CommentOrigin {
  /** Of the pull request. */
  number: number;
  key: string;
  /** Null: checks have no author. */
  author: string | null;
  url: string;
  /** As the code host names it; null: answers go below the pull request. */
  thread: string | null;
  file: string | null;
  line: number | null;
  /** What others wrote there, what the comment quotes, or what the checks said: for the agent, and never a request. */
  material: readonly Utterance[];
}

export interface Utterance {
  by: string;
  text: string;
}

/** A comment, or failed checks, that shall become a message of a job. */
export interface CommentMessage {
  prompt: string;
  origin: CommentOrigin;
}

/**
 * What became of a comment: a message of the job (`heard`), nothing (`ignored`), nothing as the limit of requests or
 * the budget is used up, with the answer still to be posted (`limited`, `spent`) or posted (`answered`).
 */
export type CommentState = 'heard' | 'ignored' | 'limited' | 'spent' | 'answered';

/** `known`: it was processed before. */
export type CommentOutcome = 'heard' | 'known' | CommentRefusal;
type CommentRefusal = 'limited' | 'spent' | 'archived' | 'not_found';

/** Of a comment without an earlier one of its key. */
export const commentOutcomeOf = ({
  kind,
}: {
  kind: 'accepted' | 'repeated' | 'key_reused' | CommentRefusal;
}): CommentOutcome =>
  kind === 'accepted' ? 'heard' : kind === 'repeated' || kind === 'key_reused' ? 'known' : kind;

/** Whether it was processed; in a transaction that holds the lock of its job. */
export async function isKnown(sql: Sql, job: number, key: string): Promise<boolean> {
  return has(sql, 'select key from heard_comments where job = $1 and key = $2', [job, key]);
}

/** In such a transaction. */
export async function setComment(sql: Sql, job: number, key: string, state: CommentState): Promise<void> {
  await sql.query(
    `insert into heard_comments (job, key, state) values ($1, $2, $3)
     on conflict (job, key) do update set state = excluded.state`,
    [job, key, state],
  );
}

export function comments(sql: Sql) {
  return {
    /** What was made of the comments at a job's pull requests, by their keys. */
    async readComments(projectId: string, jobId: string): Promise<Record<string, CommentState>> {
      const rows = await sql.query<{ key: string; state: CommentState }>(
        `select h.key, h.state from heard_comments h join jobs j on j.id = h.job join projects p on p.id = j.project
         where p.public_id = $1 and j.public_id = $2`,
        [projectId, jobId],
      );
      return Object.fromEntries(rows.map(({ key, state }) => [key, state]));
    },
  };
}
