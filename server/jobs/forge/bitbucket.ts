import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';
import { requireToken } from './auth.ts';
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
import { ForgeRefusal } from './refusal.ts';
import { BitbucketReview } from './review/bitbucket.ts';
import { ownerAndName } from './slug.ts';
import { BitbucketTalk } from './talk/bitbucket.ts';
import { readPages, talkPages } from './talk/pages.ts';

const cloud = 'bitbucket.org';

/** Bitbucket Cloud. Bitbucket Data Center has another API. */
export const bitbucket: ForgeDriver = {
  knows: (host) => host === cloud,
  apiUrlOf: ({ host, origin }) => (host === cloud ? `https://api.${cloud}/2.0` : `${origin}/api/2.0`),
  probe: {
    path: '/api/2.0/user',
    isIt: ({ status }, body) => status === 401 && /"type"\s*:\s*"error"/.test(body),
  },
  open: (options) => new BitbucketApi(options),
};

const permission = 'the permissions "Repositories: write" and "Pull requests: write"';

const branch = z.object({
  branch: z.object({ name: z.string() }),
  /** Null once it is gone; its hash is cut to 12 digits. */
  commit: z.object({ hash: z.string() }).nullish(),
  /** Null for a fork that was deleted. */
  repository: z.object({ uuid: z.string() }).nullish(),
});
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
  reviewers: z.array(z.object({ uuid: z.string() })).optional(),
  links: z.object({ html: z.object({ href: z.url({ protocol: /^https?$/ }) }) }),
});
type Answer = z.infer<typeof pullRequest>;

const commit = z.object({ hash: z.string() });
const update = z.object({ state: z.string(), date: z.string() });
const activity = z.object({ values: z.array(z.object({ update: update.optional() })) });
const comments = z.object({
  values: z.array(z.object({ content: z.object({ raw: z.string() }), created_on: z.string() })),
});
const commits = z.object({ values: z.array(z.object({ message: z.string() })) });
const changedFile = z.object({ path: z.string() }).nullish();
const changedFiles = z.object({ values: z.array(z.object({ old: changedFile, new: changedFile })) });

const everyState = ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'].map((state): [string, string] => [
  'state',
  state,
]);
const pageSize = '50';
const filePageSize = '300';
const commitPageSize = '100';

const repository = z.object({ uuid: z.string(), full_name: z.string() });

class BitbucketApi implements ForgeApi {
  readonly #options: ForgeApiOptions;
  readonly #host: Host;
  readonly #login: Login;
  readonly #path: string;
  readonly talk: BitbucketTalk;
  readonly review: BitbucketReview;

  constructor(options: ForgeApiOptions) {
    const { owner, name } = ownerAndName(options.slug);
    this.#options = options;
    this.#host = { url: options.apiUrl, permission };
    this.#login = loginOf(requireToken(options.auth));
    this.#path = `/repositories/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
    this.talk = new BitbucketTalk({
      host: this.#host,
      owner,
      name,
      ask: (request, signal) => this.#ask(request, signal),
    });
    this.review = new BitbucketReview({
      host: this.#host,
      ask: (request, signal) => this.#call(request, signal),
      setReviewers: (number, reviewers, signal) => this.#edit(number, { reviewers }, signal),
    });
  }

  async credential(): Promise<Credential> {
    return this.#login.git;
  }

