import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { type CallOptions, callJson, type Host, type JsonRequest, unexpected } from './call.ts';
import {
  type EnsuredPullRequest,
  ensurePullRequest,
  type Forge,
  findPullRequest,
  type PullRequest,
  type PullRequestPlan,
} from './forge.ts';
import { ForgeRefusal } from './refusal.ts';

export interface GiteaOptions extends Omit<CallOptions, 'signal'> {
  /** Such as https://codeberg.org/api/v1. */
  apiUrl: string;
  owner: string;
  name: string;
  token: string;
}

const permission = 'the scopes "repository: read and write"';

const branch = z.object({ label: z.string(), ref: z.string(), sha: z.string(), repo_id: z.int() });
const pullRequest = z.object({
  html_url: z.url({ protocol: /^https?$/ }),
  number: z.int(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  head: branch,
  base: branch,
});

const pageSize = 50;
/** Gitea cannot search by branch; what we look for is among those that changed last. */
const maxPages = 4;

/** Gitea and Forgejo: their APIs are the same as far as we need them. */
export class Gitea implements Forge {
  readonly kind = 'gitea';
  readonly #options: GiteaOptions;
  readonly #host: Host;

  constructor(options: GiteaOptions) {
    this.#options = options;
    this.#host = { url: options.apiUrl, permission };
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#options.token };
  }

  async ensurePullRequest(plan: PullRequestPlan, signal?: AbortSignal): Promise<EnsuredPullRequest> {
    const list = (head: string) => this.#list(head, signal);
    const create = (fitted: PullRequestPlan) => this.#create(fitted, signal);
    return await ensurePullRequest({ list, create }, plan);
  }

  async findPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined> {
    return await findPullRequest(
      async () => this.#read(await this.#call({ method: 'GET', path: `/pulls/${number}` }, signal)),
      () => this.#call({ method: 'GET', path: '' }, signal),
    );
  }

  async #list(head: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const found: PullRequest[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const query = new URLSearchParams({
        state: 'all',
        sort: 'recentupdate',
        page: `${page}`,
        limit: `${pageSize}`,
      });
      const items = this.#readAll(await this.#call({ method: 'GET', path: `/pulls?${query}` }, signal));
      found.push(...items.filter((item) => item.head.repo_id === item.base.repo_id).map(toPullRequest));
      // An instance may allow fewer on a page: only an empty page is surely the last one.
      if (items.length === 0 || found.some((item) => item.head === head && item.state === 'open')) break;
    }
    return found.toSorted((a, b) => b.number - a.number);
  }

  async #create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { head, base, body, draft } = plan;
    // A draft is a pull request whose title begins so: https://docs.gitea.com/usage/pull-request
    const title = draft ? `WIP: ${plan.title}` : plan.title;
    const request = { method: 'POST', path: '/pulls', body: { head, base, title, body } } as const;
    try {
      return this.#read(await this.#call(request, signal));
    } catch (error) {
      if (!(error instanceof ForgeRefusal) || error.status !== 404) throw error;
      // Gitea says the same of a repository that is not there and of a branch that is not there.
      await this.#call({ method: 'GET', path: '' }, signal);
      throw missingBranch(this.#host, head, base);
    }
  }

  async #call(request: Omit<JsonRequest, 'headers'>, signal: AbortSignal | undefined): Promise<unknown> {
    const { owner, name, token } = this.#options;
    const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${request.path}`;
    const headers = { authorization: `token ${token}` };
    const answer = await callJson({ ...this.#options, signal }, this.#host, { ...request, path, headers });
    return answer.data;
  }

  #read(data: unknown): PullRequest {
    const found = pullRequest.safeParse(data);
    if (!found.success) throw unexpected(this.#host);
    return toPullRequest(found.data);
  }

  #readAll(data: unknown): z.infer<typeof pullRequest>[] {
    const found = z.array(pullRequest).safeParse(data);
    if (!found.success) throw unexpected(this.#host);
    return found.data;
  }
}

function missingBranch({ url }: Host, head: string, base: string): JobFailure {
  return new JobFailure('branch_changed', `${url} does not know the branch "${head}" or its base "${base}".`);
}

/** `ref` turns into `refs/pull/1/head` once the branch is deleted; `label` stays the name of the branch. */
function toPullRequest({ html_url, number, state, merged, head }: z.infer<typeof pullRequest>): PullRequest {
  return { url: html_url, number, state: merged ? 'merged' : state, head: head.label, headCommit: head.sha };
}
