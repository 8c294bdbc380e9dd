import type { Sql } from '../../database/sql.ts';

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
 * What was made of a comment: a message of the job (`heard`), nothing (`ignored`), nothing for want of requests in the hour or
 * of money, which is still to be said (`limited`, `spent`), or was said (`answered`).
 */
export type CommentState = 'heard' | 'ignored' | 'limited' | 'spent' | 'answered';

/** `known`: something was made of it before. */
export type CommentOutcome = 'heard' | 'known' | CommentRefusal;
type CommentRefusal = 'limited' | 'spent' | 'archived' | 'not_found';

/** Of a comment without an earlier one of its key. */
export function commentOutcomeOf({
  kind,
}: {
  kind: 'accepted' | 'repeated' | 'key_reused' | CommentRefusal;
}): CommentOutcome {
  switch (kind) {
    case 'accepted':
      return 'heard';
    case 'repeated':
    case 'key_reused':
      return 'known';
    default:
      return kind;
  }
}

/** Whether something was made of it; in a transaction that holds the lock of its job. */
export async function isKnown(sql: Sql, job: number, key: string): Promise<boolean> {
  const found = await sql.query('select key from heard_comments where job = $1 and key = $2', [job, key]);
  return found.length > 0;
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
