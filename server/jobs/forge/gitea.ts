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
import { changedFiles, commitMessages, mergeOf } from './github-shapes.ts';
import { ForgeRefusal } from './refusal.ts';
import { GiteaReview } from './review/gitea.ts';
import { ownerAndName } from './slug.ts';
import { GiteaTalk, readIssueComments } from './talk/gitea.ts';
import { readPages } from './talk/pages.ts';

/** Gitea and Forgejo: their APIs are the same as far as we need them. */
export const gitea: ForgeDriver = {
  knows: (host) => host === 'codeberg.org' || host === 'gitea.com',
  apiUrlOf: ({ origin }) => `${origin}/api/v1`,
  probe: {
    path: '/api/v1/version',
    isIt: ({ status }, body) => status === 200 && /^\s*\{\s*"version"\s*:/.test(body),
  },
  open: (options) => new GiteaApi(options),
};

const permission = 'the scopes "repository: read and write"';
/** https://docs.gitea.com/usage/pull-request */
const drafts = draftTitles('WIP:', /^\s*(?:wip:|\[wip\])\s*/i);

const branch = z.object({ label: z.string(), ref: z.string(), sha: z.string(), repo_id: z.int() });
const pullRequest = z.object({
  html_url: z.url({ protocol: /^https?$/ }),
  number: z.int(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  title: z.string(),
  body: z.string().nullish(),
  head: branch,
  base: branch,
});

const pageSize = 50;
/** Gitea cannot search by branch; what we look for is among those that changed last. */
const maxPages = 4;

const comments = z.array(z.object({ id: z.int(), body: z.string() }));
const maxListPages = 6;

const repository = z.object({ id: z.number(), full_name: z.string() });

class GiteaApi implements ForgeApi {
  readonly #options: ForgeApiOptions;
  readonly #host: Host;
  readonly #token: string;
  readonly #path: string;
  readonly talk: GiteaTalk;
  readonly review: GiteaReview;

  constructor(options: ForgeApiOptions) {
    const { owner, name } = ownerAndName(options.slug);
    this.#options = options;
    this.#host = { url: options.apiUrl, permission };
    this.#token = requireToken(options.auth);
    this.#path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    const shared: ConstructorParameters<typeof GiteaTalk>[0] = {
      host: this.#host,
      ask: (request, signal) => this.#call(request, signal),
    };
    this.talk = new GiteaTalk(shared);
    this.review = new GiteaReview(shared);
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#token };
  }

  async list(head: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const found: PullRequest[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const items = await this.#listPage({ page: `${page}`, sort: 'recentupdate' }, signal);
      found.push(...items.filter((item) => item.head.repo_id === item.base.repo_id).map(toPullRequest));
      // An instance may allow fewer on a page: only an empty page is surely the last one.
      if (items.length === 0 || found.some((item) => item.head === head && item.state === 'open')) break;
    }
    return found.toSorted((a, b) => b.number - a.number);
  }

  /** The newest come first where no other order is asked for. */
  async listNewest(page: number, signal: AbortSignal | undefined): Promise<PullState[]> {
    return (await this.#listPage({ page: `${page}` }, signal)).map(toPullRequest);
  }

  async #listPage(
    query: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<z.infer<typeof pullRequest>[]> {
    const search = new URLSearchParams({ state: 'all', limit: `${pageSize}`, ...query });
    const request = { method: 'GET', path: `/pulls?${search}` } as const;
    return parseReply(z.array(pullRequest), await this.#call(request, signal), this.#host);
  }

  async create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { head, base, body, draft } = plan;
    const title = drafts.write(plan.title, draft);
    const request = { method: 'POST', path: '/pulls', body: { head, base, title, body } } as const;
    try {
      return this.#parse(await this.#call(request, signal));
    } catch (error) {
      if (!(error instanceof ForgeRefusal) || error.status !== 404) throw error;
      // Gitea says the same of a repository that is not there and of a branch that is not there.
      await this.readRepository(signal);
      throw missingBranch(this.#host, head, base);
    }
  }

  async read(number: number, signal: AbortSignal | undefined): Promise<PullRequest> {
    return this.#parse(await this.#call({ method: 'GET', path: `/pulls/${number}` }, signal));
  }

  async readMerge(number: number, signal: AbortSignal | undefined): Promise<Merge> {
    const data = await this.#call({ method: 'GET', path: `/pulls/${number}` }, signal);
    const { state } = this.#parse(data);
    return await mergeOf(state, data, this.#host, () => this.listFiles(number, signal));
  }

  async listFiles(number: number, signal: AbortSignal | undefined): Promise<string[]> {
    return await this.#listAll(changedFiles, 'files', number, signal);
  }

  async listMessages(number: number, signal: AbortSignal | undefined): Promise<string[]> {
    return await this.#listAll(commitMessages, 'commits', number, signal);
  }

  async #listAll<Item>(
    schema: z.ZodType<Item[]>,
    part: string,
    number: number,
    signal: AbortSignal | undefined,
  ): Promise<Item[]> {
    // An instance may allow fewer on a page: only an empty page is surely the last one.
    return await readPages({ perPage: 1, maxPages: maxListPages }, async (page) => {
      const query = new URLSearchParams({ page: `${page}`, limit: `${pageSize}` });
      const path = `/pulls/${number}/${part}?${query}`;
      return parseReply(schema, await this.#call({ method: 'GET', path }, signal), this.#host);
    });
  }

  async rewrite(pull: PullRequest, text: PullRequestText, signal: AbortSignal | undefined): Promise<unknown> {
    const body = { body: text.body, ...drafts.rewrite(pull, text) };
    return await this.#call({ method: 'PATCH', path: `/pulls/${pull.number}`, body }, signal);
  }

  async label(number: number, labels: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
    return await this.#call({ method: 'POST', path: `/issues/${number}/labels`, body: { labels } }, signal);
  }

  async comment(number: number, text: string, signal: AbortSignal | undefined): Promise<unknown> {
    const path = `/issues/${number}/comments`;
    return await this.#call({ method: 'POST', path, body: { body: text } }, signal);
  }

  async listComments(number: number, since: number, signal: AbortSignal | undefined): Promise<string[]> {
    const all = await readIssueComments(number, since, async (path) =>
      parseReply(comments, await this.#call({ method: 'GET', path }, signal), this.#host),
    );
    return all.map(({ body }) => body);
  }

  async readRepository(signal: AbortSignal | undefined): Promise<RepositoryIdentity> {
    const data = await this.#call({ method: 'GET', path: '', sentOn: true }, signal);
    const { id, full_name: slug } = parseReply(repository, data, this.#host);
    return { id: String(id), slug };
  }

  async #call(request: Omit<JsonRequest, 'headers'>, signal: AbortSignal | undefined): Promise<unknown> {
    const path = `${this.#path}${request.path}`;
    const headers = { authorization: `token ${this.#token}` };
    const reply = await callJson({ ...this.#options, signal }, this.#host, { ...request, path, headers });
    return reply.data;
  }

  #parse(data: unknown): PullRequest {
    return toPullRequest(parseReply(pullRequest, data, this.#host));
  }
}

function missingBranch({ url }: Host, head: string, base: string): JobFailure {
  return new JobFailure('branch_changed', `${url} does not know the branch "${head}" or its base "${base}".`);
}

/** `ref` turns into `refs/pull/1/head` once the branch is deleted; `label` stays the name of the branch. */
function toPullRequest({
  html_url: url,
  number,
  state,
  merged,
  head,
  base,
  title,
  body,
}: z.infer<typeof pullRequest>): PullRequest {
  return {
    url,
    number,
    state: merged ? 'merged' : state,
    head: head.label,
    headCommit: head.sha,
    base: base.ref,
    ...drafts.read(title),
    body: body ?? '',
  };
}
