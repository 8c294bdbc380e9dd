import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Credential } from '../credential.ts';
import { JobFailure } from '../failure.ts';
import { requireToken } from './auth.ts';
import { type Client, clientWith, type Signal, withQuery } from './call.ts';
import { gitlabOwners, listOwners } from './code-owners.ts';
import {
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
import { headerOf, isSame, type Webhook } from './webhook.ts';

export const gitlab: ForgeDriver = {
  knows: (host) => host === 'gitlab.com',
  apiUrlOf: ({ origin }) => `${origin}/api/v4`,
  probe: {
    path: '/api/v4/version',
    isIt: ({ headers }, body) =>
      headers.has('x-gitlab-meta') || /"message"\s*:\s*"401 Unauthorized"/.test(body),
  },
  open: (options) => new Gitlab(options),
  isSigned: isSignedByGitlab,
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
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
});
const repository = z.object({ id: z.number(), path_with_namespace: z.string() });
const commits = z.array(z.object({ message: z.string() }));
const changedFiles = z.array(z.object({ new_path: z.string() }));

const note = z.object({
  id: z.int(),
  body: z.string(),
  author: z.object({ id: z.int(), username: z.string(), bot: z.boolean().nullish() }).nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  system: z.boolean(),
  /** Only members of the project see it. */
  internal: z.boolean().nullish(),
  position: z
    .object({
      new_path: z.string().nullish(),
      old_path: z.string().nullish(),
      new_line: z.int().nullish(),
      old_line: z.int().nullish(),
    })
    .nullish(),
});
const discussions = z.array(z.object({ id: z.string(), notes: z.array(note) }));
const member = z.object({ access_level: z.int(), state: z.string().nullish() });
const pipelines = z.array(z.object({ id: z.int(), sha: z.string(), status: z.string() }));
const failedJobs = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    web_url: z.string().nullish(),
    failure_reason: z.string().nullish(),
    allow_failure: z.boolean().nullish(),
  }),
);
const user = z.object({ id: z.int(), username: z.string() });
const involved = z.object({ author: user.nullish(), reviewers: z.array(user).nullish() });
const users = z.array(user.extend({ public_email: z.string().nullish() }));
const commit = z.object({ author_email: z.string().nullish() });

const listPages: Pages = { perPage: 100, maxPages: 3 };
/** Developer: https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const developer = 30;
const passed = new Set(['success', 'skipped', 'canceled', 'manual']);
/** Owners that are looked up. */
const maxOwners = 10;
/** The address that GitLab commits with for who hides the own one: https://docs.gitlab.com/user/profile/ */
const hiddenAddress = /^(\d+)-([\w.-]+)@users\.noreply\./;

class Gitlab implements ForgeApi {
  readonly #url: string;
  /** A personal, project or group access token. */
  readonly #token: string;
  /** Of the project, below the API's address. */
  readonly #path: string;
  readonly #api: Client;

  constructor(options: ForgeApiOptions) {
    this.#url = options.apiUrl;
    this.#token = requireToken(options.auth);
    this.#path = `/projects/${encodeURIComponent(options.slug)}`;
    const host = { url: options.apiUrl, permission };
    this.#api = clientWith(options, host, { 'private-token': this.#token });
  }

