import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { requireToken } from './auth.ts';
import { callJson, type Host, type JsonRequest, parseReply } from './call.ts';
import { draftTitles } from './draft-titles.ts';
import type {
  ForgeApi,
  ForgeApiOptions,
  ForgeDriver,
  Merge,
  PullRequest,
  PullRequestPlan,
  PullRequestText,
  PullState,
  RepositoryIdentity,
} from './forge.ts';
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
/** https://docs.gitlab.com/user/project/merge_requests/drafts/ */
const drafts = draftTitles('Draft:', /^\s*(?:draft:|\[draft\]|\(draft\))\s*/i);

const mergeRequest = z.object({
  web_url: z.url({ protocol: /^https?$/ }),
  iid: z.int(),
  state: z.enum(['opened', 'closed', 'merged', 'locked']),
  source_branch: z.string(),
  target_branch: z.string(),
  sha: z.string().nullable(),
  title: z.string(),
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

const repository = z.object({ id: z.number(), path_with_namespace: z.string() });

class GitlabApi implements ForgeApi {
  readonly #options: ForgeApiOptions;
  readonly #host: Host;
  /** A personal, project or group access token. */
  readonly #token: string;
  readonly #path: string;
  readonly talk: GitlabTalk;
  readonly review: GitlabReview;

  constructor(options: ForgeApiOptions) {
    this.#options = options;
    this.#host = { url: options.apiUrl, permission };
    this.#token = requireToken(options.auth);
    this.#path = `/projects/${encodeURIComponent(options.slug)}`;
    const shared: ConstructorParameters<typeof GitlabTalk>[0] = {
      host: this.#host,
      path: this.#path,
      ask: (request, signal) => this.#call(request, signal),
    };
    this.talk = new GitlabTalk(shared);
    this.review = new GitlabReview({ ...shared, mayWrite: (...asked) => this.talk.mayWrite(...asked) });
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#token };
  }

  async list(sourceBranch: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const all = await this.#listPage({ source_branch: sourceBranch }, signal);
    return all.filter((item) => item.source_project_id === item.target_project_id).map(toPullRequest);
  }

  async listNewest(page: number, signal: AbortSignal | undefined): Promise<PullState[]> {
    return (await this.#listPage({ page: `${page}` }, signal)).map(toPullRequest);
  }

  async #listPage(
    filter: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<z.infer<typeof mergeRequest>[]> {
    const order = { order_by: 'created_at', sort: 'desc', per_page: '50' };
    const path = `${this.#path}/merge_requests?${new URLSearchParams({ ...filter, ...order })}`;
    return parseReply(z.array(mergeRequest), await this.#call({ method: 'GET', path }, signal), this.#host);
  }

  async create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { head: source_branch, base: target_branch, body: description, draft } = plan;
    const title = drafts.write(plan.title, draft);
    const fields = { source_branch, target_branch, title, description };
    const request = { method: 'POST', path: `${this.#path}/merge_requests`, body: fields } as const;
    return this.#parse(await this.#call(request, signal));
  }

  async read(number: number, signal: AbortSignal | undefined): Promise<PullRequest> {
    const data = await this.#call({ method: 'GET', path: this.#pathOf(number) }, signal);
    // Being merged at this moment: what is pushed now may be in it or not.
    if (parseReply(mergeRequest, data, this.#host).state === 'locked') {
      throw new JobFailure(
        'locked',
        `${this.#host.url} is merging the merge request ${number}: send the job a message when that is done. If it goes on for long, somebody who runs GitLab has to unlock it.`,
      );
    }
    return this.#parse(data);
  }

  async readMerge(number: number, signal: AbortSignal | undefined): Promise<Merge> {
    const data = await this.#call({ method: 'GET', path: this.#pathOf(number) }, signal);
    const { state, headCommit } = this.#parse(data);
    const { title, merged_at: mergedAt = null, ...shas } = parseReply(titled, data, this.#host);
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
      const data = await this.#call({ method: 'GET', path }, signal);
      return parseReply(schema, data, this.#host);
    });
  }

  async rewrite(pull: PullRequest, text: PullRequestText, signal: AbortSignal | undefined): Promise<unknown> {
    const body = { description: text.body, ...drafts.rewrite(pull, text) };
    return await this.#call({ method: 'PUT', path: this.#pathOf(pull.number), body }, signal);
  }

  async label(number: number, labels: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
    const body = { add_labels: labels.join(',') };
    return await this.#call({ method: 'PUT', path: this.#pathOf(number), body }, signal);
  }

  async comment(number: number, text: string, signal: AbortSignal | undefined): Promise<unknown> {
    const path = `${this.#pathOf(number)}/notes`;
    return await this.#call({ method: 'POST', path, body: { body: text } }, signal);
  }

  async listComments(number: number, since: number, signal: AbortSignal | undefined): Promise<string[]> {
    const isLast = (all: readonly z.infer<typeof notes>[number][]) =>
      all.some(({ created_at }) => Date.parse(created_at) < since);
    const all = await readPages({ ...talkPages, isLast }, async (page) => {
      const query = `sort=desc&order_by=created_at&per_page=${talkPages.perPage}&page=${page}`;
      const path = `${this.#pathOf(number)}/notes?${query}`;
      const data = await this.#call({ method: 'GET', path }, signal);
      return parseReply(notes, data, this.#host);
    });
    return all.map((note) => note.body);
  }

  #pathOf(number: number): string {
    return `${this.#path}/merge_requests/${number}`;
  }

  async readRepository(signal: AbortSignal | undefined): Promise<RepositoryIdentity> {
    const data = await this.#call({ method: 'GET', path: this.#path, sentOn: true }, signal);
    const { id, path_with_namespace: slug } = parseReply(repository, data, this.#host);
    return { id: String(id), slug };
  }

  async #call(request: Omit<JsonRequest, 'headers'>, signal: AbortSignal | undefined): Promise<unknown> {
    const headers = { 'private-token': this.#token };
    const reply = await callJson({ ...this.#options, signal }, this.#host, { ...request, headers });
    return reply.data;
  }

  #parse(data: unknown): PullRequest {
    return toPullRequest(parseReply(mergeRequest, data, this.#host));
  }
}

function toPullRequest({
  web_url,
  iid,
  state,
  source_branch,
  target_branch,
  sha,
  description,
  ...shown
}: z.infer<typeof mergeRequest>): PullRequest {
  return {
    url: web_url,
    number: iid,
    state: state === 'merged' || state === 'closed' ? state : 'open',
    head: source_branch,
    headCommit: sha ?? '',
    base: target_branch,
    ...drafts.read(shown.title),
    body: description ?? '',
  };
}
