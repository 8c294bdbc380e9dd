/** Those that may be gone when the same step is tried again. */
const passingCodes = [
  'branch_changed',
  'disk_full',
  'internal',
  'locked',
  'mirror_damaged',
  'model_unavailable',
  'network',
  'rate_limited',
  'server_error',
  'timeout',
  'worktree_lost',
] as const;

/** Where the agent could not finish. */
type AgentCode =
  | 'aborted'
  | 'broken_answers'
  | 'bytes'
  | 'command_failed'
  | 'command_settings'
  | 'context'
  | 'files'
  | 'memory'
  | 'money'
  | 'model_refused'
  | 'model_rejected'
  | 'model_settings'
  | 'processes'
  | 'steps'
  | 'stuck'
  | 'time'
  | 'tokens';

/** Where git or a code host refused. */
type RepositoryCode =
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
  | 'not_merged'
  | 'open_pull_requests'
  | 'private_network'
  | 'protocol'
  | 'push_rejected'
  | 'too_large';

/** Why a step of a job could not be done. The transcript shows it beside the sentence. */
export type FailureCode = AgentCode | RepositoryCode | (typeof passingCodes)[number] | 'unknown';

/**
 * What ended a turn: an agent that did not finish, or something that git or a code host refused.
 * `message` is a sentence for the person who wrote the job or runs the server; it never holds a secret. A job may wait
 * and try again only while `passing` is true.
 */
export class JobFailure extends Error {
  readonly code: FailureCode;
  readonly passing: boolean;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: FailureCode,
    message: string,
    options: { retryAfterMs?: number | undefined } & ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'JobFailure';
    this.code = code;
    this.passing = passingCodes.some((passing) => passing === code);
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Without the cause, which may hold secrets. @param redact takes them out of the message. */
  redacted(redact: (text: string) => string): JobFailure {
    const { code, message, retryAfterMs } = this;
    return new JobFailure(code, redact(message), { retryAfterMs });
  }
}

/** What a rule of the server said of a commit, where another commit may satisfy it. */
export class PushRejected extends JobFailure {
  /** The server's own words, bounded and without what cannot be seen. */
  readonly said: string;

  constructor(message: string, said: string, options: ErrorOptions = {}) {
    super('push_rejected', message, options);
    this.said = said;
  }
}
