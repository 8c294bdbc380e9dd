import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import { ownerAndName, requireToken } from './auth.ts';
import { type Client, clientWith, type Signal, withQuery } from './call.ts';
import {
  type Check,
  type Checks,
  type CommentPosition,
  type CommentThread,
  type ForgeApi,
  type ForgeApiOptions,
  type ForgeDriver,
  type Involved,
  type Merged,
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
import { manyPages, newCommentPages, type Pages, readPages } from './pages.ts';
import { isHmac } from './webhook.ts';

const cloud = 'bitbucket.org';

/** Bitbucket Cloud. Bitbucket Data Center has another API. */
export const bitbucket: ForgeDriver = {
  knows: (host) => host === cloud,
  apiUrlOf: ({ host, origin }) => (host === cloud ? `https://api.${cloud}/2.0` : `${origin}/api/2.0`),
  probe: {
    path: '/api/2.0/user',
    isIt: ({ status }, body) => status === 401 && /"type"\s*:\s*"error"/.test(body),
  },
  open: (options) => new Bitbucket(options),
  // https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/; of GitHub it would be a weaker one.
  isSigned: (webhook) => isHmac(webhook, 'x-hub-signature', 'sha256='),
  credential: (token) => loginOf(token).git,
};

const permission = 'the permissions "Repositories: write" and "Pull requests: write"';

const branch = z.object({
  branch: z.object({ name: z.string() }),
  /** Null once it is gone; its hash is cut to 12 digits. */
  commit: z.object({ hash: z.string() }).nullish(),
  /** Null for a fork that was deleted. */
  repository: z.object({ uuid: z.string() }).nullish(),
});
const reference = z.object({ uuid: z.string() });
const pullRequest = z.object({
  id: z.int(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.enum(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']),
  draft: z.boolean().optional(),
  updated_on: z.string(),
  merge_commit: z.object({ hash: z.string() }).nullish(),
  source: branch,
  destination: branch,
  author: reference.nullish(),
  reviewers: z.array(reference).nullish(),
  links: z.object({ html: z.object({ href: z.url({ protocol: /^https?$/ }) }) }),
});
type Answer = z.infer<typeof pullRequest>;

const repository = z.object({ uuid: z.string(), full_name: z.string() });
const account = z.object({
  uuid: z.string(),
  type: z.string(),
  nickname: z.string().nullish(),
  display_name: z.string().nullish(),
});
const commit = z.object({
  hash: z.string(),
  author: z.object({ user: account.nullish() }).nullish(),
});
const activity = z.object({ update: z.object({ state: z.string(), date: z.string() }).optional() });
const changedFile = z.object({ path: z.string() }).nullish();
const changedFiles = z.object({ old: changedFile, new: changedFile });
const comment = z.object({
  id: z.int(),
  content: z.object({ raw: z.string() }),
  user: account.nullish(),
  created_on: z.string(),
  updated_on: z.string(),
  deleted: z.boolean(),
  /** A draft of a review. */
  pending: z.boolean().nullish(),
  parent: z.object({ id: z.int() }).nullish(),
  inline: z.object({ path: z.string(), from: z.int().nullish(), to: z.int().nullish() }).nullish(),
  links: z.object({ html: z.object({ href: z.string() }) }),
});
const status = z.object({
  key: z.string(),
  name: z.string().nullish(),
  state: z.string(),
  description: z.string().nullish(),
  url: z.string().nullish(),
});
type Written = z.infer<typeof comment>;

const states: Readonly<Record<string, Check['state']>> = { FAILED: 'failed', INPROGRESS: 'running' };
const pullStates = pullRequest.shape.state.options.map((state) => `state=${state}`).join('&');
const pageSize = 50;

/** Programs report their builds; default reviewers are whom the repository names. */
class Bitbucket implements ForgeApi {
  readonly #login: Login;
  readonly #owner: string;
  readonly #name: string;
  /** Of the repository, below the API's address. */
  readonly #path: string;
  readonly #api: Client;

  constructor(options: ForgeApiOptions) {
    const { owner, name } = ownerAndName(options.slug);
    this.#login = loginOf(requireToken(options.auth));
    this.#owner = encodeURIComponent(owner);
    this.#name = encodeURIComponent(name);
    this.#path = `/repositories/${this.#owner}/${this.#name}`;
    const host = { url: options.apiUrl, permission };
    this.#api = clientWith(options, host, { authorization: this.#login.api });
  }

  async credential(): Promise<Credential> {
    return this.#login.git;
  }

  async identify(signal: Signal): Promise<RepositoryIdentity> {
    const { uuid, full_name: slug } = await this.#api.get(repository, this.#path, signal, true);
    return { id: uuid, slug };
  }

  async list(head: string, signal: Signal): Promise<PullRequest[]> {
    const all = await this.#listPage({ q: `source.branch.name = ${JSON.stringify(head)}` }, signal);
    const own = all.filter(
      ({ source, destination }) => source.repository?.uuid === destination.repository?.uuid,
    );
    const found = await Promise.all(own.map((answer) => this.#toPullRequest(answer, signal)));
    return found.toSorted((a, b) => b.number - a.number);
  }

  async listNewest(page: number, signal: Signal): Promise<PullState[]> {
    const all = await this.#listPage({ page }, signal);
    return all.map((answer) => ({ number: answer.id, title: answer.title, state: stateOf(answer) }));
  }

  async #listPage(query: Record<string, string | number>, signal: Signal): Promise<Answer[]> {
    const rest = { ...query, sort: '-created_on', pagelen: pageSize };
    const path = withQuery(`${this.#path}/pullrequests`, rest).replace('?', `?${pullStates}&`);
    return await this.#values(pullRequest, path, signal);
  }

  /** Where one is open for these branches already, Bitbucket answers with that. */
  async create(plan: PullRequestPlan, signal: Signal): Promise<PullRequest> {
    const { head, base, title, body: description, draft } = plan;
    const body = { title, description, source: named(head), destination: named(base), draft };
    const data = await this.#api.send('POST', `${this.#path}/pullrequests`, body, signal);
    return await this.#toPullRequest(this.#api.parse(pullRequest, data), signal);
  }

  async read(number: number, signal: Signal): Promise<PullRequest> {
    return await this.#toPullRequest(await this.#answer(number, signal), signal);
  }

  /** The pull request itself does not say when it was merged. What happened later to its text has the same state. */
  async readMerged({ number, merged }: PullRequest, signal: Signal): Promise<Merged> {
    const place = `${this.#path}/pullrequests/${number}/activity`;
    const values = await this.#values(activity, withQuery(place, { pagelen: pageSize }), signal);
    const dates = values.flatMap(({ update }) => (update?.state === 'MERGED' ? [update.date] : []));
    const [first] = dates.toSorted((a, b) => Date.parse(a) - Date.parse(b));
    const hash = await this.#wholeHash(merged?.commit ?? '', signal);
    return { at: first ?? merged?.at ?? null, commit: hash || null };
  }

  async listFiles(number: number, signal: Signal): Promise<string[]> {
    const path = withQuery(`${this.#path}/pullrequests/${number}/diffstat`, { pagelen: 300 });
    // Bitbucket sends us on to the comparison of the two commits.
    const files = await this.#values(changedFiles, path, signal, true);
    return files.flatMap((file) => file.new?.path ?? file.old?.path ?? []);
  }

  async listMessages(number: number, signal: Signal): Promise<string[]> {
    const path = withQuery(`${this.#path}/pullrequests/${number}/commits`, { pagelen: 100 });
    return (await this.#values(z.object({ message: z.string() }), path, signal)).map(
      ({ message }) => message,
    );
  }

  async rewrite({ number }: PullRequest, text: PullRequestText, signal: Signal): Promise<unknown> {
    const { title, body: description, draft } = text;
    return await this.#edit(number, { title, description, draft }, signal);
  }

  /** Reviewers that are not named are taken away, and a title has to be there. */
  async #edit(
    number: number,
    change: { title?: string; description?: string; draft?: boolean; reviewers?: readonly string[] },
    signal: Signal,
  ): Promise<unknown> {
    const found = await this.#answer(number, signal);
    const { title = found.title, draft = found.draft ?? false } = change;
    const description = change.description ?? found.description ?? '';
    const uuids = change.reviewers ?? (found.reviewers ?? []).map(({ uuid }) => uuid);
    const body = { title, description, reviewers: uuids.map((uuid) => ({ uuid })), draft };
    return await this.#api.send('PUT', `${this.#path}/pullrequests/${number}`, body, signal);
  }

  async label(): Promise<unknown> {
    throw new JobFailure(
      'bad_forge',
      `Bitbucket has no labels for pull requests: take them out ${inSettings("--label ''")}.`,
    );
  }

  async listComments(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const all = await this.#readComments(pull, signal);
    return all.map(toComment).filter(({ changedAt }) => changedAt >= since);
  }

  /** The newest. */
  async #readComments({ number }: PullRequest, signal: Signal): Promise<Written[]> {
    const query = { sort: '-created_on' };
    const all = await this.#listAll(comment, number, 'comments', signal, { query, pages: newCommentPages });
    return all.filter(({ deleted, pending }) => !deleted && !pending);
  }

  /** A comment names the one that it answers, which may be an answer itself. */
  async readThread(pull: PullRequest, { key }: PostedComment, signal: Signal): Promise<CommentThread> {
    const all = await this.#readComments(pull, signal);
    const parents = new Map(all.map(({ id, parent }) => [id, parent?.id]));
    const rootOf = (id: number): number => {
      let root = id;
      // No chain is longer than all there are, unless it is a circle.
      for (let steps = 0; steps < all.length; steps++) root = parents.get(root) ?? root;
      return root;
    };
    const own = all.find(({ id }) => keyOf(id) === key);
    if (!own) return { id: null, comments: [] };
    const root = rootOf(own.id);
    const found = all.filter(({ id }) => rootOf(id) === root).map(toComment);
    return { id: String(root), comments: found.length > 1 || own.inline ? found : [] };
  }

  async comment(
    { number }: PullRequest,
    { thread }: CommentPosition,
    text: string,
    signal: Signal,
  ): Promise<unknown> {
    const parent = thread === null ? {} : { parent: { id: Number(thread) } };
    const body = { content: { raw: text }, ...parent };
    return await this.#api.send('POST', `${this.#path}/pullrequests/${number}/comments`, body, signal);
  }

  /** Of all groups and projects that give it together; only who administers the repository may ask. */
  async mayWrite(uuid: string, signal: Signal): Promise<boolean> {
    const place = `/workspaces/${this.#owner}/permissions/repositories/${this.#name}`;
    const path = withQuery(place, { q: `user.uuid = ${JSON.stringify(uuid)}` });
    const values = await this.#values(z.object({ permission: z.string() }), path, signal);
    return values.length === 1 && ['write', 'admin'].includes(values[0]?.permission ?? '');
  }

  async readChecks({ number }: PullRequest, signal: Signal): Promise<Checks> {
    const all = await this.#listAll(status, number, 'statuses', signal);
    return sumUp(
      all.map(
        (one): Check => ({
          name: one.name ?? one.key,
          state: states[one.state] ?? 'passed',
          text: one.description ?? '',
          url: one.url ?? '',
        }),
      ),
    );
  }

  async readInvolved(number: number, signal: Signal): Promise<Involved> {
    const { author, reviewers } = await this.#answer(number, signal);
    return { author: author?.uuid ?? null, asked: (reviewers ?? []).map(({ uuid }) => uuid) };
  }

  async askForReview(number: number, { id }: Reviewer, signal: Signal): Promise<unknown> {
    const { asked } = await this.readInvolved(number, signal);
    if (asked.includes(id)) return undefined;
    return await this.#edit(number, { reviewers: [...asked, id] }, signal);
  }

  /** The CODEOWNERS of Bitbucket has mail addresses and names of groups, which the API does not lead to accounts. */
  async findOwners(_change: OwnedChange, signal: Signal): Promise<Owners> {
    const path = `${this.#path}/effective-default-reviewers?pagelen=50`;
    const values = await this.#values(z.object({ user: account.nullish() }), path, signal);
    const reviewers = values.flatMap(({ user }) => toReviewer(user) ?? []);
    return { reviewers, areNamed: values.length > 0 };
  }

  async findAuthor(hash: string, signal: Signal): Promise<Reviewer | undefined> {
    return toReviewer((await this.#findCommit(hash, signal))?.author?.user);
  }

  async #findCommit(hash: string, signal: Signal): Promise<z.infer<typeof commit> | undefined> {
    return await this.#api.find(commit, `${this.#path}/commit/${encodeURIComponent(hash)}`, signal);
  }

  async #answer(number: number, signal: Signal): Promise<Answer> {
    return await this.#api.get(pullRequest, `${this.#path}/pullrequests/${number}`, signal);
  }

  async #toPullRequest(answer: Answer, signal: Signal): Promise<PullRequest> {
    const { id: number, title, description, draft = false, source, destination, links } = answer;
    const state = stateOf(answer);
    return {
      url: links.html.href,
      number,
      state,
      head: source.branch.name,
      headCommit: await this.#wholeHash(source.commit?.hash ?? '', signal),
      base: destination.branch.name,
      title,
      body: description ?? '',
      draft,
      merged:
        state === 'merged' ? { at: answer.updated_on, commit: answer.merge_commit?.hash ?? null } : undefined,
    };
  }

  /** A branch that was merged as one commit and deleted may be cleared away. */
  async #wholeHash(hash: string, signal: Signal): Promise<string> {
    if (!/^[0-9a-f]{7,39}$/.test(hash)) return hash;
    return (await this.#findCommit(hash, signal))?.hash ?? hash;
  }

  async #listAll<Item>(
    schema: z.ZodType<Item>,
    number: number,
    part: string,
    signal: Signal,
    { query = {}, pages = manyPages }: { query?: Record<string, string>; pages?: Pages } = {},
  ): Promise<Item[]> {
    return await readPages(pages, async (page) => {
      const place = `${this.#path}/pullrequests/${number}/${part}`;
      return await this.#values(schema, withQuery(place, { ...query, pagelen: pages.perPage, page }), signal);
    });
  }

  async #values<Item>(
    schema: z.ZodType<Item>,
    path: string,
    signal: Signal,
    sentOn = false,
  ): Promise<Item[]> {
    return (await this.#api.get(z.object({ values: z.array(schema) }), path, signal, sentOn)).values;
  }
}

