import type { Credential } from '../credential.ts';
import { ForgeRefusal, failPlainly } from './refusal.ts';

export type ForgeKind = 'github' | 'gitlab' | 'gitea';

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
}

export type EnsuredPullRequest =
  | { kind: 'created' | 'found'; pullRequest: PullRequest }
  /** The branch holds nothing that its base lacks. */
  | { kind: 'nothing' };

/** A code host, for one repository. All methods throw JobFailure, or the reason of the signal. */
export interface Forge {
  readonly kind: ForgeKind;
  /** What git signs in with. Short-lived for GitHub Apps: ask for it anew before each step. */
  credential(): Promise<Credential>;
  /**
   * Opens a pull request, or finds the one that an earlier attempt opened: an open one of this branch, or one in any
   * state whose last commit is ours.
   */
  ensurePullRequest(plan: PullRequestPlan, signal?: AbortSignal): Promise<EnsuredPullRequest>;
  /** Undefined when the code host has deleted it. */
  findPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined>;
}

/** What each code host does in its own way. */
export interface PullRequests {
  /** Those of a branch of this repository, in any state, newest first. */
  list(head: string): Promise<PullRequest[]>;
  create(plan: PullRequestPlan): Promise<PullRequest>;
}

/** Longest texts that all code hosts take. */
const maxTitle = 250;
const maxBody = 60_000;

/** Looks, creates, and looks again whenever it is not certain that nothing was created. */
export function ensurePullRequest(
  pullRequests: PullRequests,
  plan: PullRequestPlan,
): Promise<EnsuredPullRequest> {
  return failPlainly(() => ensure(pullRequests, plan));
}

async function ensure(pullRequests: PullRequests, plan: PullRequestPlan): Promise<EnsuredPullRequest> {
  const found = await findExisting(pullRequests, plan);
  if (found) return { kind: 'found', pullRequest: found };
  try {
    return { kind: 'created', pullRequest: await pullRequests.create(fitted(plan)) };
  } catch (error) {
    if (!(error instanceof ForgeRefusal)) throw error;
    if (error.meaning === 'no_draft' && plan.draft) {
      return await ensure(pullRequests, { ...plan, draft: false });
    }
    if (!error.mayHaveCreated) throw error;
    const created = await findExisting(pullRequests, plan);
    if (created) return { kind: 'found', pullRequest: created };
    if (error.meaning === 'nothing') return { kind: 'nothing' };
    throw error;
  }
}

/** A repository that can still be seen has lost the pull request; otherwise the token has lost the repository. */
export function findPullRequest(
  read: () => Promise<PullRequest>,
  readRepository: () => Promise<unknown>,
): Promise<PullRequest | undefined> {
  return failPlainly(async () => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ForgeRefusal) || error.status !== 404) throw error;
      await readRepository();
      return undefined;
    }
  });
}

async function findExisting(
  pullRequests: PullRequests,
  plan: PullRequestPlan,
): Promise<PullRequest | undefined> {
  const all = (await pullRequests.list(plan.head)).filter(({ head }) => head === plan.head);
  return (
    all.find(({ state }) => state === 'open') ?? all.find(({ headCommit }) => headCommit === plan.commit)
  );
}

function fitted(plan: PullRequestPlan): PullRequestPlan {
  return { ...plan, title: shorten(plan.title, maxTitle), body: shorten(plan.body, maxBody) };
}

function shorten(text: string, max: number): string {
  // A letter has one or two UTF-16 units, and none may be cut in half.
  const letters = Array.from(text.slice(0, max * 2 + 2));
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : text;
}