  async credential(): Promise<Credential> {
    return { username: 'oauth2', password: this.#token };
  }

  async identify(signal: Signal): Promise<RepositoryIdentity> {
    const { id, path_with_namespace: slug } = await this.#api.get(repository, this.#path, signal, true);
    return { id: String(id), slug };
  }

  async list(sourceBranch: string, signal: Signal): Promise<PullRequest[]> {
    const all = await this.#listPage({ source_branch: sourceBranch }, signal);
    return all.filter((item) => item.source_project_id === item.target_project_id).map(toPullRequest);
  }

  async listNewest(page: number, signal: Signal): Promise<PullState[]> {
    return (await this.#listPage({ page }, signal)).map(toPullRequest);
  }

  async #listPage(
    filter: Record<string, string | number>,
    signal: Signal,
  ): Promise<z.infer<typeof mergeRequest>[]> {
    const order = { order_by: 'created_at', sort: 'desc', per_page: 50 };
    const path = withQuery(`${this.#path}/merge_requests`, { ...filter, ...order });
    return await this.#api.get(z.array(mergeRequest), path, signal);
  }

  async create(plan: PullRequestPlan, signal: Signal): Promise<PullRequest> {
    const { head: source_branch, base: target_branch, body: description, draft } = plan;
    const title = drafts.write(plan.title, draft);
    const fields = { source_branch, target_branch, title, description };
    const data = await this.#api.send('POST', `${this.#path}/merge_requests`, fields, signal);
    return toPullRequest(this.#api.parse(mergeRequest, data));
  }

  async read(number: number, signal: Signal): Promise<PullRequest> {
    const found = await this.#api.get(mergeRequest, this.#pathOf(number), signal);
    if (found.state !== 'locked') return toPullRequest(found);
    // Being merged at this moment: what is pushed now may be in it or not.
    throw new JobFailure(
      'locked',
      `${this.#url} is merging the merge request ${number}: send the job a message when that is done. If it goes on for long, somebody who runs GitLab has to unlock it.`,
    );
  }

  async listFiles(number: number, signal: Signal): Promise<string[]> {
    const files = await this.#listAll(changedFiles, `${this.#pathOf(number)}/diffs`, listPages, signal);
    return files.map(({ new_path }) => new_path);
  }

  async listMessages(number: number, signal: Signal): Promise<string[]> {
    const found = await this.#listAll(commits, `${this.#pathOf(number)}/commits`, listPages, signal);
    return found.map(({ message }) => message);
  }

  async rewrite(pull: PullRequest, text: PullRequestText, signal: Signal): Promise<unknown> {
    const body = { description: text.body, ...drafts.rewrite(pull, text) };
    return await this.#api.send('PUT', this.#pathOf(pull.number), body, signal);
  }

  async label(number: number, labels: readonly string[], signal: Signal): Promise<unknown> {
    return await this.#api.send('PUT', this.#pathOf(number), { add_labels: labels.join(',') }, signal);
  }

  /** Notes come by when they changed, and do not name their discussion. */
  async listComments(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const isLast = (notes: readonly z.infer<typeof note>[]) =>
      notes.some(({ updated_at }) => Date.parse(updated_at) < since);
    const path = withQuery(`${this.#pathOf(pull.number)}/notes`, { sort: 'desc', order_by: 'updated_at' });
    const notes = await this.#listAll(z.array(note), path, { ...newCommentPages, isLast }, signal);
    return toComments(notes, pull, null).filter(({ changedAt }) => changedAt >= since);
  }

  async readThread(pull: PullRequest, { key }: PostedComment, signal: Signal): Promise<CommentThread> {
    const path = `${this.#pathOf(pull.number)}/discussions`;
    const all = await this.#listAll(discussions, path, manyPages, signal);
    const found = all.find(({ notes }) => notes.some(({ id }) => keyOf(id) === key));
    if (!found) return { id: null, comments: [] };
    const comments = toComments(found.notes, pull, found.id);
    return { id: found.id, comments: comments.length > 1 ? comments : [] };
  }

  async comment(
    { number }: PullRequest,
    { thread }: CommentPosition,
    body: string,
    signal: Signal,
  ): Promise<unknown> {
    const place = thread === null ? 'notes' : `discussions/${encodeURIComponent(thread)}/notes`;
    return await this.#api.send('POST', `${this.#pathOf(number)}/${place}`, { body }, signal);
  }

  async mayWrite(id: string, signal: Signal): Promise<boolean> {
    const path = `${this.#path}/members/all/${encodeURIComponent(id)}`;
    const found = await this.#api.find(member, path, signal);
    return found !== undefined && found.access_level >= developer && (found.state ?? 'active') === 'active';
  }

  /** Pipelines come newest first. */
  async readChecks({ number, headCommit }: PullRequest, signal: Signal): Promise<Checks> {
    const path = withQuery(`${this.#pathOf(number)}/pipelines`, { per_page: 20 });
    const newest = (await this.#api.get(pipelines, path, signal)).find(({ sha }) => sha === headCommit);
    if (!newest) return { state: 'none', failed: [] };
    if (passed.has(newest.status)) return { state: 'passed', failed: [] };
    if (newest.status !== 'failed') return { state: 'running', failed: [] };
    const place = `${this.#path}/pipelines/${newest.id}/jobs?scope[]=failed`;
    const jobs = await this.#listAll(failedJobs, place, manyPages, signal);
    const checks = jobs
      .filter(({ allow_failure }) => !allow_failure)
      .map(
        ({ name, failure_reason, web_url }): Check => ({
          name,
          state: 'failed',
          text: failure_reason ?? '',
          url: web_url ?? '',
        }),
      );
    return checks.length > 0 ? sumUp(checks) : { state: 'failed', failed: [] };
  }

  async readInvolved(number: number, signal: Signal): Promise<Involved> {
    const { author, reviewers } = await this.#api.get(involved, this.#pathOf(number), signal);
    return {
      author: author ? String(author.id) : null,
      asked: (reviewers ?? []).map(({ id }) => String(id)),
    };
  }

  /** All of them are named each time; without Premium, GitLab keeps one alone. */
  async askForReview(number: number, { id, name }: Reviewer, signal: Signal): Promise<void> {
    // GitLab passes over people without access, and in public projects asks anybody.
    if (!(await this.mayWrite(id, signal))) throw refused(name, 'may not write to the project');
    const { asked } = await this.readInvolved(number, signal);
    if (asked.includes(id)) return;
    const body = { reviewer_ids: [...asked, id].map(Number) };
    const data = await this.#api.send('PUT', this.#pathOf(number), body, signal);
    const { reviewers } = this.#api.parse(involved, data);
    if (reviewers?.some((one) => String(one.id) === id)) return;
    throw refused(name, 'was not taken, as the plan of the project allows no more');
  }

  /** They are who has to approve, and GitLab asks none of them for a review. */
  async findOwners({ paths, readFirst }: OwnedChange, signal: Signal): Promise<Owners> {
    const text = await readFirst(gitlabOwners.paths);
    if (text === undefined) return nobody;
    const owners = await listOwners(await gitlabOwners.parse(text), paths);
    const reviewers: Reviewer[] = [];
    for (const owner of owners.slice(0, maxOwners)) {
      const found = await this.#findOwner(owner, signal);
      if (found && !reviewers.some(({ id }) => id === found.id)) reviewers.push(found);
    }
    return { reviewers, areNamed: owners.length > 0 };
  }

  /** Groups and roles are nobody in particular. */
  async #findOwner(owner: string, signal: Signal): Promise<Reviewer | undefined> {
    if (!owner.startsWith('@')) return await this.#findByAddress(owner, signal);
    return /^@[\w.-]+$/.test(owner) ? await this.#findByName(owner.slice(1), signal) : undefined;
  }

  async findAuthor(hash: string, signal: Signal): Promise<Reviewer | undefined> {
    const path = `${this.#path}/repository/commits/${encodeURIComponent(hash)}?stats=false`;
    const address = (await this.#api.find(commit, path, signal))?.author_email;
    return address ? await this.#findByAddress(address, signal) : undefined;
  }

  /** Of other addresses than public ones GitLab does not say whose they are. */
  async #findByAddress(address: string, signal: Signal): Promise<Reviewer | undefined> {
    const [, id, name] = hiddenAddress.exec(address) ?? [];
    if (name !== undefined) {
      const found = await this.#findByName(name, signal);
      return found?.id === id ? found : undefined;
    }
    const found = await this.#listUsers({ search: address }, signal);
    const [only, ...others] = found.filter(
      ({ public_email }) => public_email?.toLowerCase() === address.toLowerCase(),
    );
    return others.length === 0 ? toReviewer(only) : undefined;
  }

  async #findByName(username: string, signal: Signal): Promise<Reviewer | undefined> {
    const found = await this.#listUsers({ username }, signal);
    return toReviewer(found.find((one) => one.username.toLowerCase() === username.toLowerCase()));
  }

  async #listUsers(query: Record<string, string>, signal: Signal): Promise<z.infer<typeof users>> {
    return await this.#api.get(
      users,
      withQuery('/users', { ...query, active: 'true', humans: 'true' }),
      signal,
    );
  }

  async #listAll<Item>(
    schema: z.ZodType<Item[]>,
    place: string,
    pages: Parameters<typeof readPages<Item>>[0],
    signal: Signal,
  ): Promise<Item[]> {
    const start = place.includes('?') ? `${place}&` : `${place}?`;
    return await readPages(pages, async (page) => {
      const path = `${start}per_page=${pages.perPage}&page=${page}`;
      return await this.#api.get(schema, path, signal);
    });
  }

  #pathOf(number: number): string {
    return `${this.#path}/merge_requests/${number}`;
  }
}

