import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { callJson, type Host, type JsonRequest, parseReply } from './call.ts';
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
import { AppTokens, checkPermissions, type GithubCall } from './github-app.ts';
import { changedFiles, commitMessages, mergeOf } from './github-shapes.ts';
import { ForgeRefusal, failPlainly } from './refusal.ts';
import { GithubReview } from './review/github.ts';
import { ownerAndName } from './slug.ts';
import { type GithubAsk, GithubTalk } from './talk/github.ts';
import { readPages, talkPages } from './talk/pages.ts';

/** github.com, its Enterprise Cloud with data residency at ghe.com, and Enterprise Server. */
export const github: ForgeDriver = {
  knows: (host) => host === 'github.com' || host.endsWith('.ghe.com'),
  apiUrlOf: ({ origin, host }) => (github.knows(host) ? `https://api.${host}` : `${origin}/api/v3`),
  probe: {
    path: '/api/v3/meta',
    isIt: ({ headers }) => headers.has('x-github-media-type') || headers.has('x-github-enterprise-version'),
  },
  open: (options) => new GithubApi(options),
};

const permission = 'the permissions "Contents: write" and "Pull requests: write"';

const pullRequest = z.object({
  html_url: z.url({ protocol: /^https?$/ }),
  number: z.int(),
  node_id: z.string(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullable(),
  title: z.string(),
  body: z.string().nullable(),
  draft: z.boolean().optional(),
  base: z.object({ ref: z.string() }),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});

const repository = z.object({ id: z.number(), full_name: z.string() });
const graphqlReply = z.object({ errors: z.array(z.object({ message: z.string() })).optional() });
const comments = z.array(z.object({ body: z.string().optional() }));
const perPage = 100;
const maxPages = 3;

class GithubApi implements ForgeApi {
  readonly #options: ForgeApiOptions;
  readonly #owner: string;
  readonly #name: string;
  readonly #host: Host;
  readonly #appTokens: AppTokens | undefined;
  readonly talk: GithubTalk;
  readonly review: GithubReview;

  constructor(options: ForgeApiOptions) {
    const { apiUrl, slug, auth, now } = options;
    const { owner, name } = ownerAndName(slug);
    this.#options = options;
    this.#owner = owner;
    this.#name = name;
    this.#host = { url: apiUrl, permission };
    const tokensFor = auth.kind === 'app' ? { app: auth, owner, name, now } : undefined;
    this.#appTokens = tokensFor && new AppTokens(tokensFor);
    // Apps that read no checks need not be allowed to.
    const forChecks = tokensFor && new AppTokens({ ...tokensFor, permissions: checkPermissions });
    const ask: GithubAsk = (...asked) => this.#call(...asked);
    this.review = new GithubReview({ host: this.#host, ask });
    this.talk = new GithubTalk({
      host: this.#host,
      ask,
      askForChecks: (...asked) => this.#call(...asked, forChecks),
    });
  }

  async credential(): Promise<Credential> {
    return { username: 'x-access-token', password: await this.#token() };
  }

  async list(head: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const data = await this.#call(
      'GET /repos/{owner}/{repo}/pulls',
      { head: `${this.#owner}:${head}`, state: 'all', sort: 'created', direction: 'desc', per_page: 50 },
      signal,
    );
    // GitHub ignores a head that it does not understand, and lists forks as well.
    const slug = `${this.#owner}/${this.#name}`.toLowerCase();
    return parseReply(z.array(pullRequest), data, this.#host)
      .filter((item) => item.head.repo?.full_name.toLowerCase() === slug)
      .map(toPullRequest);
  }

  async listNewest(page: number, signal: AbortSignal | undefined): Promise<PullState[]> {
    const query = { state: 'all', sort: 'created', direction: 'desc', per_page: 50, page };
    const data = await this.#call('GET /repos/{owner}/{repo}/pulls', query, signal);
    return parseReply(z.array(pullRequest), data, this.#host).map(toPullRequest);
  }

  async create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { head, base, title, body, draft } = plan;
    const fields = { head, base, title, body, draft };
    return this.#parse(await this.#call('POST /repos/{owner}/{repo}/pulls', fields, signal));
  }

  async read(number: number, signal: AbortSignal | undefined): Promise<PullRequest> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    return this.#parse(await this.#call(route, { pull_number: number }, signal));
  }

  async readMerge(number: number, signal: AbortSignal | undefined): Promise<Merge> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const data = await this.#call(route, { pull_number: number }, signal);
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
    const route = `GET /repos/{owner}/{repo}/pulls/{pull_number}/${part}`;
    return await readPages({ perPage, maxPages }, async (page) => {
      const query = { pull_number: number, per_page: perPage, page };
      return parseReply(schema, await this.#call(route, query, signal), this.#host);
    });
  }

  async rewrite(
    { number }: PullRequest,
    { title, body, draft }: PullRequestText,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
    const data = await this.#call(route, { pull_number: number, title, body }, signal);
    const shown = parseReply(pullRequest, data, this.#host);
    if ((shown.draft ?? false) !== draft) await this.#setDraft(shown.node_id, draft, signal);
  }

  /** The REST API sets it only as a pull request is opened: https://docs.github.com/graphql/reference/mutations */
  async #setDraft(id: string, draft: boolean, signal: AbortSignal | undefined): Promise<void> {
    const mutation = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
    const query = `mutation($id: ID!) { ${mutation}(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`;
    const url = graphqlUrlOf(this.#options.apiUrl);
    const host = { ...this.#host, url };
    const headers = { authorization: `token ${await this.#token()}` };
    const request = { method: 'POST', path: '', headers, body: { query, variables: { id } } } as const;
    const { data } = await callJson({ ...this.#options, signal }, host, request);
    const [error] = parseReply(graphqlReply, data, host).errors ?? [];
    if (error)
      throw new JobFailure('bad_forge', `${url} refused to change the draft state: ${error.message}`);
  }

  async label(number: number, labels: readonly string[], signal: AbortSignal | undefined): Promise<unknown> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
    return await this.#call(route, { issue_number: number, labels }, signal);
  }

  async comment(number: number, text: string, signal: AbortSignal | undefined): Promise<unknown> {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    return await this.#call(route, { issue_number: number, body: text }, signal);
  }

  async listComments(number: number, since: number, signal: AbortSignal | undefined): Promise<string[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const query = { since: new Date(since).toISOString(), per_page: talkPages.perPage };
    const all = await readPages(talkPages, async (page) => {
      const data = await this.#call(route, { issue_number: number, ...query, page }, signal);
      return parseReply(comments, data, this.#host);
    });
    return all.map(({ body = '' }) => body);
  }

  async readRepository(signal: AbortSignal | undefined): Promise<RepositoryIdentity> {
    const data = await this.#call('GET /repos/{owner}/{repo}', {}, signal, undefined, true);
    const { id, full_name: slug } = parseReply(repository, data, this.#host);
    return { id: String(id), slug };
  }

  #parse(data: unknown): PullRequest {
    return toPullRequest(parseReply(pullRequest, data, this.#host));
  }

  async #token(tokens = this.#appTokens): Promise<string> {
    const { auth } = this.#options;
    if (auth.kind === 'token') return auth.token;
    // Without the signal: others may be waiting for the same token.
    const call: GithubCall = (route, parameters, authorization) =>
      this.#ask(route, parameters, authorization, undefined);
    return await failPlainly(async () => (await tokens?.get(call)) ?? '');
  }

  async #call(
    route: string,
    parameters: Record<string, unknown>,
    signal: AbortSignal | undefined,
    tokens = this.#appTokens,
    sentOn = false,
  ): Promise<unknown> {
    const { apiUrl } = this.#options;
    const token = await this.#token(tokens);
    try {
      return await this.#ask(
        route,
        { owner: this.#owner, repo: this.#name, ...parameters },
        `token ${token}`,
        signal,
        sentOn,
      );
    } catch (error) {
      if (!(error instanceof ForgeRefusal) || error.status !== 401 || !tokens) throw error;
      await tokens.forget(token);
      throw new JobFailure('server_error', `${apiUrl} refused a token that it had made for the App itself.`);
    }
  }

  async #ask(
    route: string,
    parameters: Record<string, unknown>,
    authorization: string,
    signal: AbortSignal | undefined,
    sentOn = false,
  ): Promise<unknown> {
    const headers = {
      accept: 'application/vnd.github+json',
      authorization,
      'x-github-api-version': '2022-11-28',
    };
    const request = { ...requestOf(route, parameters), headers, sentOn };
    const reply = await callJson({ ...this.#options, signal }, this.#host, request);
    return reply.data;
  }
}

/** Of an Enterprise Server it is not below the address of the REST API. */
function graphqlUrlOf(apiUrl: string): string {
  return `${apiUrl.replace(/(\/api)\/v3$/, '$1')}/graphql`;
}

/** Parameters that are not in the path of the route are its query, or its body. */
function requestOf(route: string, parameters: Record<string, unknown>): Omit<JsonRequest, 'headers'> {
  const [method, template] = route.split(' ') as [JsonRequest['method'], string];
  const rest = new Map(Object.entries(parameters));
  const path = template.replace(/\{(\w+)\}/g, (_all, name) => {
    const value = encodeURIComponent(String(rest.get(name)));
    rest.delete(name);
    return value;
  });
  if (method !== 'GET') return { method, path, body: Object.fromEntries(rest) };
  const query = new URLSearchParams([...rest].map(([name, value]) => [name, String(value)]));
  return { method, path: rest.size === 0 ? path : `${path}?${query}` };
}

function toPullRequest({
  html_url,
  number,
  state,
  merged_at,
  head,
  base,
  title,
  body,
  draft = false,
}: z.infer<typeof pullRequest>): PullRequest {
  return {
    url: html_url,
    number,
    state: merged_at === null ? state : 'merged',
    head: head.ref,
    headCommit: head.sha,
    base: base.ref,
    title,
    body: body ?? '',
    draft,
  };
}
