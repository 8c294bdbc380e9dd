/** Why a step of a job could not be done. */
export type FailureCode =
  | 'auth'
  | 'bad_forge'
  | 'bad_ref'
  | 'bad_repository'
  | 'branch_blocked'
  | 'certificate'
  | 'conflict'
  | 'empty_repository'
  | 'forbidden'
  | 'forbidden_change'
  | 'missing_base'
  | 'moved'
  | 'not_found'
  | 'protocol'
  | 'push_rejected'
  | 'too_large'
  | 'unknown'
  | PassingCode;

/** Those that may be gone when the same step is tried again. */
type PassingCode =
  | 'branch_changed'
  | 'disk_full'
  | 'locked'
  | 'mirror_damaged'
  | 'network'
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'worktree_lost';

const passingCodes: ReadonlySet<string> = new Set<PassingCode>([
  'branch_changed',
  'disk_full',
  'locked',
  'mirror_damaged',
  'network',
  'rate_limited',
  'server_error',
  'timeout',
  'worktree_lost',
]);

/**
 * What git, a code host or the workspace refused. `message` is a sentence for the person who wrote the job or runs
 * the server; it never holds a secret. A job may wait and try again only while `passing` is true.
 */
export class JobFailure extends Error {
  readonly code: FailureCode;
  readonly passing: boolean;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(code: FailureCode, message: string, options: { retryAfterMs?: number } & ErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'JobFailure';
    this.code = code;
    this.passing = passingCodes.has(code);
    this.retryAfterMs = options.retryAfterMs;
  }
}