function toPullRequest(found: z.infer<typeof mergeRequest>): PullRequest {
  const { web_url: url, iid: number, state, source_branch: head, target_branch: base } = found;
  const headCommit = found.sha ?? '';
  // Without a merge commit the branch itself, or what it was squashed to, is in the base.
  const commit = found.merge_commit_sha ?? found.squash_commit_sha ?? headCommit;
  return {
    url,
    number,
    state: state === 'merged' || state === 'closed' ? state : 'open',
    head,
    headCommit,
    base,
    ...drafts.read(found.title),
    body: found.description ?? '',
    merged: state === 'merged' ? { at: found.merged_at ?? null, commit: commit || null } : undefined,
  };
}

const keyOf = (id: number) => `note:${id}`;

/** What GitLab notes by itself is nobody's, and what only members see is not repeated in public. */
function toComments(
  notes: readonly z.infer<typeof note>[],
  { url }: PullRequest,
  thread: string | null,
): PostedComment[] {
  return notes
    .filter(({ system, internal }) => !system && !internal)
    .map(({ id, body, author, created_at, updated_at, position }) => ({
      key: keyOf(id),
      author: author?.username ?? 'ghost',
      authorId: !author || author.bot ? null : String(author.id),
      text: body,
      url: `${url}#note_${id}`,
      createdAt: Date.parse(created_at),
      changedAt: Date.parse(updated_at),
      position: {
        thread,
        file: position?.new_path ?? position?.old_path ?? null,
        line: position?.new_line ?? position?.old_line ?? null,
      },
    }));
}

function toReviewer(found: z.infer<typeof user> | undefined): Reviewer | undefined {
  return found && { id: String(found.id), name: found.username };
}

function refused(name: string, why: string): JobFailure {
  return new JobFailure('forbidden', `${name} ${why}.`);
}

/** How old a webhook with a time may be. */
const maxAgeMs = 5 * 60 * 1000;

/**
 * With a token: https://docs.gitlab.com/user/project/integrations/webhooks/; or with a signing token, of
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function isSignedByGitlab(webhook: Webhook): boolean | undefined {
  const { body, secret, now } = webhook;
  const signatures = headerOf(webhook, 'webhook-signature');
  if (signatures === undefined) {
    const token = headerOf(webhook, 'x-gitlab-token');
    return token === undefined ? undefined : isSame(token, secret);
  }
  const id = headerOf(webhook, 'webhook-id') ?? '';
  const timestamp = headerOf(webhook, 'webhook-timestamp') ?? '';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) > maxAgeMs) return false;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signatures.split(' ').some((one) => isSame(one, `v1,${signed}`));
}
