import { z } from 'zod';
import { type Host, parseReply } from '../call.ts';
import type {
  Checks,
  CommentPosition,
  CommentThread,
  ForgeTalk,
  PostedComment,
  PullRequest,
} from '../forge.ts';
import { unlessMissing } from '../missing.ts';
import { type Check, sumUp } from './checks.ts';
import { newTalkPages, readNewestPages, readPages, talkPages } from './pages.ts';

type Signal = AbortSignal | undefined;

/** Asks for a route of the repository. */
export type GithubAsk = (
  route: string,
  parameters: Record<string, unknown>,
  signal: Signal,
) => Promise<unknown>;

interface GithubTalkOptions {
  host: Host;
  ask: GithubAsk;
  /** The same with a token that may read checks. */
  askForChecks: GithubAsk;
}

const user = z.object({ login: z.string(), type: z.string() }).nullable();
const posted = {
  id: z.int(),
  user,
  body: z.string().nullish(),
  html_url: z.url({ protocol: /^https?$/ }),
};
const times = { created_at: z.string(), updated_at: z.string() };
const issueComments = z.array(z.object({ ...posted, ...times }));
const lineComment = z.object({
  ...posted,
  ...times,
  path: z.string(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  in_reply_to_id: z.int().nullish(),
});
const reviews = z.array(z.object({ ...posted, state: z.string(), submitted_at: z.string().nullish() }));
const permission = z.object({ permission: z.string() });
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

type LineComment = z.infer<typeof lineComment>;
type CheckRun = z.infer<typeof checkRuns>['check_runs'][number];

/** Of runs of one commit. */
const maxAnnotated = 3;
const failures = new Set(['failure', 'timed_out', 'startup_failure']);
const below: CommentPosition = { thread: null, file: null, line: null };

/** Comments below pull requests, at their lines, and in reviews; checks of GitHub Actions and others, and statuses. */
export class GithubTalk implements ForgeTalk {
  readonly #options: GithubTalkOptions;

  constructor(options: GithubTalkOptions) {
    this.#options = options;
  }

  async list({ number }: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const [comments, lines, reviewed] = await Promise.all([
      this.#listIssueComments(number, since, signal),
      this.#listLineComments(
        number,
        { since: new Date(since).toISOString(), sort: 'created', direction: 'desc' },
        signal,
      ),
      this.#listReviews(number, since, signal),
    ]);
    return [...comments, ...lines.map(toLineComment), ...reviewed.filter((one) => one.changedAt >= since)];
  }

  async #listIssueComments(number: number, since: number, signal: Signal): Promise<PostedComment[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const query = { since: new Date(since).toISOString(), per_page: talkPages.perPage };
    const all = await readPages(newTalkPages, async (page) =>
      this.#parse(issueComments, await this.#ask(route, { issue_number: number, ...query, page }, signal)),
    );
    return all.map((one) => toComment('comment', one, below));
  }

  async #listLineComments(
    number: number,
    query: Record<string, string>,
    signal: Signal,
  ): Promise<LineComment[]> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments';
    const { perPage: per_page } = talkPages;
    return await readPages('since' in query ? newTalkPages : talkPages, async (page) =>
      this.#parse(
        z.array(lineComment),
        await this.#ask(route, { pull_number: number, ...query, per_page, page }, signal),
      ),
    );
  }

  async #listReviews(number: number, since: number, signal: Signal): Promise<PostedComment[]> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const { perPage: per_page } = talkPages;
    const isLast = (page: Readonly<z.infer<typeof reviews>>) =>
      page.every(({ submitted_at }) => Date.parse(submitted_at ?? '') < since);
    const all = await readNewestPages({ ...newTalkPages, isLast }, async (page) =>
      this.#parse(reviews, await this.#ask(route, { pull_number: number, per_page, page }, signal)),
    );
    return all
      .filter(({ state, body }) => state !== 'PENDING' && body)
      .map(({ submitted_at, ...one }) => {
        const at = submitted_at ?? '';
        return toComment('review', { ...one, created_at: at, updated_at: at }, below);
      });
  }

  async readThread(
    { number }: PullRequest,
    { position }: PostedComment,
    signal: Signal,
  ): Promise<CommentThread> {
    if (position.thread === null) return { id: null, comments: [] };
    const all = await this.#listLineComments(number, { sort: 'created', direction: 'desc' }, signal);
    const comments = all.map(toLineComment).filter((one) => one.position.thread === position.thread);
    return { id: position.thread, comments };
  }

  /** https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user */
  async mayWrite(login: string, signal: Signal): Promise<boolean> {
    const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    const found = await unlessMissing(() => this.#ask(route, { username: login }, signal));
    if (found === undefined) return false;
    return ['admin', 'write'].includes(this.#parse(permission, found).permission);
  }

  async answer(
    { number }: PullRequest,
    { thread }: CommentPosition,
    body: string,
    signal: Signal,
  ): Promise<unknown> {
    if (thread === null) {
      const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
      return await this.#ask(route, { issue_number: number, body }, signal);
    }
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
    return await this.#ask(route, { pull_number: number, comment_id: Number(thread), body }, signal);
  }

  async readChecks({ headCommit: ref }: PullRequest, signal: Signal): Promise<Checks> {
    const ask = (what: string, page: number) =>
      this.#options.askForChecks(
        `GET /repos/{owner}/{repo}/commits/{ref}/${what}`,
        { ref, per_page: talkPages.perPage, page },
        signal,
      );
    const [found, reported] = await Promise.all([
      readPages(talkPages, async (page) => this.#parse(checkRuns, await ask('check-runs', page)).check_runs),
      readPages(talkPages, async (page) => this.#parse(statuses, await ask('status', page)).statuses),
    ]);
    const told = new Map<number, string>();
    for (const run of found.filter((one) => stateOfRun(one) === 'failed').slice(0, maxAnnotated)) {
      told.set(run.id, await this.#readAnnotations(run.id, signal));
    }
    const ofRuns = found.map(
      (run): Check => ({
        name: run.name,
        state: stateOfRun(run),
        text: [run.output.title, run.output.summary, told.get(run.id)].filter(Boolean).join('\n'),
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
    const route = 'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations';
    const data = await this.#options.askForChecks(route, { check_run_id: id, per_page: 20 }, signal);
    return this.#parse(annotations, data)
      .map(({ path, start_line, message }) => `${path}:${start_line}: ${message ?? ''}`)
      .join('\n');
  }

  async #ask(route: string, parameters: Record<string, unknown>, signal: Signal): Promise<unknown> {
    return await this.#options.ask(route, parameters, signal);
  }

  #parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    return parseReply(schema, data, this.#options.host);
  }
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
