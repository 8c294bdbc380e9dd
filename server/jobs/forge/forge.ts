import type { Repository } from '../../../shared/jobs/repository.ts';
import type { Credential } from '../credential.ts';
import type { ForgeAuth } from './auth.ts';
import type { CallOptions, Signal } from './call.ts';
import type { Webhook } from './webhook.ts';

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
  /** Undefined: it was not merged. */
  merged?: Merged | undefined;
}

/** How a pull request came into its base, as far as that is known. */
export interface Merged {
  /** RFC 3339. */
  at: string | null;
  commit: string | null;
}

/** What a pull request shows of itself. */
export type PullRequestText = Pick<PullRequest, 'title' | 'body' | 'draft'>;

/** Of code hosts where a draft is a pull request whose title begins in a certain way. */
export function draftTitles(mark: string, marks: RegExp) {
  const write = (title: string, draft: boolean) => (draft ? `${mark} ${title}` : title);
  return {
    write,
    read: (text: string): Pick<PullRequest, 'title' | 'draft'> => {
      const title = text.replace(marks, '');
      return { title, draft: title !== text };
    },
    /** Nothing where it stays as it is, with whatever mark a person has chosen. */
    rewrite: (pull: PullRequest, { title, draft }: PullRequestText): { title?: string } =>
      title === pull.title && draft === pull.draft ? {} : { title: write(title, draft) },
  };
}

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
  /** With which it came into its base; null: it was not merged, or that is not known. */
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

/** Where something was written, and so where answers go; in no thread and at no line: below the pull request. */
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

/** One of the programs that look at a commit. */
export interface Check extends FailedCheck {
  state: 'running' | 'passed' | 'failed';
}

export function sumUp(all: readonly Check[]): Checks {
  const failed = all.filter(({ state }) => state === 'failed');
  const isRunning = all.some(({ state }) => state === 'running');
  if (all.length === 0) return { state: 'none', failed: [] };
  if (isRunning) return { state: 'running', failed };
  return { state: failed.length > 0 ? 'failed' : 'passed', failed };
}

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
  /** Asked for a review, by anyone: code hosts ask owners and default reviewers by themselves. */
  asked: readonly string[];
}

export interface Owners {
  /** Those of most files first. */
  reviewers: readonly Reviewer[];
  /** Whether a rule names somebody, though it may be nobody who can be asked. */
  areNamed: boolean;
}

export const nobody: Owners = { reviewers: [], areNamed: false };

/** What a pull request changes, and how to read a file of its base. */
export interface OwnedChange {
  paths: readonly string[];
  /** The first of some paths that is there. */
  readFirst(paths: readonly string[]): Promise<string | undefined>;
}

/** Below a pull request. */
export const below: CommentPosition = { thread: null, file: null, line: null };

export type EnsuredPullRequest =
  | { kind: 'created' | 'found'; pullRequest: PullRequest }
  /** The branch holds nothing that its base lacks. */
  | { kind: 'nothing' };

/** By which a repository is the same under another name, and what it is called now. */
export interface RepositoryIdentity {
  id: string;
  /** Without what stands before it in addresses of this code host. */
  slug: string;
}

/**
 * What each code host does in its own way, for one repository. All methods throw ForgeRefusal, JobFailure or the reason of the
 * signal; those of a `Forge` never ForgeRefusal.
 */
export interface ForgeApi {
  /** What git signs in with. Short-lived for GitHub Apps: ask for it anew before each step. */
  credential(): Promise<Credential>;
  /** Also where it is by now, if the code host sends on to there. Refused where the token has lost the repository. */
  identify(signal?: Signal): Promise<RepositoryIdentity>;

  /** Pull requests of a branch of this repository, in any state, newest first. */
  list(head: string, signal?: Signal): Promise<PullRequest[]>;
  /** A page of all pull requests of the repository, newest first; an empty one is behind the last. */
  listNewest(page: number, signal?: Signal): Promise<PullState[]>;
  create(plan: PullRequestPlan, signal?: Signal): Promise<PullRequest>;
  read(number: number, signal?: Signal): Promise<PullRequest>;
  /** Only where a merged pull request does not have all of it. */
  readMerged?(pull: PullRequest, signal?: Signal): Promise<Merged>;
  /** Paths that a pull request changes, some hundred at most. */
  listFiles(number: number, signal?: Signal): Promise<string[]>;
  /** Of the commits of a pull request, in any order; 250 at most. */
  listMessages(number: number, signal?: Signal): Promise<string[]>;
  /** Gives a pull request another title, text or draft state; what is the same already is left alone. */
  rewrite(pull: PullRequest, text: PullRequestText, signal?: Signal): Promise<unknown>;
  /** Adds labels; those that it has already stay. */
  label(number: number, labels: readonly string[], signal?: Signal): Promise<unknown>;

  /** What was written or changed since then; in any order from a code host, in that of time from a `Forge`. */
  listComments(pull: PullRequest, since: number, signal?: Signal): Promise<PostedComment[]>;
  /** The whole thread of a comment, and of one that has none, no comments; of a `Forge`, what stands around it, up to it. */
  readThread(pull: PullRequest, comment: PostedComment, signal?: Signal): Promise<CommentThread>;
  comment(pull: PullRequest, position: CommentPosition, text: string, signal?: Signal): Promise<unknown>;
  /** Whether somebody may write to the repository. */
  mayWrite(authorId: string, signal?: Signal): Promise<boolean>;
  readChecks(pull: PullRequest, signal?: Signal): Promise<Checks>;

  readInvolved(number: number, signal?: Signal): Promise<Involved>;
  /** Asks one more for a review; nothing happens to those who are asked already. Refused for who has no access. */
  askForReview(number: number, reviewer: Reviewer, signal?: Signal): Promise<unknown>;
  /** Whom the repository names for what is changed. */
  findOwners(change: OwnedChange, signal?: Signal): Promise<Owners>;
  /** Who wrote a commit, where the code host surely knows; undefined: nobody that it knows, or a program. */
  findAuthor(commit: string, signal?: Signal): Promise<Reviewer | undefined>;
}

/** A code host, for one repository. All methods throw JobFailure, or the reason of the signal. */
export interface Forge
  extends Omit<ForgeApi, 'list' | 'listNewest' | 'create' | 'read' | 'readMerged' | 'comment'> {
  /**
   * Opens a pull request, or finds the one that an earlier attempt opened: an open one of this branch, or one in any
   * state whose last commit is ours.
   */
  ensurePullRequest(plan: PullRequestPlan, signal?: Signal): Promise<EnsuredPullRequest>;
  /** Undefined when the code host has deleted it. */
  findPullRequest(number: number, signal?: Signal): Promise<PullRequest | undefined>;
  /** What became of a pull request. */
  readMerge(pull: PullRequest, signal?: Signal): Promise<Merge>;
  /** What became of several, by their numbers; those that the code host has deleted are left out. */
  findStates(numbers: readonly number[], signal?: Signal): Promise<ReadonlyMap<number, PullState>>;
  /** Comments in a thread or below, unless an earlier attempt has. */
  comment(pull: PullRequest, position: CommentPosition, comment: PullComment, signal?: Signal): Promise<void>;
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
  /** Whether a webhook is signed with its secret; undefined: not in the way of this code host. */
  isSigned?(webhook: Webhook): boolean | undefined;
  /** What git signs in with where nothing else is asked of the code host, if that is special. */
  credential?(token: string): Credential;
}
