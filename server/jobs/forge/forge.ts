import type { Repository } from '../../../shared/jobs/repository.ts';
import type { Credential } from '../credential.ts';
import type { ForgeAuth } from './auth.ts';
import type { CallOptions } from './call.ts';
import type { ForgeReview, Involved, OwnedChange, Owners, Reviewer } from './review/review.ts';

export interface PullRequestPlan {
  /** The branch that was pushed, and the commit it was pushed at. */
  head: string;
  commit: string;
  /** The branch it shall be merged into. */
  base: string;
  title: string;
  body: string;
  draft: boolean;
}

export interface PullRequest {
  url: string;
  number: number;
  state: 'open' | 'merged' | 'closed';
  head: string;
  headCommit: string;
  /** The branch it goes to, which people may change. */
  base: string;
  /** Without what marks a draft. */
  title: string;
  body: string;
  draft: boolean;
}

/** What a pull request shows of itself. */
export type PullRequestText = Pick<PullRequest, 'title' | 'body' | 'draft'>;

/** What a job says at a pull request, once. */
export interface PullComment {
  text: string;
  /** A part of the text by which an earlier attempt's is found. */
  signature: string;
  /** When it can have been written first: milliseconds since 1970. */
  since: number;
}

/** What became of a pull request. */
export interface Merge {
  state: PullRequest['state'];
  title: string;
  /** RFC 3339; null: it was not merged. */
  mergedAt: string | null;
  /** With which it came into its base; null: it was not merged, or that is not told. */
  commit: string | null;
  /** Those that it changed, where it was merged: some hundred at most. */
  files: string[];
}

/** As a list of pull requests has it. */
export type PullState = Pick<PullRequest, 'number' | 'state' | 'title'>;

/** What somebody wrote at a pull request: below it, at a line of its change, or in a review. */
export interface PostedComment {
  /** Names it for ever among all that is written there. */
  key: string;
  /** As people know them there. */
  author: string;
  /** By which they are asked for; null: a program, or somebody who is gone. */
  authorId: string | null;
  text: string;
  url: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  changedAt: number;
  position: CommentPosition;
}

/** Where something was written, and so where answers go. */
export interface CommentPosition {
  /** As the code host names it; null: it has none, or it is not known yet. */
  thread: string | null;
  file: string | null;
  line: number | null;
}

export interface CommentThread {
  id: string | null;
  /** Oldest first; empty: whatever was written below the pull request. */
  comments: PostedComment[];
}

/** What programs found out about the last commit of a pull request. */
export interface Checks {
  /** `running`: some are not done yet. */
  state: 'none' | 'running' | 'passed' | 'failed';
  failed: FailedCheck[];
}

export interface FailedCheck {
  name: string;
  /** What it says of its failure; may be long. */
  text: string;
  url: string;
}

export type EnsuredPullRequest =
  | { kind: 'created' | 'found'; pullRequest: PullRequest }
  /** The branch holds nothing that its base lacks. */
  | { kind: 'nothing' };

/** A code host, for one repository. All methods throw JobFailure, or the reason of the signal. */
export interface Forge {
  /** What git signs in with. Short-lived for GitHub Apps: ask for it anew before each step. */
  credential(): Promise<Credential>;
  /**
   * Opens a pull request, or finds the one that an earlier attempt opened: an open one of this branch, or one in any
   * state whose last commit is ours.
   */
  ensurePullRequest(plan: PullRequestPlan, signal?: AbortSignal): Promise<EnsuredPullRequest>;
  /** Undefined when the code host has deleted it. */
  findPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined>;
  /** The same, with what it is about. */
  findMerge(number: number, signal?: AbortSignal): Promise<Merge | undefined>;
  /** What became of several, by their numbers; those that the code host has deleted are left out. */
  findStates(numbers: readonly number[], signal?: AbortSignal): Promise<ReadonlyMap<number, PullState>>;
  /** Paths that a pull request changes, some hundred at most. */
  listFiles(number: number, signal?: AbortSignal): Promise<string[]>;
  /** Of the commits of a pull request, in any order; 250 at most. */
  listMessages(number: number, signal?: AbortSignal): Promise<string[]>;
  /** Gives a pull request another title, text or draft state; what is the same already is left alone. */
  rewrite(pull: PullRequest, text: PullRequestText, signal?: AbortSignal): Promise<void>;
  /** Adds labels; those that it has already stay. */
  label(number: number, labels: readonly string[], signal?: AbortSignal): Promise<void>;
  /** Who has to do with a pull request already. */
  readInvolved(number: number, signal?: AbortSignal): Promise<Involved>;
  /** Asks one more for a review. */
  askForReview(number: number, reviewer: Reviewer, signal?: AbortSignal): Promise<void>;
  /** Whom the repository names for what is changed. */
  findOwners(change: OwnedChange, signal?: AbortSignal): Promise<Owners>;
  /** Who wrote a commit; undefined: nobody that the code host knows, or a program. */
  findAuthor(commit: string, signal?: AbortSignal): Promise<Reviewer | undefined>;
  /** Comments, unless an earlier attempt has. */
  say(number: number, comment: PullComment, signal?: AbortSignal): Promise<void>;
  /** What was written or changed since then, in the order in which it was written; a thousand at most. */
  listPosted(pull: PullRequest, since: number, signal?: AbortSignal): Promise<PostedComment[]>;
  /** What stands around a comment, up to it. */
  readThread(pull: PullRequest, comment: PostedComment, signal?: AbortSignal): Promise<CommentThread>;
  /** Whether somebody may write to the repository. */
  mayWrite(authorId: string, signal?: AbortSignal): Promise<boolean>;
  /** Answers where something was written, unless an earlier attempt has. */
  answer(
    pull: PullRequest,
    position: CommentPosition,
    comment: PullComment,
    signal?: AbortSignal,
  ): Promise<void>;
  readChecks(pull: PullRequest, signal?: AbortSignal): Promise<Checks>;
  /** Which repository it is, under whatever name. */
  identify(signal?: AbortSignal): Promise<RepositoryIdentity>;
}