/** How the API and git are signed in to. */
interface Login {
  api: string;
  git: Credential;
}

/**
 * An access token of a repository, project or workspace stands for itself. An API token is of an account, whose mail
 * address the API wants with it, and git does not:
 * https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/
 */
function loginOf(token: string): Login {
  const [, email, own = token] = /^([^:\s]+@[^:\s]+):(.+)$/.exec(token) ?? [];
  const ofAccount = email !== undefined || own.startsWith('ATAT');
  return {
    api: email === undefined ? `Bearer ${own}` : `Basic ${Buffer.from(token).toString('base64')}`,
    git: { username: ofAccount ? 'x-bitbucket-api-token-auth' : 'x-token-auth', password: own },
  };
}

function named(name: string) {
  return { branch: { name } };
}

function stateOf({ state }: Answer): PullRequest['state'] {
  if (state === 'OPEN') return 'open';
  return state === 'MERGED' ? 'merged' : 'closed';
}

const keyOf = (id: number) => `comment:${id}`;

function toComment({ id, user, parent, inline, ...one }: Written): PostedComment {
  return {
    key: keyOf(id),
    author: user?.nickname ?? user?.display_name ?? 'somebody who is gone',
    authorId: user?.type === 'user' ? user.uuid : null,
    text: one.content.raw,
    url: one.links.html.href,
    createdAt: Date.parse(one.created_on),
    changedAt: Date.parse(one.updated_on),
    position: {
      thread: parent ? String(parent.id) : null,
      file: inline?.path ?? null,
      line: inline?.to ?? inline?.from ?? null,
    },
  };
}

/** Programs have accounts of other types. */
function toReviewer(user: z.infer<typeof account> | null | undefined): Reviewer | undefined {
  if (user?.type !== 'user') return undefined;
  return { id: user.uuid, name: user.nickname ?? user.display_name ?? user.uuid };
}
