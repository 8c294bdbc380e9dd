/** Why a turn ended without being done. The transcript shows it beside a sentence. */
export type FailureReason =
  | 'steps'
  | 'tokens'
  | 'time'
  | 'files'
  | 'bytes'
  | 'stuck'
  | 'broken_answers'
  | 'context'
  | 'model_refused'
  | 'model_settings'
  | 'model_rejected'
  | 'model_unavailable'
  | 'command_settings'
  | 'command_failed'
  | 'aborted';

export interface Tokens {
  input: number;
  output: number;
}

export interface AgentDone {
  status: 'done';
  /** The agent's own words, with secrets taken out; at most 20,000 characters. */
  summary: string;
  tokens: Tokens;
}

export interface AgentFailed {
  status: 'failed';
  reason: FailureReason;
  /** A sentence that says what to do. */
  message: string;
  /** Whether the same turn may succeed later without anybody changing anything. */
  passing: boolean;
  /** How long the model's server asked to be left alone. */
  retryAfterMs?: number;
  tokens: Tokens;
}

export type AgentResult = AgentDone | AgentFailed;

/** What happens in a run, for people to read as it happens. Texts are bounded and hold no secrets. */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'tool'; tool: string; input: string; ok: boolean; output: string }
  | { type: 'retry'; message: string; waitMs: number }
  | { type: 'output'; stream: 'stdout' | 'stderr'; text: string };

/** Ends a run from wherever it is thrown. */
export class AgentFailure extends Error {
  readonly reason: FailureReason;
  readonly passing: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: FailureReason,
    message: string,
    options: { passing?: boolean; retryAfterMs?: number | undefined } & ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.passing = options.passing ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** @param clean takes secrets out of the message. */
  toResult(tokens: Tokens, clean: (text: string) => string): AgentFailed {
    const { reason, passing, retryAfterMs } = this;
    const result: AgentFailed = { status: 'failed', reason, message: clean(this.message), passing, tokens };
    return retryAfterMs === undefined ? result : { ...result, retryAfterMs };
  }
}

/** Which of the two signals that end every run did so, if one did. */
export function describeAbort(
  task: { signal: AbortSignal; limits: { timeMs: number } },
  deadline: AbortSignal,
): AgentFailure | undefined {
  if (task.signal.aborted) return new AgentFailure('aborted', 'The agent was stopped before it was done.');
  if (!deadline.aborted) return undefined;
  const seconds = Math.round(task.limits.timeMs / 1_000);
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return new AgentFailure('time', `The agent was not done after ${time}. Ask for less at once.`);
}