  async list(head: string, signal: AbortSignal | undefined): Promise<PullRequest[]> {
    const q = `source.branch.name = ${JSON.stringify(head)}`;
    const query = new URLSearchParams([
      ...everyState,
      ['q', q],
      ['sort', '-created_on'],
      ['pagelen', pageSize],
    ]);
    const data = await this.#call({ method: 'GET', path: `/pullrequests?${query}` }, signal);
    const { values } = parseReply(z.object({ values: z.array(pullRequest) }), data, this.#host);
    const own = values.filter(
      ({ source, destination }) => source.repository?.uuid === destination.repository?.uuid,
    );
    const found = await Promise.all(own.map((answer) => this.#toPullRequest(answer, signal)));
    return found.toSorted((a, b) => b.number - a.number);
  }

  async listNewest(page: number, signal: AbortSignal | undefined): Promise<PullState[]> {
    const rest = { sort: '-created_on', pagelen: pageSize, page: `${page}` };
    const query = new URLSearchParams([...everyState, ...Object.entries(rest)]);
    const data = await this.#call({ method: 'GET', path: `/pullrequests?${query}` }, signal);
    const { values } = parseReply(z.object({ values: z.array(pullRequest) }), data, this.#host);
    return values.map((answer) => ({ number: answer.id, title: answer.title, state: stateOf(answer) }));
  }

  /** Where one is open for these branches already, Bitbucket answers with that. */
  async create(plan: PullRequestPlan, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { head, base, title, body: description, draft } = plan;
    const body = { title, description, source: named(head), destination: named(base), draft };
    return await this.#pullRequest({ method: 'POST', path: '/pullrequests', body }, signal);
  }

  async read(number: number, signal: AbortSignal | undefined): Promise<PullRequest> {
    return await this.#toPullRequest(await this.#answer(number, signal), signal);
  }

  async readMerge(number: number, signal: AbortSignal | undefined): Promise<Merge> {
    const answer = await this.#answer(number, signal);
    const { title } = answer;
    if (answer.state !== 'MERGED')
      return { state: stateOf(answer), title, mergedAt: null, commit: null, files: [] };
    const mergedAt = (await this.#findMerging(number, signal)) ?? answer.updated_on;
    const commit = (await this.#wholeHash(answer.merge_commit?.hash ?? '', signal)) || null;
    return { state: 'merged', title, mergedAt, commit, files: await this.listFiles(number, signal) };
  }

  /** The pull request itself does not tell when it was merged. What happened later to its text has the same state. */
  async #findMerging(number: number, signal: AbortSignal | undefined): Promise<string | undefined> {
    const path = `/pullrequests/${number}/activity?pagelen=${pageSize}`;
    const { values } = parseReply(activity, await this.#call({ method: 'GET', path }, signal), this.#host);
    const dates = values.flatMap((entry) => (entry.update?.state === 'MERGED' ? [entry.update.date] : []));
    return dates.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  }

  async listFiles(number: number, signal: AbortSignal | undefined): Promise<string[]> {
    const path = `/pullrequests/${number}/diffstat?pagelen=${filePageSize}`;
    // Bitbucket sends us on to the comparison of the two commits.
    const data = await this.#call({ method: 'GET', path, sentOn: true }, signal);
    const { values } = parseReply(changedFiles, data, this.#host);
    return values.flatMap((file) => file.new?.path ?? file.old?.path ?? []);
  }

  async listMessages(number: number, signal: AbortSignal | undefined): Promise<string[]> {
    const path = `/pullrequests/${number}/commits?pagelen=${commitPageSize}`;
    const data = await this.#call({ method: 'GET', path }, signal);
    return parseReply(commits, data, this.#host).values.map(({ message }) => message);
  }

  async rewrite(
    { number }: PullRequest,
    { title, body: description, draft }: PullRequestText,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    return await this.#edit(number, { title, description, draft }, signal);
  }

  /** Reviewers that are not named are taken away, and a title has to be there. */
  async #edit(
    number: number,
    change: { title?: string; description?: string; draft?: boolean; reviewers?: readonly string[] },
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const found = await this.#answer(number, signal);
    const { title = found.title, draft = found.draft ?? false } = change;
    const description = change.description ?? found.description ?? '';
    const uuids = change.reviewers ?? (found.reviewers ?? []).map(({ uuid }) => uuid);
    const body = { title, description, reviewers: uuids.map((uuid) => ({ uuid })), draft };
    return await this.#call({ method: 'PUT', path: `/pullrequests/${number}`, body }, signal);
  }

  async label(): Promise<unknown> {
    throw new JobFailure(
      'bad_forge',
      `Bitbucket has no labels for pull requests: take them out ${inSettings("--label ''")}.`,
    );
  }

  async comment(number: number, text: string, signal: AbortSignal | undefined): Promise<unknown> {
    const path = `/pullrequests/${number}/comments`;
    return await this.#call({ method: 'POST', path, body: { content: { raw: text } } }, signal);
  }

  async listComments(number: number, since: number, signal: AbortSignal | undefined): Promise<string[]> {
    const isLast = (all: readonly z.infer<typeof comments>['values'][number][]) =>
      all.some(({ created_on }) => Date.parse(created_on) < since);
    const all = await readPages({ ...talkPages, isLast }, async (page) => {
      const query = `sort=-created_on&pagelen=${talkPages.perPage}&page=${page}`;
      const path = `/pullrequests/${number}/comments?${query}`;
      return parseReply(comments, await this.#call({ method: 'GET', path }, signal), this.#host).values;
    });
    return all.map(({ content }) => content.raw);
  }

  async readRepository(signal: AbortSignal | undefined): Promise<RepositoryIdentity> {
    const data = await this.#call({ method: 'GET', path: '', sentOn: true }, signal);
    const { uuid, full_name: slug } = parseReply(repository, data, this.#host);
    return { id: String(uuid), slug };
  }

  async #answer(number: number, signal: AbortSignal | undefined): Promise<Answer> {
    const data = await this.#call({ method: 'GET', path: `/pullrequests/${number}` }, signal);
    return parseReply(pullRequest, data, this.#host);
  }

  async #pullRequest(
    request: Omit<JsonRequest, 'headers'>,
    signal: AbortSignal | undefined,
  ): Promise<PullRequest> {
    const answer = parseReply(pullRequest, await this.#call(request, signal), this.#host);
    return await this.#toPullRequest(answer, signal);
  }

  async #toPullRequest(answer: Answer, signal: AbortSignal | undefined): Promise<PullRequest> {
    const { id: number, title, description, draft = false, source, destination, links } = answer;
    return {
      url: links.html.href,
      number,
      state: stateOf(answer),
      head: source.branch.name,
      headCommit: await this.#wholeHash(source.commit?.hash ?? '', signal),
      base: destination.branch.name,
      title,
      body: description ?? '',
      draft,
    };
  }

  async #wholeHash(hash: string, signal: AbortSignal | undefined): Promise<string> {
    if (!/^[0-9a-f]{7,39}$/.test(hash)) return hash;
    try {
      const data = await this.#call({ method: 'GET', path: `/commit/${hash}` }, signal);
      return parseReply(commit, data, this.#host).hash;
    } catch (error) {
      // A branch that was merged as one commit and deleted may be cleared away.
      if (error instanceof ForgeRefusal && error.status === 404) return hash;
      throw error;
    }
  }

  async #call(request: Omit<JsonRequest, 'headers'>, signal: AbortSignal | undefined): Promise<unknown> {
    return await this.#ask({ ...request, path: `${this.#path}${request.path}` }, signal);
  }

  async #ask(request: Omit<JsonRequest, 'headers'>, signal: AbortSignal | undefined): Promise<unknown> {
    const headers = { authorization: this.#login.api };
    const reply = await callJson({ ...this.#options, signal }, this.#host, { ...request, headers });
    return reply.data;
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
export function loginOf(token: string): Login {
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
