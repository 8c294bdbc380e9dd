import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { type GithubApp, ownerAndName } from './auth.ts';
import { Client, callJson, type Host, type JsonRequest, type Signal, withQuery } from './call.ts';
import { githubOwners, listOwners } from './code-owners.ts';
import {
  below,
  type Check,
  type Checks,
  type CommentPosition,
  type CommentThread,
  type ForgeApi,
  type ForgeApiOptions,
  type ForgeDriver,
  type Involved,
  nobody,
  type OwnedChange,
  type Owners,
  type PostedComment,
  type PullRequest,
  type PullRequestPlan,
  type PullRequestText,
  type PullState,
  type RepositoryIdentity,
  type Reviewer,
  sumUp,
} from './forge.ts';
import { manyPages, newCommentPages, type Pages, readNewestPages, readPages } from './pages.ts';
import { ForgeRefusal, failPlainly } from './refusal.ts';
import { isHmac } from './webhook.ts';

/** github.com, its Enterprise Cloud with data residency at ghe.com, and Enterprise Server. */
export const github: ForgeDriver = {
  knows: (host) => host === 'github.com' || host.endsWith('.ghe.com'),
  apiUrlOf: ({ origin, host }) => (github.knows(host) ? `https://api.${host}` : `${origin}/api/v3`),
  probe: {
    path: '/api/v3/meta',
    isIt: ({ headers }) => headers.has('x-github-media-type') || headers.has('x-github-enterprise-version'),
  },
  open: (options) => new Github(options),
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries; Gitea and Forgejo send it, too.
  isSigned: (webhook) => isHmac(webhook, 'x-hub-signature-256', 'sha256='),
};

const permission = 'the permissions "Contents: write" and "Pull requests: write"';

const login = z.object({ login: z.string() });
const pullRequest = z.object({
  html_url: z.url({ protocol: /^https?$/ }),
  number: z.int(),
  node_id: z.string(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullable(),
  merge_commit_sha: z.string().nullish(),
  title: z.string(),
  body: z.string().nullable(),
  draft: z.boolean().optional(),
  base: z.object({ ref: z.string() }),
  head: z.object({ ref: z.string(), sha: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
});
const repository = z.object({ id: z.number(), full_name: z.string() });
const changedFiles = z.array(z.object({ filename: z.string() }));
const commits = z.array(z.object({ commit: z.object({ message: z.string() }) }));
const graphqlReply = z.object({ errors: z.array(z.object({ message: z.string() })).optional() });

const posted = {
  id: z.int(),
  user: z.object({ login: z.string(), type: z.string() }).nullable(),
  body: z.string().nullish(),
  html_url: z.url({ protocol: /^https?$/ }),
};
const times = { created_at: z.string(), updated_at: z.string() };
const issueComments = z.array(z.object({ ...posted, ...times }));
const lineComments = z.array(
  z.object({
    ...posted,
    ...times,
    path: z.string(),
    line: z.int().nullish(),
    original_line: z.int().nullish(),
    in_reply_to_id: z.int().nullish(),
  }),
);
const reviews = z.array(z.object({ ...posted, state: z.string(), submitted_at: z.string().nullish() }));
const granted = z.object({ permission: z.string() });
const checkRuns = z.object({
  check_runs: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullable(),
      html_url: z.string().nullable(),
      output: z.object({ title: z.string().nullish(), summary: z.string().nullish() }),
    }),
  ),
});
const annotations = z.array(
  z.object({ path: z.string(), start_line: z.int(), message: z.string().nullable() }),
);
const statuses = z.object({
  statuses: z.array(
    z.object({
      context: z.string(),
      state: z.string(),
      description: z.string().nullable(),
      target_url: z.string().nullable(),
    }),
  ),
});
const involved = z.object({
  user: login.nullable(),
  requested_reviewers: z.array(login).nullish(),
  requested_teams: z.array(z.object({ slug: z.string() })).nullish(),
});
/** Null: a commit of nobody with an account, by its mail address. */
const commit = z.object({ author: login.extend({ type: z.string() }).or(z.object({})).nullable() });

type LineComment = z.infer<typeof lineComments>[number];
type CheckRun = z.infer<typeof checkRuns>['check_runs'][number];

const listPages: Pages = { perPage: 100, maxPages: 3 };
const newest = { state: 'all', sort: 'created', direction: 'desc', per_page: 50 };
/** Of runs of one commit. */
const maxAnnotated = 3;
const failures = new Set(['failure', 'timed_out', 'startup_failure']);
/** Before the slug of a team: no login has a slash. */
const team = 'team/';

