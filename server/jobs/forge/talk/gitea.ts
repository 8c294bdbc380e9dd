import { z } from 'zod';
import { type Host, type JsonRequest, parseReply } from '../call.ts';
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
import { readPagesOrAll } from './pages.ts';

type Signal = AbortSignal | undefined;

interface GiteaTalkOptions {
  host: Host;
  /** Of the repository. */
  ask: (request: Omit<JsonRequest, 'headers'>, signal: Signal) => Promise<unknown>;
}

const user = z.object({ login: z.string() }).nullish();
const issueComments = z.array(
  z.object({
    id: z.int(),
    user,
    body: z.string(),
    html_url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  }),
);
const reviews = z.array(
  z.object({
    id: z.int(),
    user,
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
const permission = z.object({ permission: z.string() });
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

const pageSize = 50;
const maxPages = 20;
/** As many as `newTalkPages` has. */
const maxNewPages = 400;
/** Of reviews that are known, whose comments at lines are looked at again, the newest: each takes a request. */
const maxReviews = 30;
const maxNewReviews = 1_000;
const below: CommentPosition = { thread: null, file: null, line: null };
const failures = new Set(['failure', 'error']);

/** Comments and reviews of pull requests, and statuses of commits. */
export class GiteaTalk implements ForgeTalk {
  readonly #options: GiteaTalkOptions;

  constructor(options: GiteaTalkOptions) {
    this.#options = options;
  }

  async list(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const comments = await readIssueComments(pull.number, since, async (path) =>
      this.#parse(issueComments, await this.#get(path, signal)),
    );
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
    return await readPagesOrAll(maxNewPages, async (page) => {
      const path = `/pulls/${number}/reviews?limit=${pageSize}&page=${page}`;
      return this.#parse(reviews, await this.#get(path, signal));
    });
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
      const data = await this.#get(`/pulls/${number}/reviews/${id}/comments`, signal);
      all.push(...this.#parse(lineComments, data).map(toLineComment));
    }
    return all;
  }

  async readThread(pull: PullRequest, { position }: PostedComment, signal: Signal): Promise<CommentThread> {
    if (position.thread === null) return { id: null, comments: [] };
    const all = await this.#listLines(
      pull,
      await this.#listReviews(pull, signal),
      Number.POSITIVE_INFINITY,
      signal,
    );
    return { id: position.thread, comments: all.filter((one) => one.position.thread === position.thread) };
  }

  async mayWrite(login: string, signal: Signal): Promise<boolean> {
    const path = `/collaborators/${encodeURIComponent(login)}/permission`;
    const found = await unlessMissing(() => this.#get(path, signal));
    if (found === undefined) return false;
    return ['write', 'admin', 'owner'].includes(this.#parse(permission, found).permission);
  }

  /** Comments at one line of a file are one conversation; older versions have no other way to answer in it. */
  async answer(pull: PullRequest, position: CommentPosition, body: string, signal: Signal): Promise<unknown> {
    const { thread, file } = position;
    const [, side, line] = /^(new|old):(\d+):/.exec(thread ?? '') ?? [];
    if (file === null || line === undefined) {
      const path = `/issues/${pull.number}/comments`;
      return await this.#options.ask({ method: 'POST', path, body: { body } }, signal);
    }
    const comment = {
      path: file,
      body,
      new_position: side === 'new' ? Number(line) : 0,
      old_position: side === 'old' ? Number(line) : 0,
    };
    const review = { event: 'COMMENT', body: '', comments: [comment], commit_id: pull.headCommit };
    const path = `/pulls/${pull.number}/reviews`;
    return await this.#options.ask({ method: 'POST', path, body: review }, signal);
  }

  async readChecks({ headCommit }: PullRequest, signal: Signal): Promise<Checks> {
    const statuses = await readPagesOrAll(maxPages, async (page) => {
      const path = `/commits/${encodeURIComponent(headCommit)}/status?limit=${pageSize}&page=${page}`;
      return this.#parse(combined, await this.#get(path, signal)).statuses ?? [];
    });
    return sumUp(
      statuses.map(
        (one): Check => ({
          name: one.context,
          state: one.status === 'pending' ? 'running' : failures.has(one.status) ? 'failed' : 'passed',
          text: one.description ?? '',
          url: one.target_url ?? '',
        }),
      ),
    );
  }

  async #get(path: string, signal: Signal): Promise<unknown> {
    return await this.#options.ask({ method: 'GET', path }, signal);
  }

  #parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    return parseReply(schema, data, this.#options.host);
  }
}

/** Those that were made or changed since then, all at once from Gitea, and in pages from newer versions of Forgejo. */
export async function readIssueComments<Item extends { id: number }>(
  number: number,
  since: number,
  read: (path: string) => Promise<Item[]>,
): Promise<Item[]> {
  return await readPagesOrAll(maxNewPages, async (page) => {
    const query = { since: new Date(since).toISOString(), page: `${page}`, limit: `${pageSize}` };
    return await read(`/issues/${number}/comments?${new URLSearchParams(query)}`);
  });
}

function toLineComment(one: z.infer<typeof lineComments>[number]): PostedComment {
  const { path: file, position, original_position } = one;
  const [side, line] = position > 0 ? ['new', position] : ['old', original_position];
  return toComment('line', one, { thread: `${side}:${line}:${file}`, file, line: Number(line) });
}

/** Gitea tells of nobody whether it is a program. */
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
