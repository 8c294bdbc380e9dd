import { z } from 'zod';
import { JobFailure } from '../../failure.ts';
import { type Host, type JsonRequest, parseReply } from '../call.ts';
import { unlessMissing } from '../missing.ts';
import { gitlabOwners, listOwners } from './code-owners.ts';
import {
  type ForgeReview,
  type Involved,
  nobody,
  type OwnedChange,
  type Owners,
  type Reviewer,
} from './review.ts';

type Signal = AbortSignal | undefined;

interface GitlabReviewOptions {
  host: Host;
  /** Of the project, below the API's address. */
  path: string;
  ask: (request: Omit<JsonRequest, 'headers'>, signal: Signal) => Promise<unknown>;
  mayWrite: (id: string, signal: Signal) => Promise<boolean>;
}

const user = z.object({ id: z.int(), username: z.string() });
const involved = z.object({ author: user.nullish(), reviewers: z.array(user).nullish() });
const users = z.array(user.extend({ public_email: z.string().nullish() }));
const commit = z.object({ author_email: z.string().nullish() });

/** Owners that are looked up. */
const maxOwners = 10;
/** The address that GitLab commits with for who hides the own one: https://docs.gitlab.com/user/profile/ */
const hiddenAddress = /^(\d+)-([\w.-]+)@users\.noreply\./;

/** Reviewers of merge requests. Code owners are who has to approve, and GitLab asks none of them for a review. */
export class GitlabReview implements ForgeReview {
  readonly #options: GitlabReviewOptions;

  constructor(options: GitlabReviewOptions) {
    this.#options = options;
  }

  async read(number: number, signal: Signal): Promise<Involved> {
    const { author, reviewers } = await this.#read(number, signal);
    return {
      author: author ? String(author.id) : null,
      asked: (reviewers ?? []).map(({ id }) => String(id)),
    };
  }

  /** All of them are named each time; without Premium, GitLab keeps one alone. */
  async ask(number: number, { id, name }: Reviewer, signal: Signal): Promise<unknown> {
    // GitLab passes over people without access, and in public projects asks anybody.
    if (!(await this.#options.mayWrite(id, signal))) throw refused(name, 'may not write to the project');
    const { reviewers } = await this.#read(number, signal);
    const ids = (reviewers ?? []).map((one) => one.id);
    if (ids.includes(Number(id))) return undefined;
    const body = { reviewer_ids: [...ids, Number(id)] };
    const request = { method: 'PUT', path: this.#pathOf(number), body } as const;
    const answer = this.#parse(involved, await this.#options.ask(request, signal));
    if (answer.reviewers?.some((one) => one.id === Number(id))) return undefined;
    throw refused(name, 'was not taken, as the plan of the project allows no more');
  }

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
    const path = `${this.#options.path}/repository/commits/${hash}?stats=false`;
    const data = await unlessMissing(() => this.#options.ask({ method: 'GET', path }, signal));
    const address = data === undefined ? undefined : this.#parse(commit, data).author_email;
    return address ? await this.#findByAddress(address, signal) : undefined;
  }

  /** Of other addresses than public ones GitLab tells nobody whose they are. */
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
    const path = `/users?${new URLSearchParams({ ...query, active: 'true', humans: 'true' })}`;
    return this.#parse(users, await this.#options.ask({ method: 'GET', path }, signal));
  }

  async #read(number: number, signal: Signal): Promise<z.infer<typeof involved>> {
    const request = { method: 'GET', path: this.#pathOf(number) } as const;
    return this.#parse(involved, await this.#options.ask(request, signal));
  }

  #pathOf(number: number): string {
    return `${this.#options.path}/merge_requests/${number}`;
  }

  #parse<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
    return parseReply(schema, data, this.#options.host);
  }
}

function toReviewer(found: z.infer<typeof user> | undefined): Reviewer | undefined {
  return found && { id: String(found.id), name: found.username };
}

function refused(name: string, why: string): JobFailure {
  return new JobFailure('forbidden', `${name} ${why}.`);
}
