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
import { newTalkPages, readPages, talkPages } from './pages.ts';

type Signal = AbortSignal | undefined;

interface GitlabTalkOptions {
  host: Host;
  /** Of the project, below the API's address. */
  path: string;
  ask: (request: Omit<JsonRequest, 'headers'>, signal: Signal) => Promise<unknown>;
}

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

/** Developer: https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const developer = 30;
const passed = new Set(['success', 'skipped', 'canceled', 'manual']);

/** Notes and discussions of merge requests, and pipelines. */
export class GitlabTalk implements ForgeTalk {
  readonly #options: GitlabTalkOptions;

  constructor(options: GitlabTalkOptions) {
    this.#options = options;
  }

  /** Notes come by when they changed, and do not tell their discussion. */
  async list(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const isLast = (notes: readonly z.infer<typeof note>[]) =>
      notes.some(({ updated_at }) => Date.parse(updated_at) < since);
    const notes = await readPages({ ...newTalkPages, isLast }, async (page) => {
      const query = `sort=desc&order_by=updated_at&per_page=${talkPages.perPage}&page=${page}`;
      return this.#parse(z.array(note), await this.#get(`${ofPull(pull)}/notes?${query}`, signal));
    });
    return toComments(notes, pull, null).filter(({ changedAt }) => changedAt >= since);
  }

  async readThread(pull: PullRequest, { key }: PostedComment, signal: Signal): Promise<CommentThread> {
    const all = await readPages(talkPages, async (page) => {
      const path = `${ofPull(pull)}/discussions?per_page=${talkPages.perPage}&page=${page}`;
      return this.#parse(discussions, await this.#get(path, signal));
    });
    const found = all.find(({ notes }) => notes.some(({ id }) => keyOf(id) === key));
    if (!found) return { id: null, comments: [] };
    const comments = toComments(found.notes, pull, found.id);
    return { id: found.id, comments: comments.length > 1 ? comments : [] };
  }

  async mayWrite(id: string, signal: Signal): Promise<boolean> {
    const found = await unlessMissing(() => this.#get(`/members/all/${encodeURIComponent(id)}`, signal));
    if (found === undefined) return false;
    const { access_level, state } = this.#parse(member, found);
    return access_level >= developer && (state ?? 'active') === 'active';
  }

  async answer(
    pull: PullRequest,
    { thread }: CommentPosition,
    body: string,
    signal: Signal,
  ): Promise<unknown> {
    const place = thread === null ? 'notes' : `discussions/${encodeURIComponent(thread)}/notes`;
    const path = `${this.#options.path}${ofPull(pull)}/${place}`;
    return await this.#options.ask({ method: 'POST', path, body: { body } }, signal);
  }

  /** Pipelines come newest first. */
  async readChecks(pull: PullRequest, signal: Signal): Promise<Checks> {
    const data = await this.#get(`${ofPull(pull)}/pipelines?per_page=20`, signal);
    const newest = this.#parse(pipelines, data).find(({ sha }) => sha === pull.headCommit);
    if (!newest) return { state: 'none', failed: [] };
    if (passed.has(newest.status)) return { state: 'passed', failed: [] };
    if (newest.status !== 'failed') return { state: 'running', failed: [] };
    const jobs = await readPages(talkPages, async (page) => {
      const path = `/pipelines/${newest.id}/jobs?scope[]=failed&per_page=${talkPages.perPage}&page=${page}`;
      return this.#parse(failedJobs, await this.#get(path, signal));
    });
    const checks = jobs
      .filter(({ allow_failure }) => !allow_failure)
      .map(
        (job): Check => ({
          name: job.name,
          state: 'failed',
          text: job.failure_reason ?? '',
          url: job.web_url ?? '',
        }),
      );
    return checks.length > 0 ? sumUp(checks) : { state: 'failed', failed: [] };
  }

  async #get(path: string, signal: Signal): Promise<unknown> {
    return await this.#options.ask({ method: 'GET', path: `${this.#options.path}${path}` }, signal);
  }

  #parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    return parseReply(schema, data, this.#options.host);
  }
}

const ofPull = ({ number }: PullRequest) => `/merge_requests/${number}`;
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