class Github implements ForgeApi {
  readonly #options: ForgeApiOptions;
  readonly #slug: string;
  readonly #host: Host;
  /** Of the repository, below the API's address. */
  readonly #path: string;
  readonly #appTokens: AppTokens | undefined;
  readonly #api: Client;
  /** With tokens that may read checks: Apps that read none need not be allowed to. */
  readonly #checksApi: Client;

  constructor(options: ForgeApiOptions) {
    const { apiUrl, slug, auth, now } = options;
    const { owner, name } = ownerAndName(slug);
    this.#options = options;
    this.#slug = `${owner}/${name}`.toLowerCase();
    this.#host = { url: apiUrl, permission };
    this.#path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    const tokensFor = auth.kind === 'app' ? { app: auth, path: this.#path, slug, now } : undefined;
    this.#appTokens = tokensFor && new AppTokens(tokensFor);
    this.#api = this.#clientWith(this.#appTokens);
    this.#checksApi = this.#clientWith(
      tokensFor && new AppTokens({ ...tokensFor, permissions: checkPermissions }),
    );
  }

  async credential(): Promise<Credential> {
    return { username: 'x-access-token', password: await this.#token(this.#appTokens) };
  }

  async identify(signal: Signal): Promise<RepositoryIdentity> {
    const { id, full_name: slug } = await this.#api.get(repository, this.#path, signal, true);
    return { id: String(id), slug };
  }

  async list(head: string, signal: Signal): Promise<PullRequest[]> {
    const [owner] = this.#options.slug.split('/');
    const path = withQuery(`${this.#path}/pulls`, { head: `${owner}:${head}`, ...newest });
    const all = await this.#api.get(z.array(pullRequest), path, signal);
    // GitHub ignores a head that it does not understand, and lists forks as well.
    return all.filter((item) => item.head.repo?.full_name.toLowerCase() === this.#slug).map(toPullRequest);
  }

  async listNewest(page: number, signal: Signal): Promise<PullState[]> {
    const path = withQuery(`${this.#path}/pulls`, { ...newest, page });
    return (await this.#api.get(z.array(pullRequest), path, signal)).map(toPullRequest);
  }

  async create({ head, base, title, body, draft }: PullRequestPlan, signal: Signal): Promise<PullRequest> {
    const fields = { head, base, title, body, draft };
    const data = await this.#api.send('POST', `${this.#path}/pulls`, fields, signal);
    return toPullRequest(this.#api.parse(pullRequest, data));
  }

  async read(number: number, signal: Signal): Promise<PullRequest> {
    return toPullRequest(await this.#api.get(pullRequest, `${this.#path}/pulls/${number}`, signal));
  }

  async listFiles(number: number, signal: Signal): Promise<string[]> {
    const files = await this.#listAll(this.#api, changedFiles, `pulls/${number}/files`, signal);
    return files.map(({ filename }) => filename);
  }

  async listMessages(number: number, signal: Signal): Promise<string[]> {
    const found = await this.#listAll(this.#api, commits, `pulls/${number}/commits`, signal);
    return found.map((one) => one.commit.message);
  }

  async rewrite({ number }: PullRequest, text: PullRequestText, signal: Signal): Promise<void> {
    const { title, body, draft } = text;
    const data = await this.#api.send('PATCH', `${this.#path}/pulls/${number}`, { title, body }, signal);
    const shown = this.#api.parse(pullRequest, data);
    if ((shown.draft ?? false) !== draft) await this.#setDraft(shown.node_id, draft, signal);
  }

  /** The REST API sets it only as a pull request is opened: https://docs.github.com/graphql/reference/mutations */
  async #setDraft(id: string, draft: boolean, signal: Signal): Promise<void> {
    const mutation = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
    const query = `mutation($id: ID!) { ${mutation}(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`;
    const url = graphqlUrlOf(this.#options.apiUrl);
    const host = { ...this.#host, url };
    const headers = { authorization: `token ${await this.#token(this.#appTokens)}` };
    const request = { method: 'POST', path: '', headers, body: { query, variables: { id } } } as const;
    const data = await callJson({ ...this.#options, signal }, host, request);
    const [error] = this.#api.parse(graphqlReply, data).errors ?? [];
    if (error)
      throw new JobFailure('bad_forge', `${url} refused to change the draft state: ${error.message}`);
  }

  async label(number: number, labels: readonly string[], signal: Signal): Promise<unknown> {
    return await this.#api.send('POST', `${this.#path}/issues/${number}/labels`, { labels }, signal);
  }

  async listComments({ number }: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const changed = new Date(since).toISOString();
    const [comments, lines, reviewed] = await Promise.all([
      this.#listAll(this.#api, issueComments, `issues/${number}/comments`, signal, {
        query: { since: changed },
        pages: newCommentPages,
      }),
      this.#listLines(number, signal, { query: { since: changed }, pages: newCommentPages }),
      this.#listReviews(number, since, signal),
    ]);
    return [
      ...comments.map((one) => toComment('comment', one, below)),
      ...lines,
      ...reviewed.filter((one) => one.changedAt >= since),
    ];
  }

  async #listLines(
    number: number,
    signal: Signal,
    { query, pages = manyPages }: { query?: { since: string }; pages?: Pages } = {},
  ): Promise<PostedComment[]> {
    const all = await this.#listAll(this.#api, lineComments, `pulls/${number}/comments`, signal, {
      query: { ...query, sort: 'created', direction: 'desc' },
      pages,
    });
    return all.map(toLineComment);
  }

  async #listReviews(number: number, since: number, signal: Signal): Promise<PostedComment[]> {
    const isLast = (page: Readonly<z.infer<typeof reviews>>) =>
      page.every(({ submitted_at }) => Date.parse(submitted_at ?? '') < since);
    const all = await readNewestPages({ ...newCommentPages, isLast }, async (page) => {
      const query = { per_page: newCommentPages.perPage, page };
      return await this.#api.get(reviews, withQuery(`${this.#path}/pulls/${number}/reviews`, query), signal);
    });
    return all
      .filter(({ state, body }) => state !== 'PENDING' && body)
      .map(({ submitted_at, ...one }) => {
        const at = submitted_at ?? '';
        return toComment('review', { ...one, created_at: at, updated_at: at }, below);
      });
  }

  async readThread(
    { number }: PullRequest,
    { position: { thread } }: PostedComment,
    signal: Signal,
  ): Promise<CommentThread> {
    if (thread === null) return { id: null, comments: [] };
    const all = await this.#listLines(number, signal);
    return { id: thread, comments: all.filter((one) => one.position.thread === thread) };
  }

  async comment(
    { number }: PullRequest,
    { thread }: CommentPosition,
    body: string,
    signal: Signal,
  ): Promise<unknown> {
    const place =
      thread === null ? `issues/${number}/comments` : `pulls/${number}/comments/${Number(thread)}/replies`;
    return await this.#api.send('POST', `${this.#path}/${place}`, { body }, signal);
  }

  /** https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user */
  async mayWrite(name: string, signal: Signal): Promise<boolean> {
    const path = `${this.#path}/collaborators/${encodeURIComponent(name)}/permission`;
    const found = await this.#api.find(granted, path, signal);
    return found !== undefined && ['admin', 'write'].includes(found.permission);
  }

  async readChecks({ headCommit }: PullRequest, signal: Signal): Promise<Checks> {
    const place = `commits/${encodeURIComponent(headCommit)}`;
    const runs = checkRuns.transform(({ check_runs }) => check_runs);
    const reports = statuses.transform((combined) => combined.statuses);
    const pages = manyPages;
    const [found, reported] = await Promise.all([
      this.#listAll(this.#checksApi, runs, `${place}/check-runs`, signal, { pages }),
      this.#listAll(this.#checksApi, reports, `${place}/status`, signal, { pages }),
    ]);
    const noted = new Map<number, string>();
    for (const run of found.filter((one) => stateOfRun(one) === 'failed').slice(0, maxAnnotated)) {
      noted.set(run.id, await this.#readAnnotations(run.id, signal));
    }
    const ofRuns = found.map(
      (run): Check => ({
        name: run.name,
        state: stateOfRun(run),
        text: [run.output.title, run.output.summary, noted.get(run.id)].filter(Boolean).join('\n'),
        url: run.html_url ?? '',
      }),
    );
    const ofStatuses = reported.map(
      (one): Check => ({
        name: one.context,
        state: one.state === 'pending' ? 'running' : one.state === 'success' ? 'passed' : 'failed',
        text: one.description ?? '',
        url: one.target_url ?? '',
      }),
    );
    return sumUp([...ofRuns, ...ofStatuses]);
  }

  async #readAnnotations(id: number, signal: Signal): Promise<string> {
    const path = withQuery(`${this.#path}/check-runs/${id}/annotations`, { per_page: 20 });
    const all = await this.#checksApi.get(annotations, path, signal);
    return all
      .map(({ path: file, start_line, message }) => `${file}:${start_line}: ${message ?? ''}`)
      .join('\n');
  }

  async readInvolved(number: number, signal: Signal): Promise<Involved> {
    const found = await this.#api.get(involved, `${this.#path}/pulls/${number}`, signal);
    const people = (found.requested_reviewers ?? []).map((one) => one.login);
    const teams = (found.requested_teams ?? []).map(({ slug }) => `${team}${slug}`);
    return { author: found.user?.login ?? null, asked: [...people, ...teams] };
  }

  async askForReview(number: number, { id }: Reviewer, signal: Signal): Promise<unknown> {
    const path = `${this.#path}/pulls/${number}/requested_reviewers`;
    const who = id.startsWith(team) ? { team_reviewers: [id.slice(team.length)] } : { reviewers: [id] };
    return await this.#api.send('POST', path, who, signal);
  }

  /** GitHub asks them by itself, where the plan of the repository has that. */
  async findOwners({ paths, readFirst }: OwnedChange): Promise<Owners> {
    const text = await readFirst(githubOwners.paths);
    if (text === undefined) return nobody;
    const owners = await listOwners(await githubOwners.parse(text), paths);
    // By mail addresses GitHub finds people alone.
    const named = owners.filter((owner) => owner.startsWith('@'));
    return { reviewers: named.map(toReviewer), areNamed: owners.length > 0 };
  }

  async findAuthor(ref: string, signal: Signal): Promise<Reviewer | undefined> {
    const path = withQuery(`${this.#path}/commits/${encodeURIComponent(ref)}`, { per_page: 1 });
    const author = (await this.#api.find(commit, path, signal))?.author ?? {};
    if (!('login' in author) || author.type !== 'User') return undefined;
    return { id: author.login, name: author.login };
  }

  async #listAll<Item>(
    api: Client,
    schema: z.ZodType<Item[]>,
    part: string,
    signal: Signal,
    { query = {}, pages = listPages }: { query?: Record<string, string>; pages?: Pages } = {},
  ): Promise<Item[]> {
    return await readPages(pages, async (page) => {
      const path = withQuery(`${this.#path}/${part}`, { ...query, per_page: pages.perPage, page });
      return await api.get(schema, path, signal);
    });
  }

  #clientWith(tokens: AppTokens | undefined): Client {
    return new Client(this.#host, async (request, signal) => {
      const token = await this.#token(tokens);
      try {
        return await this.#ask({ ...request, headers: { authorization: `token ${token}` } }, signal);
      } catch (error) {
        if (!(error instanceof ForgeRefusal) || error.status !== 401 || !tokens) throw error;
        await tokens.forget(token);
        const { url } = this.#host;
        throw new JobFailure('server_error', `${url} refused a token that it had made for the App itself.`);
      }
    });
  }

  async #token(tokens: AppTokens | undefined): Promise<string> {
    const { auth } = this.#options;
    if (auth.kind === 'token') return auth.token;
    // Without the signal: others may be waiting for the same token.
    return await failPlainly(
      async () => (await tokens?.get((request) => this.#ask(request, undefined))) ?? '',
    );
  }

  async #ask(request: JsonRequest, signal: Signal): Promise<unknown> {
    const headers = {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      ...request.headers,
    };
    return await callJson({ ...this.#options, signal }, this.#host, { ...request, headers });
  }
}

/** Of an Enterprise Server it is not below the address of the REST API. */
function graphqlUrlOf(apiUrl: string): string {
  return `${apiUrl.replace(/(\/api)\/v3$/, '$1')}/graphql`;
}

function toPullRequest(found: z.infer<typeof pullRequest>): PullRequest {
  const { html_url: url, number, state, merged_at: at, merge_commit_sha, head, base } = found;
  return {
    url,
    number,
    state: at === null ? state : 'merged',
    head: head.ref,
    headCommit: head.sha,
    base: base.ref,
    title: found.title,
    body: found.body ?? '',
    draft: found.draft ?? false,
    // Of an open one the commit is what merging would make.
    merged: at === null ? undefined : { at, commit: merge_commit_sha || null },
  };
}

function stateOfRun({ status, conclusion }: CheckRun): Check['state'] {
  if (status !== 'completed') return 'running';
  return failures.has(conclusion ?? '') ? 'failed' : 'passed';
}

function toLineComment(one: LineComment): PostedComment {
  const { id, path, line, original_line, in_reply_to_id } = one;
  return toComment('line', one, {
    thread: String(in_reply_to_id ?? id),
    file: path,
    line: line ?? original_line ?? null,
  });
}

function toComment(
  kind: string,
  { id, user: by, body, html_url, created_at, updated_at }: z.infer<typeof issueComments>[number],
  position: CommentPosition,
): PostedComment {
  return {
    key: `${kind}:${id}`,
    author: by?.login ?? 'ghost',
    authorId: by === null || by.type === 'Bot' ? null : by.login,
    text: body ?? '',
    url: html_url,
    createdAt: Date.parse(created_at),
    changedAt: Date.parse(updated_at),
    position,
  };
}

function toReviewer(owner: string): Reviewer {
  const name = owner.slice(1);
  const slug = name.split('/')[1];
  return { id: slug === undefined ? name : `${team}${slug}`, name };
}

/** @throws ForgeRefusal, or the reason of the signal */
type Ask = (request: JsonRequest) => Promise<unknown>;

/** What a token may do. */
type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** What jobs need. */
const jobPermissions: Permissions = { contents: 'write', pull_requests: 'write' };
const checkPermissions: Permissions = { checks: 'read', statuses: 'read' };

interface AppTokensOptions {
  app: GithubApp;
  permissions?: Permissions;
  /** Of the repository, and where it is below the API's address. */
  slug: string;
  path: string;
  now: () => number;
}

interface Token {
  token: string;
  expiresAt: number;
}

/** GitHub refuses a JWT from the future, or with a longer life. */
const clockSlackSeconds = 30;
const maxLifeSeconds = 600;

/** A token must outlive a slow push. */
const leftMs = 600_000;

const installation = z.object({ id: z.int() });
const accessToken = z.object({ token: z.string().min(1), expires_at: z.string() });

/** Tokens of a GitHub App's installation: one hour long, for one repository, and for nothing but what is asked for. */
class AppTokens {
  readonly #options: AppTokensOptions;
  #current: Promise<Token> | undefined;

  constructor(options: AppTokensOptions) {
    this.#options = options;
  }

  /** @throws ForgeRefusal, JobFailure */
  async get(ask: Ask): Promise<string> {
    const current = this.#current;
    const known = await current?.catch(() => undefined);
    const isFresh = known !== undefined && known.expiresAt - leftMs > this.#options.now();
    // Another call that waited for the same old token may have asked for the new one already.
    if (!isFresh && this.#current === current) this.#current = this.#make(ask);
    const { token } = await (this.#current as Promise<Token>);
    return token;
  }

  /** A token that was refused is not used again. */
  async forget(token: string): Promise<void> {
    const current = this.#current;
    const known = await current?.catch(() => undefined);
    if (known?.token === token && this.#current === current) this.#current = undefined;
  }

  async #make(ask: Ask): Promise<Token> {
    const { app, slug, permissions = jobPermissions } = this.#options;
    const headers = { authorization: `bearer ${this.#sign()}` };
    const id = app.installationId ?? (await this.#findInstallation(ask, headers));
    const path = `/app/installations/${id}/access_tokens`;
    const body = { repositories: [slug.split('/')[1]], permissions };
    const data = await ask({ method: 'POST', path, headers, body });
    const made = accessToken.safeParse(data);
    if (!made.success) throw new JobFailure('server_error', `GitHub gave no token for ${slug}.`);
    return { token: made.data.token, expiresAt: Date.parse(made.data.expires_at) };
  }

  async #findInstallation(ask: Ask, headers: JsonRequest['headers']): Promise<number> {
    const data = await ask({ method: 'GET', path: `${this.#options.path}/installation`, headers });
    const found = installation.safeParse(data);
    if (!found.success) {
      throw new JobFailure('server_error', `GitHub did not say where the App is installed.`);
    }
    return found.data.id;
  }

  /** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
  #sign(): string {
    const { app, now } = this.#options;
    const issuedAt = Math.floor(now() / 1000) - clockSlackSeconds;
    const payload = { iat: issuedAt, exp: issuedAt + maxLifeSeconds, iss: app.appId };
    const message = [{ alg: 'RS256', typ: 'JWT' }, payload].map(toBase64url).join('.');
    return `${message}.${sign('sha256', Buffer.from(message), readKey(app.privateKey)).toString('base64url')}`;
  }
}

/** A key that was set in one line has its line feeds as `\n`. @throws JobFailure auth */
function readKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // Without a cause: its text may quote the key.
  }
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new JobFailure(
    'auth',
    "The GitHub App's private key cannot be read: give the whole PEM file that GitHub made for the App.",
  );
}

function toBase64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
