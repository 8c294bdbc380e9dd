import { request as octokit } from '@octokit/request';
import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { hideSecrets } from '../text/secret.ts';
import { boundFetch, brokenOff, type CallOptions, flatten, type Host, unexpected } from './call.ts';
import {
  type EnsuredPullRequest,
  ensurePullRequest,
  type Forge,
  findPullRequest,
  type PullRequest,
  type PullRequestPlan,
} from './forge.ts';
import { AppTokens, type GithubApp } from './github-app.ts';
import { ForgeRefusal, failPlainly, refuse } from './refusal.ts';

export interface GithubOptions extends Omit<CallOptions, 'signal'> {
  /** Such as https://api.github.com, or https://github.example.com/api/v3 for GitHub Enterprise Server. */
  apiUrl: string;
  owner: string;
  name: string;
  auth: { kind: 'token'; token: string } | ({ kind: 'app' } & GithubApp);
}

/** Asks the API with one token. @throws ForgeRefusal, or the reason of the signal */
export type GithubCall = (
  route: string,
  parameters: Record<string, unknown>,
  authorization: string,
) => Promise<unknown>;

const permission = 'the permissions "Contents: write" and "Pull requests: write"';

const pullRequest = z.object({
  html_url: z.url({ protocol: /^https?$/ }),
  number: z.int(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullable(),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});

export class Github implements Forge {
  readonly kind = 'github';
  readonly #options: GithubOptions;
  readonly #host: Host;
  readonly #tokens: AppTokens | undefined;

  constructor(options: GithubOptions) {
    const { apiUrl, owner, name, auth, now } = options;
    this.#options = options;
    this.#host = { url: apiUrl, permission };
    if (auth.kind === 'app') this.#tokens = new AppTokens({ app: auth, owner, name, now });
  }

  async credential(): Promise<Credential> {
    return { username: 'x-access-token', password: await this.#token() };
  }

  async ensurePullRequest(plan: PullRequestPlan, signal?: AbortSignal): Promise<EnsuredPullRequest> {
    const list = (head: string) => this.#list(head, signal);
    const create = (fitted: PullRequestPlan) => this.#create(fitted, signal);
    return await ensurePullRequest({ list, create }, plan);
  }

  async findPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    return await findPullRequest(
      async () => this.#read(await this.#call(route, { pull_number: number }, signal)),
      () => this.#call('GET /repos/{owner}/{repo}', {}, signal),
    );
  }

  async #list(head: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const { owner, name } = this.#options;
    const data = await this.#call(
      'GET /repos/{owner}/{repo}/pulls',
      { head: `${owner}:${head}`, state: 'all', sort: 'created', direction: 'desc', per_page: 50 },
      signal,
    );
    const found = z.array(pullRequest).safeParse(data);
    if (!found.success) throw unexpected(this.#host);
    // GitHub ignores a head that it does not understand, and lists forks as well.
    const slug = `${owner}/${name}`.toLowerCase();
    return found.data.filter((item) => item.head.repo?.full_name.toLowerCase() === slug).map(toPullRequest);
  }

  async #create(
    { head, base, title, body, draft }: PullRequestPlan,
    signal: AbortSignal | undefined,
  ): Promise<PullRequest> {
    const data = await this.#call(
      'POST /repos/{owner}/{repo}/pulls',
      { head, base, title, body, draft },
      signal,
    );
    return this.#read(data);
  }

  #read(data: unknown): PullRequest {
    const found = pullRequest.safeParse(data);
    if (!found.success) throw unexpected(this.#host);
    return toPullRequest(found.data);
  }

  async #token(): Promise<string> {
    const { auth } = this.#options;
    if (auth.kind === 'token') return auth.token;
    // Without the signal: others may be waiting for the same token.
    const call: GithubCall = (route, parameters, authorization) =>
      this.#ask(route, parameters, authorization, undefined);
    return await failPlainly(async () => (await this.#tokens?.get(call)) ?? '');
  }

  async #call(
    route: string,
    parameters: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { apiUrl, owner, name } = this.#options;
    const token = await this.#token();
    try {
      return await this.#ask(route, { owner, repo: name, ...parameters }, `token ${token}`, signal);
    } catch (error) {
      if (!(error instanceof ForgeRefusal) || error.status !== 401 || !this.#tokens) throw error;
      await this.#tokens.forget(token);
      throw new JobFailure('server_error', `${apiUrl} refused a token that it had made for the App itself.`);
    }
  }

  async #ask(
    route: string,
    parameters: Record<string, unknown>,
    authorization: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const { fetch, now, apiUrl } = this.#options;
    try {
      const answer = await octokit(route, {
        ...parameters,
        baseUrl: apiUrl,
        headers: { authorization, 'user-agent': 'headcount', 'x-github-api-version': '2022-11-28' },
        request: { fetch: boundFetch({ fetch, signal }), log: silent },
      });
      if (answer.status >= 300) throw this.#refusal(answer.status, answer.headers, '');
      return answer.data;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ForgeRefusal) throw error;
      if (!isAnswered(error)) throw brokenOff(error, this.#host, now());
      const message = hideSecrets(flatten(error.response.data), [authorization.replace(/^\S+ /, '')]);
      throw this.#refusal(error.status, error.response.headers, message);
    }
  }

  #refusal(status: number, headers: Record<string, unknown>, message: string): ForgeRefusal {
    const pairs = Object.entries(headers).map(([key, value]): [string, string] => [key, String(value)]);
    return refuse({ status, headers: new Headers(pairs), message, now: this.#options.now() }, this.#host);
  }
}

/** Octokit tells of deprecated routes on the console. */
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface Answered extends Error {
  status: number;
  response: { headers: Record<string, unknown>; data: unknown };
}

/** Octokit gives a connection that broke off the status 500; only a real answer has a response. */
function isAnswered(error: unknown): error is Answered {
  return error instanceof Error && 'status' in error && 'response' in error && error.response !== undefined;
}

function toPullRequest({
  html_url,
  number,
  state,
  merged_at,
  head,
}: z.infer<typeof pullRequest>): PullRequest {
  return {
    url: html_url,
    number,
    state: merged_at === null ? state : 'merged',
    head: head.ref,
    headCommit: head.sha,
  };
}
