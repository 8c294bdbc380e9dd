import { z } from 'zod';
import { type Host, parseReply } from '../call.ts';
import { unlessMissing } from '../missing.ts';
import type { GithubAsk } from '../talk/github.ts';
import { githubOwners, listOwners } from './code-owners.ts';
import {
  type ForgeReview,
  type Involved,
  nobody,
  type OwnedChange,
  type Owners,
  type Reviewer,
} from './review.ts';

type Signal = AbortSignal | undefined;

const login = z.object({ login: z.string() });
const involved = z.object({
  user: login.nullable(),
  requested_reviewers: z.array(login).nullish(),
  requested_teams: z.array(z.object({ slug: z.string() })).nullish(),
});
/** Null: a commit of nobody with an account, by its mail address. */
const commit = z.object({ author: login.extend({ type: z.string() }).or(z.object({})).nullable() });

/** Review requests; of code owners GitHub makes them by itself, where the plan of the repository has that. */
export class GithubReview implements ForgeReview {
  readonly #host: Host;
  readonly #ask: GithubAsk;

  constructor({ host, ask }: { host: Host; ask: GithubAsk }) {
    this.#host = host;
    this.#ask = ask;
  }

  async read(number: number, signal: Signal): Promise<Involved> {
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    const data = await this.#ask(route, { pull_number: number }, signal);
    const { user, requested_reviewers, requested_teams } = parseReply(involved, data, this.#host);
    const people = (requested_reviewers ?? []).map((one) => one.login);
    const teams = (requested_teams ?? []).map(({ slug }) => `${team}${slug}`);
    return { author: user?.login ?? null, asked: [...people, ...teams] };
  }

  async ask(number: number, { id }: Reviewer, signal: Signal): Promise<unknown> {
    const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers';
    const who = id.startsWith(team) ? { team_reviewers: [id.slice(team.length)] } : { reviewers: [id] };
    return await this.#ask(route, { pull_number: number, ...who }, signal);
  }

  async findOwners({ paths, readFirst }: OwnedChange): Promise<Owners> {
    const text = await readFirst(githubOwners.paths);
    if (text === undefined) return nobody;
    const owners = await listOwners(await githubOwners.parse(text), paths);
    // By mail addresses GitHub finds people alone.
    const named = owners.filter((owner) => owner.startsWith('@'));
    return { reviewers: named.map(toReviewer), areNamed: owners.length > 0 };
  }

  async findAuthor(ref: string, signal: Signal): Promise<Reviewer | undefined> {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}';
    const data = await unlessMissing(() => this.#ask(route, { ref, per_page: 1 }, signal));
    if (data === undefined) return undefined;
    const { author } = parseReply(commit, data, this.#host);
    if (author === null || !('login' in author) || author.type !== 'User') return undefined;
    return { id: author.login, name: author.login };
  }
}

/** No login has a slash. */
const team = 'team/';

function toReviewer(owner: string): Reviewer {
  const name = owner.slice(1);
  const slug = name.split('/')[1];
  return { id: slug === undefined ? name : `${team}${slug}`, name };
}
