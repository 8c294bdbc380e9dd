import { type FailureCode, JobFailure } from '../failure.ts';
import { parseRetryAfter } from '../retry-after.ts';
import { inSettings } from '../text/in-settings.ts';

/** What a refusal says about a pull request, where it says something. */
type RefusalMeaning = 'nothing' | 'no_draft' | 'head_missing' | 'base_missing' | undefined;

/** An answer of a code host that is none of the good ones, or no answer at all. */
export class ForgeRefusal extends Error {
  readonly failure: JobFailure;
  readonly status: number | undefined;
  readonly meaning: RefusalMeaning;

  constructor(failure: JobFailure, status: number | undefined, meaning: RefusalMeaning) {
    super(failure.message);
    this.failure = failure;
    this.status = status;
    this.meaning = meaning;
  }

  /** Whether a request to create something may have succeeded, now or earlier. */
  get mayHaveCreated(): boolean {
    const { status } = this;
    return status === undefined || status >= 500 || status === 409 || status === 422 || status === 400;
  }
}

interface FailedCall {
  /** Undefined: the connection failed or broke off. */
  status: number | undefined;
  headers: Headers;
  /** What the code host said, without secrets. */
  message: string;
  /** Milliseconds since 1970. */
  now: number;
}

interface Wording {
  /** The API's address. */
  url: string;
  /** What the token must be allowed to do, in the code host's own words. */
  permission: string;
}

/** A secondary limit of GitHub without a time means at least a minute. */
const unknownWaitMs = 60_000;

export function refuse(refusal: FailedCall, wording: Wording): ForgeRefusal {
  const meaning = meaningOf(refusal.message);
  return new ForgeRefusal(explain(refusal, wording, meaning), refusal.status, meaning);
}

function explain(refusal: FailedCall, { url, permission }: Wording, meaning: RefusalMeaning): JobFailure {
  const { status } = refusal;
  const said = saidBy(refusal.message);
  const fail = (code: FailureCode, text: string) => new JobFailure(code, text);
  if (status === undefined) return fail('network', `The connection to ${url} failed or broke off${said}`);
  if (isRateLimit(refusal)) {
    const retryAfterMs = waitOf(refusal);
    return new JobFailure('rate_limited', `${url} limits how often it may be called${said}`, {
      retryAfterMs,
    });
  }
  if (status >= 500) {
    const retryAfterMs = retryAfter(refusal);
    return new JobFailure('server_error', `${url} had an internal error (${status})${said}`, {
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
  if (status >= 300 && status < 400) {
    return fail(
      'moved',
      `${url} redirects to another address: set the new address of the repository or of the API ${inSettings('--repository or --forge-url')}.`,
    );
  }
  if (meaning === 'head_missing') {
    return fail('branch_changed', `${url} does not have the pushed branch yet${said}`);
  }
  if (meaning === 'base_missing') {
    return fail('missing_base', `${url} does not have the base branch any more${said}`);
  }
  return explainStatus(status, refusal, { url, permission });
}

function explainStatus(status: number, refusal: FailedCall, { url, permission }: Wording): JobFailure {
  const said = saidBy(refusal.message);
  const fail = (code: FailureCode, text: string) => new JobFailure(code, text);
  if (status === 401) {
    return fail(
      'auth',
      `${url} rejected the token${said} Set a valid one ${inSettings('--forge-token-stdin')}.`,
    );
  }
  if (status === 403) {
    const named = refusal.headers.get('x-accepted-github-permissions');
    return fail('forbidden', `The token may not do this at ${url}: it needs ${named ?? permission}${said}`);
  }
  if (status === 404) {
    return fail(
      'not_found',
      `${url} has no such repository, or does not show it to this token: check the address, and that the token covers the repository with ${permission}.`,
    );
  }
  if (status === 423 || /archived/i.test(refusal.message)) {
    return fail(
      'forbidden',
      `The repository is archived and takes no changes: take it out of the archive first.`,
    );
  }
  return fail('unknown', `${url} refused the pull request (${status})${said}`);
}

function isRateLimit({ status, headers, message }: FailedCall): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers.get('x-ratelimit-remaining') === '0' ||
    headers.has('retry-after') ||
    /rate limit|abuse detection/i.test(message)
  );
}

/** https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#rate-limit-errors */
function waitOf(refusal: FailedCall): number {
  const asked = retryAfter(refusal);
  if (asked !== undefined) return asked;
  const reset = Number(refusal.headers.get('x-ratelimit-reset') ?? refusal.headers.get('ratelimit-reset'));
  const exhausted =
    refusal.headers.get('x-ratelimit-remaining') === '0' || refusal.headers.has('ratelimit-reset');
  return exhausted && reset > 0 ? Math.max(1_000, reset * 1000 - refusal.now) : unknownWaitMs;
}

function retryAfter({ headers, now }: FailedCall): number | undefined {
  return parseRetryAfter(headers.get('retry-after'), now);
}

function meaningOf(message: string): RefusalMeaning {
  if (/no commits between|no changes between|there are no (?:changes|commits)/i.test(message)) {
    return 'nothing';
  }
  if (/draft pull requests? (?:are|is) not supported/i.test(message)) return 'no_draft';
  if (/"?(?:head|source_branch)"?\W.{0,40}(?:invalid|does not exist|not exist)/is.test(message)) {
    return 'head_missing';
  }
  if (/"?(?:base|target_branch)"?\W.{0,40}(?:invalid|does not exist|not exist)/is.test(message)) {
    return 'base_missing';
  }
  if (/\bsource\W{1,3}branch not found/i.test(message)) return 'head_missing';
  if (/\bdestination\W{1,3}branch not found/i.test(message)) return 'base_missing';
  return undefined;
}

function saidBy(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim().slice(0, 300);
  return line === '' ? '.' : `: ${line.replace(/[.\s]+$/, '')}.`;
}

/** Turns refusals into failures, for those who only want to know what to do. */
export async function failPlainly<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ForgeRefusal ? error.failure : error;
  }
}
