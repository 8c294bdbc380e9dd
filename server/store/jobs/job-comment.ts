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
export const commentStates = ['heard', 'ignored', 'limited', 'spent', 'answered'] as const;
export type CommentState = (typeof commentStates)[number];

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
