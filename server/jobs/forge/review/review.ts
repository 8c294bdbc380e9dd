/** Somebody, or a team, that can be asked for a review. */
export interface Reviewer {
  /** By which the code host is asked. */
  id: string;
  /** As people know them there. */
  name: string;
}

/** Who has to do with a pull request already, by their ids. */
export interface Involved {
  author: string | null;
  /** Asked for a review, by whomever: code hosts ask owners and default reviewers by themselves. */
  asked: readonly string[];
}

export interface Owners {
  /** Those of most files first. */
  reviewers: readonly Reviewer[];
  /** Whether a rule names somebody, though it may be nobody who can be asked. */
  areNamed: boolean;
}

/** What a pull request changes, and how to read a file of its base. */
export interface OwnedChange {
  paths: readonly string[];
  /** The first of some paths that is there. */
  readFirst(paths: readonly string[]): Promise<string | undefined>;
}

type Signal = AbortSignal | undefined;

/** Who is asked for a review, in each code host's own way. */
export interface ForgeReview {
  read(number: number, signal: Signal): Promise<Involved>;
  /** Asks one more; nothing happens to those who are asked already. Refused for who has no access. */
  ask(number: number, reviewer: Reviewer, signal: Signal): Promise<unknown>;
  /** Whom the repository names for what is changed. */
  findOwners(change: OwnedChange, signal: Signal): Promise<Owners>;
  /** Who wrote a commit, where the code host surely knows; undefined: nobody that it knows, or a program. */
  findAuthor(commit: string, signal: Signal): Promise<Reviewer | undefined>;
}

export const nobody: Owners = { reviewers: [], areNamed: false };
