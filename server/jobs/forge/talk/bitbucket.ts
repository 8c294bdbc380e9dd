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
import { type Check, sumUp } from './checks.ts';
import { newTalkPages, readPages, talkPages } from './pages.ts';

type Signal = AbortSignal | undefined;

interface BitbucketTalkOptions {
  host: Host;
  owner: string;
  name: string;
  /** Below the API's address. */
  ask: (request: Omit<JsonRequest, 'headers'>, signal: Signal) => Promise<unknown>;
}

const comment = z.object({
  id: z.int(),
  content: z.object({ raw: z.string() }),
  user: z
    .object({
      uuid: z.string(),
      nickname: z.string().nullish(),
      display_name: z.string().nullish(),
      type: z.string(),
    })
    .nullish(),
  created_on: z.string(),
  updated_on: z.string(),
  deleted: z.boolean(),
  /** A draft of a review. */
  pending: z.boolean().nullish(),
  parent: z.object({ id: z.int() }).nullish(),
  inline: z.object({ path: z.string(), from: z.int().nullish(), to: z.int().nullish() }).nullish(),
  links: z.object({ html: z.object({ href: z.string() }) }),
});
const comments = z.object({ values: z.array(comment) });
const permissions = z.object({ values: z.array(z.object({ permission: z.string() })) });
const statuses = z.object({
  values: z.array(
    z.object({
      key: z.string(),
      name: z.string().nullish(),
      state: z.string(),
      description: z.string().nullish(),
      url: z.string().nullish(),
    }),
  ),
});

type Written = z.infer<typeof comment>;

const states: Readonly<Record<string, Check['state']>> = { FAILED: 'failed', INPROGRESS: 'running' };

/** Comments of pull requests, and what builds report. */
export class BitbucketTalk implements ForgeTalk {
  readonly #options: BitbucketTalkOptions;

  constructor(options: BitbucketTalkOptions) {
    this.#options = options;
  }

  async list(pull: PullRequest, since: number, signal: Signal): Promise<PostedComment[]> {
    const all = await this.#readAll(pull, signal);
    return all.map(toComment).filter(({ changedAt }) => changedAt >= since);
  }

  /** The newest. */
  async #readAll({ number }: PullRequest, signal: Signal): Promise<Written[]> {
    const all = await readPages(newTalkPages, async (page) => {
      const query = `sort=-created_on&pagelen=${talkPages.perPage}&page=${page}`;
      const path = `/pullrequests/${number}/comments?${query}`;
      return this.#parse(comments, await this.#ofRepository(path, signal)).values;
    });
    return all.filter(({ deleted, pending }) => !deleted && !pending);
  }

  /** A comment names the one that it answers, which may be an answer itself. */
  async readThread(pull: PullRequest, { key }: PostedComment, signal: Signal): Promise<CommentThread> {
    const all = await this.#readAll(pull, signal);
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

  /** Of all groups and projects that give it together; only who administers the repository may ask. */
  async mayWrite(uuid: string, signal: Signal): Promise<boolean> {
    const { owner, name, ask } = this.#options;
    const query = new URLSearchParams({ q: `user.uuid = ${JSON.stringify(uuid)}` });
    const place = `/workspaces/${encodeURIComponent(owner)}/permissions/repositories/${encodeURIComponent(name)}`;
    const data = await ask({ method: 'GET', path: `${place}?${query}` }, signal);
    const { values } = this.#parse(permissions, data);
    return values.length === 1 && ['write', 'admin'].includes(values[0]?.permission ?? '');
  }

  async answer(
    pull: PullRequest,
    { thread }: CommentPosition,
    text: string,
    signal: Signal,
  ): Promise<unknown> {
    const parent = thread === null ? {} : { parent: { id: Number(thread) } };
    const path = this.#pathOf(`/pullrequests/${pull.number}/comments`);
    return await this.#options.ask(
      { method: 'POST', path, body: { content: { raw: text }, ...parent } },
      signal,
    );
  }

  async readChecks({ number }: PullRequest, signal: Signal): Promise<Checks> {
    const values = await readPages(talkPages, async (page) => {
      const path = `/pullrequests/${number}/statuses?pagelen=${talkPages.perPage}&page=${page}`;
      return this.#parse(statuses, await this.#ofRepository(path, signal)).values;
    });
    return sumUp(
      values.map(
        (one): Check => ({
          name: one.name ?? one.key,
          state: states[one.state] ?? 'passed',
          text: one.description ?? '',
          url: one.url ?? '',
        }),
      ),
    );
  }

  async #ofRepository(path: string, signal: Signal): Promise<unknown> {
    return await this.#options.ask({ method: 'GET', path: this.#pathOf(path) }, signal);
  }

  #pathOf(path: string): string {
    const { owner, name } = this.#options;
    return `/repositories/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${path}`;
  }

  #parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    return parseReply(schema, data, this.#options.host);
  }
}

const keyOf = (id: number) => `comment:${id}`;

function toComment({
  id,
  content,
  user,
  created_on,
  updated_on,
  parent,
  inline,
  links,
}: Written): PostedComment {
  return {
    key: keyOf(id),
    author: user?.nickname ?? user?.display_name ?? 'somebody who is gone',
    authorId: user?.type === 'user' ? user.uuid : null,
    text: content.raw,
    url: links.html.href,
    createdAt: Date.parse(created_on),
    changedAt: Date.parse(updated_on),
    position: {
      thread: parent ? String(parent.id) : null,
      file: inline?.path ?? null,
      line: inline?.to ?? inline?.from ?? null,
    },
  };
}
