import { type FailureCode, JobFailure } from '../failure.ts';
import { inSettings } from '../text/in-settings.ts';

const damaged = 'The local mirror of this repository was damaged; it is made again.';

/** What git wrote to stderr, without secrets: the cause of a failure, for the log. */
export class GitOutput extends Error {}

/** What git said, in the order in which the causes are looked for: the most specific first. */
const causes: readonly (readonly [RegExp, FailureCode, (url: string) => string])[] = [
  [
    /could not read (?:Username|Password)|Authentication failed|returned error: 401|Invalid username or (?:password|token)/i,
    'auth',
    (url) => `${url} rejected the token, or needs one: set a valid one ${inSettings('--forge-token-stdin')}.`,
  ],
  [
    /returned error: 403|Permission to .* denied|Write access to repository not granted|not allowed to push/i,
    'forbidden',
    (url) =>
      `The token may not write to ${url}: it needs the permission to write the contents of this repository.`,
  ],
  [
    /unable to update url base from redirection|returned error: 30\d|redirects? /i,
    'moved',
    (url) =>
      `${url} redirects to another address: set the repository's new address ${inSettings('--repository')}.`,
  ],
  [
    /repository .* not found|returned error: (?:404|410)|does not appear to be a git repository|not valid: is this a git repository/i,
    'not_found',
    (url) =>
      `There is no repository at ${url}, or the token may not see it: check the address, and that the token covers this repository.`,
  ],
  [
    /transport '.*' not allowed/i,
    'protocol',
    (url) => `The operator does not allow the protocol of ${url}: see HEADCOUNT_GIT_PROTOCOLS.`,
  ],
  [
    /SSL certificate problem|certificate verif|server certificate/i,
    'certificate',
    (url) =>
      `The certificate of ${url} could not be checked: renew it, or name your own authority with GIT_SSL_CAINFO.`,
  ],
  [
    /no space left on device|disk quota exceeded/i,
    'disk_full',
    () => 'The disk is full: make room in the data folder.',
  ],
  [
    /returned error: 429|rate limit|too many requests/i,
    'rate_limited',
    (url) => `${url} limits how often it may be called.`,
  ],
  [/returned error: 5\d\d/i, 'server_error', (url) => `${url} had an internal error.`],
  [
    /could not resolve|failed to connect|connection (?:reset|refused|timed out)|couldn't connect|recv failure|send failure|operation (?:timed out|too slow)|timed? ?out|early EOF|unexpected disconnect|remote end hung up|RPC failed|empty reply from server|gnutls|SSL_|transfer closed|unable to access|HTTP\/2 stream|expected flush|protocol error/i,
    'network',
    (url) => `The connection to ${url} failed or broke off.`,
  ],
  [
    /not our ref|couldn't find remote ref|upload-pack: not our/i,
    'missing_base',
    (url) => `${url} does not have this commit or branch any more.`,
  ],
  [
    /unable to create '.*\.lock'|cannot lock ref|another git process/i,
    'locked',
    () => 'Another git process holds a lock in the mirror of this repository.',
  ],
  [
    /loose object .* is corrupt|object file .* is empty|unable to read|bad object|bad tree|not a git repository|inflate|invalid object|invalid path in tree|index-pack|packfile|pack has|pack file|bad config|missing (?:blob|tree|commit)|could not parse|index file corrupt|could not read [0-9a-f]{40}|unable to find [0-9a-f]{40}|cannot read object|promisor|error reading|bad signature|is corrupt|wrong type|no such file or directory|unable to open object/i,
    'mirror_damaged',
    () => damaged,
  ],
  [
    /invalid path '/i,
    'bad_repository',
    () =>
      'The repository holds a path that no checkout may have, such as a spelling of ".git": remove it from the repository.',
  ],
];

/** @param stderr without secrets */
export function explainGit(
  stderr: string,
  call: { url: string | undefined; command: string; retryAfterMs?: number | undefined },
): JobFailure {
  const cause = new GitOutput(stderr.trim());
  if (call.url === undefined && fetching.test(stderr)) return damagedMirror(cause);
  for (const [pattern, code, sentence] of causes) {
    if (pattern.test(stderr)) {
      return new JobFailure(code, sentence(call.url ?? 'the repository'), {
        cause,
        retryAfterMs: call.retryAfterMs,
      });
    }
  }
  const last = stderr.trim().split('\n').at(-1) ?? '';
  return new JobFailure('unknown', `"git ${call.command}" failed: ${last.slice(0, 500)}`, {
    cause,
  });
}

/** A local call reaches for the network only when an object is missing that should be here. */
const fetching = /transport '.*' not allowed/;

/** Whether a local call failed as the mirror lacks an object: with the remote, git fetches it. */
export function lacksObject(error: unknown): boolean {
  return (
    error instanceof JobFailure && error.cause instanceof GitOutput && fetching.test(error.cause.message)
  );
}

/** Of a mirror that was just made, and cannot be read either: another one would be the same. */
export function unreadable({ cause }: JobFailure, url: string): JobFailure {
  const said = cause instanceof Error ? cause.message.split('\n').at(-1) : 'files of the commit did not come';
  return new JobFailure(
    'bad_repository',
    `Git cannot read what ${url} sends, also after a new start: ${said?.slice(0, 500)}`,
    { cause },
  );
}

/** Thrown where a mirror is used, it has that mirror made again. */
export function damagedMirror(cause?: Error): JobFailure {
  return new JobFailure('mirror_damaged', damaged, { cause });
}
