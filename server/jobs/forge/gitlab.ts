import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { type CallOptions, callJson, type Host, type JsonRequest, unexpected } from './call.ts';
import {
  type EnsuredPullRequest,
  ensurePullRequest,
  type Forge,
  findPullRequest,
  type PullRequest,
  type PullRequestPlan,
} from './forge.ts';

export interface GitlabOptions extends Omit<CallOptions, 'signal'> {
  /** Such as https://gitlab.com/api/v4. */
  apiUrl: string;
  /** With its groups, such as `group/subgroup/name`. */
  slug: string;
  /** A personal, project or group access token. */
  token: string;
}

const permission = 'the scope "api" and at least the role Developer';

const mergeRequest = z.object({
  web_url: z.url({ protocol: /^https?$/ }),
  iid: z.int(),
  state: z.enum(['opened', 'closed', 'merged', 'locked']),
  source_branch: z.string(),
  sha: z.string().nullable(),
  source_project_id: z.int().nullable(),
  target_project_id: z.int(),
});

/** What gitbeaker asks of whoever carries its requests. */
interface GitbeakerOptions {
  searchParams?: Record<string, unknown>;
  body?: unknown;
}

export class Gitlab implements Forge {
  readonly kind = 'gitlab';
  readonly #options: GitlabOptions;
  readonly #host: Host;

  constructor(options: GitlabOptions) {
    this.#options = options;
    this.#host = { url: options.apiUrl, permission };
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#options.token };
  }

  async ensurePullRequest(plan: PullRequestPlan, signal?: AbortSignal): Promise<EnsuredPullRequest> {
    const { slug } = this.#options;
    const client = await this.#client(signal);
    return await ensurePullRequest(
      {
        list: async (sourceBranch) => {
          const order = { orderBy: 'created_at', sort: 'desc', perPage: 50, maxPages: 1 } as const;
          return this.#readAll(await client.all({ projectId: slug, sourceBranch, ...order }));
        },
        create: async ({ head, base, title, body, draft }) => {
          // https://docs.gitlab.com/user/project/merge_requests/drafts/
          const shown = draft ? `Draft: ${title}` : title;
          return this.#read(await client.create(slug, head, base, shown, { description: body }));
        },
      },
      plan,
    );
  }

  async findPullRequest(number: number, signal?: AbortSignal): Promise<PullRequest | undefined> {
    const { slug } = this.#options;
    const client = await this.#client(signal);
    return await findPullRequest(
      async () => this.#read(await client.show(slug, number)),
      () => this.#send({ method: 'GET', path: `/projects/${encodeURIComponent(slug)}` }, signal),
    );
  }

  /**
   * Gitbeaker knows the routes; we carry its requests, as its own carrier repeats every request ten times on a 429 or
   * 502 within a quarter of a second, a POST too, and hides how long the server asked it to wait.
   */
  async #client(signal: AbortSignal | undefined) {
    // It takes 20 MB, which only those with a GitLab repository shall pay.
    const { MergeRequests } = await import('@gitbeaker/rest');
    const carry = (method: 'GET' | 'POST') => async (endpoint: string, options?: GitbeakerOptions) => {
      const query = options?.searchParams ? `?${new URLSearchParams(toSnakeCase(options.searchParams))}` : '';
      const body = method === 'POST' ? { body: toSnakeCase(options?.body ?? {}) } : {};
      return await this.#send({ method, path: `/${endpoint}${query}`, ...body }, signal);
    };
    const unused = () => Promise.reject(new Error('Headcount neither changes nor deletes merge requests.'));
    return new MergeRequests({
      token: this.#options.token,
      host: this.#host.url,
      requesterFn: () => ({
        get: carry('GET'),
        post: carry('POST'),
        put: unused,
        patch: unused,
        delete: unused,
      }),
    });
  }

  async #send(request: Omit<JsonRequest, 'headers'>, signal: AbortSignal | undefined) {
    const headers = { 'private-token': this.#options.token };
    const answer = await callJson({ ...this.#options, signal }, this.#host, { ...request, headers });
    return { body: answer.data as never, headers: Object.fromEntries(answer.headers), status: answer.status };
  }

  #read(data: unknown): PullRequest {
    const found = mergeRequest.safeParse(data);
    if (!found.success) throw unexpected(this.#host);
    return toPullRequest(found.data);
  }

  #readAll(data: unknown): PullRequest[] {
    const found = z.array(mergeRequest).safeParse(data);
    if (!found.success) throw unexpected(this.#host);
    return found.data.filter((item) => item.source_project_id === item.target_project_id).map(toPullRequest);
  }
}

function toSnakeCase(fields: object): Record<string, string> {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    known.map(([key, value]) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]),
  );
}

function toPullRequest({
  web_url,
  iid,
  state,
  source_branch,
  sha,
}: z.infer<typeof mergeRequest>): PullRequest {
  const shown = state === 'merged' || state === 'closed' ? state : 'open';
  return { url: web_url, number: iid, state: shown, head: source_branch, headCommit: sha ?? '' };
}
