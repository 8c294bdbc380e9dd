import { z } from 'zod';
import { type Host, type JsonRequest, parseReply } from '../call.ts';
import { unlessMissing } from '../missing.ts';
import { type ForgeReview, type Involved, nobody, type Owners, type Reviewer } from './review.ts';

type Signal = AbortSignal | undefined;

interface GiteaReviewOptions {
  host: Host;
  /** Of the repository. */
  ask: (request: Omit<JsonRequest, 'headers'>, signal: Signal) => Promise<unknown>;
}

const user = z.object({ login: z.string() });
const involved = z.object({
  user: user.nullish(),
  requested_reviewers: z.array(user.nullable()).nullish(),
  requested_reviewers_teams: z.array(z.object({ name: z.string() }).nullable()).nullish(),
});
const commit = z.object({ author: user.nullish() });

/**
 * Review requests. As it opens a pull request, and before it answers, Gitea itself asks those whom its CODEOWNERS names by
 * regular expressions; those who are asked already are all that has to be known of them.
 */
export class GiteaReview implements ForgeReview {
  readonly #options: GiteaReviewOptions;

  constructor(options: GiteaReviewOptions) {
    this.#options = options;
  }

  async read(number: number, signal: Signal): Promise<Involved> {
    const data = await this.#options.ask({ method: 'GET', path: `/pulls/${number}` }, signal);
    const found = parseReply(involved, data, this.#options.host);
    const people = (found.requested_reviewers ?? []).flatMap((one) => one?.login ?? []);
    const teams = (found.requested_reviewers_teams ?? []).flatMap((one) => one?.name ?? []);
    return { author: found.user?.login ?? null, asked: [...people, ...teams] };
  }

  async ask(number: number, { id }: Reviewer, signal: Signal): Promise<unknown> {
    const path = `/pulls/${number}/requested_reviewers`;
    return await this.#options.ask({ method: 'POST', path, body: { reviewers: [id] } }, signal);
  }

  async findOwners(): Promise<Owners> {
    return nobody;
  }

  async findAuthor(hash: string, signal: Signal): Promise<Reviewer | undefined> {
    const path = `/git/commits/${hash}?stat=false&verification=false&files=false`;
    const data = await unlessMissing(() => this.#options.ask({ method: 'GET', path }, signal));
    if (data === undefined) return undefined;
    const { author } = parseReply(commit, data, this.#options.host);
    return author ? { id: author.login, name: author.login } : undefined;
  }
}
