import type { IncomingMessage } from 'node:http';
import type { ForgeKind } from '../../../shared/jobs/forge.ts';
import { type GitServer, secretOf } from '../git/git-server.ts';
import type { CheckDouble, NewPosted, Posted } from './comments.ts';
import type { GithubAppDouble } from './github-app.ts';
import type { GithubDescription } from './github-description.ts';

/** A pull request as all code hosts know it. */
export interface Pull {
  slug: string;
  number: number;
  head: string;
  base: string;
  title: string;
  body: string;
  draft: boolean;
  state: 'open' | 'merged' | 'closed';
  /** Of which repository the head is, where that is another. */
  fork?: string;
  /** GitLab calls it locked for so long. */
  isMerging?: boolean;
  /** The last commit of the head that was seen. */
  headCommit: string;
  /** What the token commented below it. */
  comments: string[];
  posted: Posted[];
  labels: string[];
  /** Who is asked for a review, by their logins; of teams "team/<name>". */
  reviewers: string[];
  /** What it changed, and with which commit it came into its base, once it was merged. */
  files?: string[];
  mergeCommit?: string;
  /** Of its commits, oldest first, once it was merged. */
  messages?: string[];
}

/** As one commit of two parents, as one of one parent, or each of its commits again. */
export type MergeStyle = 'merge' | 'squash' | 'rebase';

export type NewPull = Omit<
  Pull,
  'number' | 'state' | 'headCommit' | 'comments' | 'posted' | 'labels' | 'reviewers'
>;

/** When every merge happened. */
export const mergedAt = '2026-11-20T10:00:00Z';

export interface ApiRequest {
  method: string;
  /** Below the API's address, with a leading slash. */
  path: string;
  query: URLSearchParams;
  /** Undefined when there was none. */
  body: Record<string, unknown> | undefined;
  req: IncomingMessage;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** The number of a repository, under whatever name. */
export function idOf({ ids }: Pick<ForgeRecord, 'ids'>, slug: string): number {
  if (!ids.has(slug)) ids.set(slug, ids.size + 1);
  return ids.get(slug) as number;
}

export interface ForgeServerOptions {
  token: string;
  /** Which APIs answer; all by default. */
  names?: ForgeKind[];
  /** GitLab keeps one reviewer alone, as without Premium. */
  oneReviewer?: boolean;
  /** Drafts are refused, as in private repositories of GitHub's free plan. */
  noDrafts?: boolean;
}

/** What the APIs answer from. */
export interface ForgeRecord {
  /** Numbers of repositories by their present names. */
  readonly ids: Map<string, number>;
  readonly git: GitServer;
  readonly options: ForgeServerOptions;
  readonly app: GithubAppDouble;
  readonly description: GithubDescription;
  /** What did not fit GitHub's description. */
  readonly violations: string[];
  /** Whom the repository names for all pull requests, where a code host has that. */
  readonly defaultReviewers: string[];
  /** Of all repositories. */
  readonly pulls: readonly Pull[];
  /** What programs found out, by commit. */
  readonly checks: Map<string, CheckDouble[]>;
  /** Whether Gitea's API gives comments in pages, as newer versions of Forgejo do, and not all at once. */
  readonly pagesComments: boolean;
  /** Writes something at a pull request. */
  post(pull: Pull, posted: NewPosted): Posted;
  /** Pull requests of a repository with their newest head commits. */
  list(slug: string): Promise<Pull[]>;
  find(slug: string, number: number): Promise<Pull | undefined>;
  open(pull: NewPull): Promise<Pull>;
  /** Paths that it changes, or has changed. */
  filesOf(pull: Pull): Promise<string[]>;
  /** How many commits the head has that the base lacks. */
  countCommits(slug: string, base: string, head: string): Promise<number>;
}

/** The token of any of the ways in which the APIs take one. */
export function tokenOf({ req }: ApiRequest): string | undefined {
  const own = req.headers['private-token'];
  return typeof own === 'string' ? own : secretOf(req);
}
