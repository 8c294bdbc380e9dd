import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { ownerAndName, requireToken } from './auth.ts';
import { type Client, clientWith, type Signal, withQuery } from './call.ts';
import {
  below,
  type Check,
  type Checks,
  type CommentPosition,
  type CommentThread,
  draftTitles,
  type ForgeApi,
  type ForgeApiOptions,
  type ForgeDriver,
  type Involved,
  nobody,
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
import { readPages, readPagesOrAll } from './pages.ts';
import { ForgeRefusal } from './refusal.ts';
import { isHmac } from './webhook.ts';

/** Gitea and Forgejo: their APIs are the same as far as we need them. */
export const gitea: ForgeDriver = {
  knows: (host) => host === 'codeberg.org' || host === 'gitea.com',
  apiUrlOf: ({ origin }) => `${origin}/api/v1`,
  probe: {
    path: '/api/v1/version',
    isIt: ({ status }, body) => status === 200 && /^\s*\{\s*"version"\s*:/.test(body),
  },
  open: (options) => new Gitea(options),
  // https://docs.gitea.com/usage/webhooks
  isSigned: (webhook) => isHmac(webhook, 'x-gitea-signature') ?? isHmac(webhook, 'x-forgejo-signature'),
};

const permission = 'the scopes "repository: read and write"';
/** https://docs.gitea.com/usage/pull-request */
const drafts = draftTitles('WIP:', /^\s*(?:wip:|\[wip\])\s*/i);

const user = z.object({ login: z.string() });
const branch = z.object({ label: z.string(), ref: z.string(), sha: z.string(), repo_id: z.int() });
const pullRequest = z.object({
  html_url: z.url({ protocol: /^https?$/ }),
  number: z.int(),
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  title: z.string(),
  body: z.string().nullish(),
  head: branch,
  base: branch,
});
const repository = z.object({ id: z.number(), full_name: z.string() });
const changedFiles = z.array(z.object({ filename: z.string() }));
const commits = z.array(z.object({ commit: z.object({ message: z.string() }) }));

const issueComments = z.array(
  z.object({
    id: z.int(),
    user: user.nullish(),
    body: z.string(),
    html_url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);
const reviews = z.array(
  z.object({
    id: z.int(),
    user: user.nullish(),
    body: z.string().nullish(),
    state: z.string(),
    html_url: z.string(),
    submitted_at: z.string(),
    comments_count: z.int(),
  }),
);
const lineComments = z.array(
  issueComments.element.extend({
    path: z.string(),
    /** Of the file as it is, or as it was; 0: the other. */
    position: z.int(),
    original_position: z.int(),
  }),
);
const granted = z.object({ permission: z.string() });
const combined = z.object({
  statuses: z
    .array(
      z.object({
        id: z.int(),
        context: z.string(),
        status: z.string(),
        description: z.string().nullish(),
        target_url: z.string().nullish(),
      }),
    )
    .nullish(),
});
const involved = z.object({
  user: user.nullish(),
  requested_reviewers: z.array(user.nullable()).nullish(),
  requested_reviewers_teams: z.array(z.object({ name: z.string() }).nullable()).nullish(),
});
const commit = z.object({ author: user.nullish() });

const pageSize = 50;
/** Gitea cannot search by branch; what we look for is among those that changed last. */
const maxPages = 4;
const maxListPages = 6;
const maxCheckPages = 20;
/** As many as `newCommentPages` has. */
const maxNewPages = 400;
/** Of reviews that are known, whose comments at lines are looked at again, the newest: each takes a request. */
const maxReviews = 30;
const maxNewReviews = 1_000;
const failures = new Set(['failure', 'error']);

class Gitea implements ForgeApi {
  readonly #url: string;
  readonly #token: string;
  /** Of the repository, below the API's address. */
  readonly #path: string;
  readonly #api: Client;

  constructor(options: ForgeApiOptions) {
    const { owner, name } = ownerAndName(options.slug);
    this.#url = options.apiUrl;
    this.#token = requireToken(options.auth);
    this.#path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    const host = { url: options.apiUrl, permission };
    this.#api = clientWith(options, host, { authorization: `token ${this.#token}` });
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#token };
  }

  async identify(signal: Signal): Promise<RepositoryIdentity> {
    const { id, full_name: slug } = await this.#api.get(repository, this.#path, signal, true);
    return { id: String(id), slug };
  }

  async list(head: string, signal: Signal): Promise<PullRequest[]> {
    const found: PullRequest[] = [];
    for (let page = 1; page <= maxPages; page++) {
      const items = await this.#listPage({ page, sort: 'recentupdate' }, signal);
      found.push(...items.filter((item) => item.head.repo_id === item.base.repo_id).map(toPullRequest));
      // An instance may allow fewer on a page: only an empty page is surely the last one.
      if (items.length === 0 || found.some((item) => item.head === head && item.state === 'open')) break;
    }
    return found.toSorted((a, b) => b.number - a.number);
  }

  /** The newest come first where no other order is asked for. */
  async listNewest(page: number, signal: Signal): Promise<PullState[]> {
    return (await this.#listPage({ page }, signal)).map(toPullRequest);
  }

  async #listPage(
    query: Record<string, string | number>,
    signal: Signal,
  ): Promise<z.infer<typeof pullRequest>[]> {
    const path = withQuery(`${this.#path}/pulls`, { state: 'all', limit: pageSize, ...query });
    return await this.#api.get(z.array(pullRequest), path, signal);
  }

  async create(plan: PullRequestPlan, signal: Signal): Promise<PullRequest> {
    const { head, base, body, draft } = plan;
    const fields = { head, base, title: drafts.write(plan.title, draft), body };
    try {
      const data = await this.#api.send('POST', `${this.#path}/pulls`, fields, signal);
      return toPullRequest(this.#api.parse(pullRequest, data));
    } catch (error) {
      if (!(error instanceof ForgeRefusal) || error.status !== 404) throw error;
      // Gitea says the same of a repository that is not there and of a branch that is not there.
      await this.identify(signal);
      const message = `${this.#url} does not know the branch "${head}" or its base "${base}".`;
      throw new JobFailure('branch_changed', message);
    }
  }

  async read(number: number, signal: Signal): Promise<PullRequest> {
    return toPullRequest(await this.#api.get(pullRequest, `${this.#path}/pulls/${number}`, signal));
  }

  async listFiles(number: number, signal: Signal): Promise<string[]> {
    const files = await this.#listParts(changedFiles, number, 'files', signal);
    return files.map(({ filename }) => filename);
  }

  async listMessages(number: number, signal: Signal): Promise<string[]> {
    const found = await this.#listParts(commits, number, 'commits', signal);
    return found.map((one) => one.commit.message);
  }

  async #listParts<Item>(
    schema: z.ZodType<Item[]>,
    number: number,
    part: string,
    signal: Signal,
  ): Promise<Item[]> {
    // An instance may allow fewer on a page: only an empty page is surely the last one.
    return await readPages({ perPage: 1, maxPages: maxListPages }, async (page) => {
      const path = withQuery(`${this.#path}/pulls/${number}/${part}`, { page, limit: pageSize });
      return await this.#api.get(schema, path, signal);
    });
  }

  async rewrite(pull: PullRequest, text: PullRequestText, signal: Signal): Promise<unknown> {
    const body = { body: text.body, ...drafts.rewrite(pull, text) };
    return await this.#api.send('PATCH', `${this.#path}/pulls/${pull.number}`, body, signal);
  }

  async label(number: number, labels: readonly string[], signal: Signal): Promise<unknown> {
    return await this.#api.send('POST', `${this.#path}/issues/${number}/labels`, { labels }, signal);
  }

  async listComments(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const { number } = pull;
    // All at once from Gitea, and in pages from newer versions of Forgejo.
    const changed = { since: new Date(since).toISOString() };
    const place = `issues/${number}/comments`;
    const comments = await this.#listAll(issueComments, place, maxNewPages, signal, changed);
    const found = await this.#listReviews(pull, signal);
    const texts = found
      .filter(({ state, body }) => state !== 'PENDING' && body)
      .map(({ submitted_at: at, body, ...one }) =>
        toComment('review', { ...one, body: body ?? '', created_at: at, updated_at: at }, below),
      );
    const lines = await this.#listLines(pull, found, since, signal);
    const written = comments.map((one) => toComment('comment', one, below));
    return [...written, ...[...texts, ...lines].filter(({ changedAt }) => changedAt >= since)];
  }

  async #listReviews({ number }: PullRequest, signal: Signal): Promise<z.infer<typeof reviews>> {
    return await this.#listAll(reviews, `pulls/${number}/reviews`, maxNewPages, signal);
  }

  /** An answer belongs to the review that it answers, so that old ones can have new comments. */
  async #listLines(
    { number }: PullRequest,
    found: z.infer<typeof reviews>,
    since: number,
    signal: Signal,
  ): Promise<PostedComment[]> {
    const commented = found.filter(({ comments_count, state }) => comments_count > 0 && state !== 'PENDING');
    const all: PostedComment[] = [];
    const isNew = ({ submitted_at }: z.infer<typeof reviews>[number]) => Date.parse(submitted_at) >= since;
    const old = commented.filter((one) => !isNew(one)).slice(-maxReviews);
    for (const { id } of [...old, ...commented.filter(isNew).slice(-maxNewReviews)]) {
      const path = `${this.#path}/pulls/${number}/reviews/${id}/comments`;
      all.push(...(await this.#api.get(lineComments, path, signal)).map(toLineComment));
    }
    return all;
  }

  async readThread(
    pull: PullRequest,
    { position: { thread } }: PostedComment,
    signal: Signal,
  ): Promise<CommentThread> {
    if (thread === null) return { id: null, comments: [] };
    const found = await this.#listReviews(pull, signal);
    const all = await this.#listLines(pull, found, Number.POSITIVE_INFINITY, signal);
    return { id: thread, comments: all.filter((one) => one.position.thread === thread) };
  }

  /** Comments at one line of a file are one conversation; older versions have no other way to answer in it. */
  async comment(
    { number, headCommit }: PullRequest,
    { thread, file }: CommentPosition,
    body: string,
    signal: Signal,
  ): Promise<unknown> {
    const [, side, line] = /^(new|old):(\d+):/.exec(thread ?? '') ?? [];
    if (file === null || line === undefined) {
      return await this.#api.send('POST', `${this.#path}/issues/${number}/comments`, { body }, signal);
    }
    const comment = {
      path: file,
      body,
      new_position: side === 'new' ? Number(line) : 0,
      old_position: side === 'old' ? Number(line) : 0,
    };
    const review = { event: 'COMMENT', body: '', comments: [comment], commit_id: headCommit };
    return await this.#api.send('POST', `${this.#path}/pulls/${number}/reviews`, review, signal);
  }

  async mayWrite(login: string, signal: Signal): Promise<boolean> {
    const path = `${this.#path}/collaborators/${encodeURIComponent(login)}/permission`;
    const found = await this.#api.find(granted, path, signal);
    return found !== undefined && ['write', 'admin', 'owner'].includes(found.permission);
  }

  async readChecks({ headCommit }: PullRequest, signal: Signal): Promise<Checks> {
    const schema = combined.transform(({ statuses }) => statuses ?? []);
    const place = `commits/${encodeURIComponent(headCommit)}/status`;
    const all = await this.#listAll(schema, place, maxCheckPages, signal);
    return sumUp(
      all.map(
        (one): Check => ({
          name: one.context,
          state: one.status === 'pending' ? 'running' : failures.has(one.status) ? 'failed' : 'passed',
          text: one.description ?? '',
          url: one.target_url ?? '',
        }),
      ),
    );
  }

  async readInvolved(number: number, signal: Signal): Promise<Involved> {
    const found = await this.#api.get(involved, `${this.#path}/pulls/${number}`, signal);
    const people = (found.requested_reviewers ?? []).flatMap((one) => one?.login ?? []);
    const teams = (found.requested_reviewers_teams ?? []).flatMap((one) => one?.name ?? []);
    return { author: found.user?.login ?? null, asked: [...people, ...teams] };
  }

  async askForReview(number: number, { id }: Reviewer, signal: Signal): Promise<unknown> {
    const path = `${this.#path}/pulls/${number}/requested_reviewers`;
    return await this.#api.send('POST', path, { reviewers: [id] }, signal);
  }

  /**
   * As it opens a pull request, and before it answers, Gitea itself asks those whom its CODEOWNERS names by regular expressions;
   * those who are asked already are all that has to be known of them.
   */
  async findOwners(): Promise<Owners> {
    return nobody;
  }

  async findAuthor(hash: string, signal: Signal): Promise<Reviewer | undefined> {
    const place = `${this.#path}/git/commits/${encodeURIComponent(hash)}`;
    const path = withQuery(place, { stat: 'false', verification: 'false', files: 'false' });
    const author = (await this.#api.find(commit, path, signal))?.author;
    return author ? { id: author.login, name: author.login } : undefined;
  }

  async #listAll<Item extends { id: number }>(
    schema: z.ZodType<Item[]>,
    place: string,
    pages: number,
    signal: Signal,
    query: Record<string, string> = {},
  ): Promise<Item[]> {
    return await readPagesOrAll(pages, async (page) => {
      const path = withQuery(`${this.#path}/${place}`, { ...query, page, limit: pageSize });
      return await this.#api.get(schema, path, signal);
    });
  }
}

/** `ref` turns into `refs/pull/1/head` once the branch is deleted; `label` stays the name of the branch. */
function toPullRequest(found: z.infer<typeof pullRequest>): PullRequest {
  const { html_url: url, number, state, merged: isMerged, head, base } = found;
  return {
    url,
    number,
    state: isMerged ? 'merged' : state,
    head: head.label,
    headCommit: head.sha,
    base: base.ref,
    ...drafts.read(found.title),
    body: found.body ?? '',
    merged: isMerged ? { at: found.merged_at ?? null, commit: found.merge_commit_sha || null } : undefined,
  };
}

function toLineComment(one: z.infer<typeof lineComments>[number]): PostedComment {
  const { path: file, position, original_position } = one;
  const [side, line] = position > 0 ? ['new', position] : ['old', original_position];
  return toComment('line', one, { thread: `${side}:${line}:${file}`, file, line: Number(line) });
}

/** Gitea says of nobody whether it is a program. */
function toComment(
  kind: string,
  { id, user: by, body, html_url, created_at, updated_at }: z.infer<typeof issueComments>[number],
  position: CommentPosition,
): PostedComment {
  return {
    key: `${kind}:${id}`,
    author: by?.login ?? 'Ghost',
    authorId: by?.login ?? null,
    text: body,
    url: html_url,
    createdAt: Date.parse(created_at),
    changedAt: Date.parse(updated_at),
    position,
  };
}
