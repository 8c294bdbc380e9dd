import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { requireToken } from './auth.ts';
import { callJson, type Host, type JsonRequest, parseReply } from './call.ts';
import type { ForgeApi, ForgeApiOptions, ForgeDriver, Merge, PullRequest, PullRequestPlan } from './forge.ts';
import { GitlabReview } from './review/gitlab.ts';
import { GitlabTalk } from './talk/gitlab.ts';
import { readPages, talkPages } from './talk/pages.ts';

export const gitlab: ForgeDriver = {
  knows: (host) => host === 'gitlab.com',
  apiUrlOf: ({ origin }) => `${origin}/api/v4`,
  probe: {
    path: '/api/v4/version',
    isIt: ({ headers }, body) =>
      headers.has('x-gitlab-meta') || /"message"\s*:\s*"401 Unauthorized"/.test(body),
  },
  open: (options) => new GitlabApi(options),
};

const permission = 'the scope "api" and at least the role Developer';

const mergeRequest = z.object({
  web_url: z.url({ protocol: /^https?$/ }),
  iid: z.int(),
  state: z.enum(['opened', 'closed', 'merged', 'locked']),
  source_branch: z.string(),
  sha: z.string().nullable(),
  description: z.string().nullish(),
  source_project_id: z.int().nullable(),
  target_project_id: z.int(),
});

const titled = z.object({
  title: z.string(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
});
const commits = z.array(z.object({ message: z.string() }));
const changedFiles = z.array(z.object({ new_path: z.string() }));
const notes = z.array(z.object({ body: z.string(), created_at: z.string() }));
const perPage = 100;
const maxPages = 3;

/** What gitbeaker asks of whoever carries its requests. */
interface GitbeakerOptions {
  searchParams?: Record<string, unknown>;
  body?: unknown;
}

class GitlabApi implements ForgeApi {
  readonly #options: ForgeApiOptions;
  readonly #host: Host;
  /** A personal, project or group access token. */
  readonly #token: string;
  readonly talk: GitlabTalk;
  readonly review: GitlabReview;

  constructor(options: ForgeApiOptions) {
    this.#options = options;
    this.#host = { url: options.apiUrl, permission };
    this.#token = requireToken(options.auth);
    const shared: ConstructorParameters<typeof GitlabTalk>[0] = {
      host: this.#host,
      path: `/projects/${encodeURIComponent(options.slug)}`,
      ask: async (request, signal) => (await this.#send(request, signal)).body,
    };
    this.talk = new GitlabTalk(shared);
    this.review = new GitlabReview({ ...shared, mayWrite: (...asked) => this.talk.mayWrite(...asked) });
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#token };
  }

  async list(sourceBranch: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const client = await this.#client(signal);
    const order = { orderBy: 'created_at', sort: 'desc', perPage: 50, maxPages: 1 } as const;
    const data = await client.all({ projectId: this.#options.slug, sourceBranch, ...order });
    const all = parseReply(z.array(mergeRequest), data, this.#host);
    return all.filter((item) => item.source_project_id === item.target_project_id).map(toPullRequest);
  }

  async create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { head, base, title, body, draft } = plan;
    const client = await this.#client(signal);
    // https://docs.gitlab.com/user/project/merge_requests/drafts/
    const shown = draft ? `Draft: ${title}` : title;
    return this.#parse(await client.create(this.#options.slug, head, base, shown, { description: body }));
  }

  async read(number: number, signal: AbortSignal | undefined): Promise<PullRequest> {
    const client = await this.#client(signal);
    return this.#parse(await client.show(this.#options.slug, number));
  }

  async readMerge(number: number, signal: AbortSignal | undefined): Promise<Merge> {
    const { body } = await this.#send({ method: 'GET', path: this.#pathOf(number) }, signal);
    const { state, headCommit } = this.#parse(body);
    const { title, merged_at: mergedAt = null, ...shas } = parseReply(titled, body, this.#host);
    if (state !== 'merged') return { state, title, mergedAt, commit: null, files: [] };
    // Without a merge commit the branch itself, or what it was squashed to, is in the base.
    const commit = shas.merge_commit_sha ?? shas.squash_commit_sha ?? headCommit;
    return { state, title, mergedAt, commit: commit || null, files: await this.listFiles(number, signal) };
  }

  async listFiles(number: number, signal: AbortSignal | undefined): Promise<string[]> {
    const items = await this.#listAll(changedFiles, 'diffs', number, signal);
    return items.map(({ new_path }) => new_path);
  }

  async listMessages(number: number, signal: AbortSignal | undefined): Promise<string[]> {
    const items = await this.#listAll(commits, 'commits', number, signal);
    return items.map(({ message }) => message);
  }

  async #listAll<Item>(
    schema: z.ZodType<Item[]>,
    part: string,
    number: number,
    signal: AbortSignal | undefined,
  ): Promise<Item[]> {
    return await readPages({ perPage, maxPages }, async (page) => {
      const query = new URLSearchParams({ page: `${page}`, per_page: `${perPage}` });
      const path = `${this.#pathOf(number)}/${part}?${query}`;
      const { body } = await this.#send({ method: 'GET', path }, signal);
      return parseReply(schema, body, this.#host);
    });
  }

  async rewrite(number: number, body: string, signal: AbortSignal | undefined): Promise<unknown> {
    const request = { method: 'PUT', path: this.#pathOf(number), body: { description: body } } as const;
    return await this.#send(request, signal);
  }

  async label(number: number, labels: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
    const body = { add_labels: labels.join(',') };
    return await this.#send({ method: 'PUT', path: this.#pathOf(number), body }, signal);
  }

  async comment(number: number, text: string, signal: AbortSignal | undefined): Promise<unknown> {
    const path = `${this.#pathOf(number)}/notes`;
    return await this.#send({ method: 'POST', path, body: { body: text } }, signal);
  }

  async listComments(number: number, since: number, signal: AbortSignal | undefined): Promise<string[]> {
    const isLast = (all: readonly z.infer<typeof notes>[number][]) =>
      all.some(({ created_at }) => Date.parse(created_at) < since);
    const all = await readPages({ ...talkPages, isLast }, async (page) => {
      const query = `sort=desc&order_by=created_at&per_page=${talkPages.perPage}&page=${page}`;
      const path = `${this.#pathOf(number)}/notes?${query}`;
      const { body } = await this.#send({ method: 'GET', path }, signal);
      return parseReply(notes, body, this.#host);
    });
    return all.map((note) => note.body);
  }

  #pathOf(number: number): string {
    return `/projects/${encodeURIComponent(this.#options.slug)}/merge_requests/${number}`;
  }

  async readRepository(signal: AbortSignal | undefined): Promise<unknown> {
    const path = `/projects/${encodeURIComponent(this.#options.slug)}`;
    return await this.#send({ method: 'GET', path }, signal);
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
      token: this.#token,
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
    const headers = { 'private-token': this.#token };
    const reply = await callJson({ ...this.#options, signal }, this.#host, { ...request, headers });
    return { body: reply.data as never, headers: Object.fromEntries(reply.headers), status: reply.status };
  }

  #parse(data: unknown): PullRequest {
    return toPullRequest(parseReply(mergeRequest, data, this.#host));
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
  description,
}: z.infer<typeof mergeRequest>): PullRequest {
  const shown = state === 'merged' || state === 'closed' ? state : 'open';
  const body = description ?? '';
  return { url: web_url, number: iid, state: shown, head: source_branch, headCommit: sha ?? '', body };
}
