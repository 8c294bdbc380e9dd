import { z } from 'zod';
import { type Host, type JsonRequest, parseReply } from '../call.ts';
import { unlessMissing } from '../missing.ts';
import type { ForgeReview, Involved, Owners, Reviewer } from './review.ts';

type Signal = AbortSignal | undefined;

interface BitbucketReviewOptions {
  host: Host;
  /** Of the repository. */
  ask: (request: Omit<JsonRequest, 'headers'>, signal: Signal) => Promise<unknown>;
  /** Gives a pull request other reviewers. */
  setReviewers: (number: number, uuids: readonly string[], signal: Signal) => Promise<unknown>;
}

const account = z.object({
  uuid: z.string(),
  type: z.string(),
  nickname: z.string().nullish(),
  display_name: z.string().nullish(),
});
const involved = z.object({
  author: account.pick({ uuid: true }).nullish(),
  reviewers: z.array(account.pick({ uuid: true })).nullish(),
});
const defaults = z.object({ values: z.array(z.object({ user: account.nullish() })) });
const commit = z.object({ author: z.object({ user: account.nullish() }).nullish() });

/**
 * Reviewers of pull requests. Default reviewers are whom the repository names: its CODEOWNERS has mail addresses and names of
 * groups, which the API does not lead to accounts.
 */
export class BitbucketReview implements ForgeReview {
  readonly #options: BitbucketReviewOptions;

  constructor(options: BitbucketReviewOptions) {
    this.#options = options;
  }

  async read(number: number, signal: Signal): Promise<Involved> {
    const data = await this.#get(`/pullrequests/${number}`, signal);
    const { author, reviewers } = parseReply(involved, data, this.#options.host);
    return { author: author?.uuid ?? null, asked: (reviewers ?? []).map(({ uuid }) => uuid) };
  }

  async ask(number: number, { id }: Reviewer, signal: Signal): Promise<unknown> {
    const { asked } = await this.read(number, signal);
    if (asked.includes(id)) return undefined;
    return await this.#options.setReviewers(number, [...asked, id], signal);
  }

  async findOwners(_change: unknown, signal: Signal): Promise<Owners> {
    const data = await this.#get('/effective-default-reviewers?pagelen=50', signal);
    const { values } = parseReply(defaults, data, this.#options.host);
    const reviewers = values.flatMap(({ user }) => toReviewer(user) ?? []);
    return { reviewers, areNamed: values.length > 0 };
  }

  async findAuthor(hash: string, signal: Signal): Promise<Reviewer | undefined> {
    const data = await unlessMissing(() => this.#get(`/commit/${hash}`, signal));
    return data === undefined
      ? undefined
      : toReviewer(parseReply(commit, data, this.#options.host).author?.user);
  }

  async #get(path: string, signal: Signal): Promise<unknown> {
    return await this.#options.ask({ method: 'GET', path }, signal);
  }
}

/** Programs have accounts of other types. */
function toReviewer(user: z.infer<typeof account> | null | undefined): Reviewer | undefined {
  if (user?.type !== 'user') return undefined;
  return { id: user.uuid, name: user.nickname ?? user.display_name ?? user.uuid };
}