/** By which a repository is the same under another name, and what it is called now. */
export interface RepositoryIdentity {
  id: string;
  /** Without what stands before it in addresses of this code host. */
  slug: string;
}

type Signal = AbortSignal | undefined;

/** What people and programs say at a pull request, in each code host's own way. */
export interface ForgeTalk {
  /** In any order. */
  list(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]>;
  /** The whole thread of a comment; of one that has none, no comments. */
  readThread(pull: PullRequest, comment: PostedComment, signal: Signal): Promise<CommentThread>;
  mayWrite(authorId: string, signal: Signal): Promise<boolean>;
  answer(pull: PullRequest, position: CommentPosition, text: string, signal: Signal): Promise<unknown>;
  readChecks(pull: PullRequest, signal: Signal): Promise<Checks>;
}

/** What each code host does in its own way. All methods throw ForgeRefusal, JobFailure or the reason of the signal. */
export interface ForgeApi {
  credential(): Promise<Credential>;
  /** Pull requests of a branch of this repository, in any state, newest first. */
  list(head: string, signal: AbortSignal | undefined): Promise<PullRequest[]>;
  /** A page of all pull requests of the repository, newest first; an empty one is behind the last. */
  listNewest(page: number, signal: AbortSignal | undefined): Promise<PullState[]>;
  create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest>;
  read(number: number, signal: AbortSignal | undefined): Promise<PullRequest>;
  readMerge(number: number, signal: AbortSignal | undefined): Promise<Merge>;
  /** Paths that a pull request changes, some hundred at most. */
  listFiles(number: number, signal: AbortSignal | undefined): Promise<string[]>;
  listMessages(number: number, signal: AbortSignal | undefined): Promise<string[]>;
  rewrite(pull: PullRequest, text: PullRequestText, signal: AbortSignal | undefined): Promise<unknown>;
  label(number: number, labels: readonly string[], signal: AbortSignal | undefined): Promise<unknown>;
  comment(number: number, text: string, signal: AbortSignal | undefined): Promise<unknown>;
  /** Texts of comments that were made or changed since, a thousand at most. */
  listComments(number: number, since: number, signal: AbortSignal | undefined): Promise<string[]>;
  /** Also where it is by now, if the code host sends on to there. Refused where the token has lost the repository. */
  readRepository(signal: AbortSignal | undefined): Promise<RepositoryIdentity>;
  readonly talk: ForgeTalk;
  readonly review: ForgeReview;
}

export interface ForgeApiOptions extends Omit<CallOptions, 'signal'> {
  /** Without a slash at its end. */
  apiUrl: string;
  /** Of the repository, as the API knows it. */
  slug: string;
  auth: ForgeAuth;
}

/** All that is special about one kind of code host. */
export interface ForgeDriver {
  /** Whether a host is of this kind; others are asked. */
  knows(host: string): boolean;
  /** Where the API usually is. */
  apiUrlOf(repository: Repository): string;
  /** A request without a token whose answer gives this kind away, if only by how it refuses. */
  probe: { path: string; isIt(response: Response, body: string): boolean };
  /** @throws JobFailure bad_forge, bad_repository */
  open(options: ForgeApiOptions): ForgeApi;
}
