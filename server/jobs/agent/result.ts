import { JobFailure } from '../failure.ts';

interface Tokens {
  input: number;
  output: number;
}

interface AgentDone {
  status: 'done';
  /** The agent's own words, with secrets taken out; at most 20,000 characters. */
  summary: string;
  tokens: Tokens;
}

interface AgentFailed {
  status: 'failed';
  /** With secrets taken out of its message. */
  failure: JobFailure;
  /** What the agent said last; may be empty. Bounded, and without secrets. */
  lastWords: string;
  tokens: Tokens;
}

export type AgentResult = AgentDone | AgentFailed;

/** The files do not take the changes of an earlier attempt: the turn has to begin anew, in new files. */
export class CannotGoOn extends Error {}

/** What happens in a run, for people to read as it happens. Texts are bounded and hold no secrets. */
export type AgentEvent =
  | { type: 'text'; text: string }
  | { type: 'summary'; text: string }
  | { type: 'tool'; tool: string; input: string; ok: boolean; output: string }
  | { type: 'retry'; message: string; waitMs: number }
  /** What is wrong with the change, and goes back to the model. */
  | { type: 'check'; findings: string[] }
  | { type: 'output'; stream: 'stdout' | 'stderr'; text: string };

/** Which of the two signals that end every run did so, if one did. */
export function describeAbort(
  task: { signal: AbortSignal; limits: { timeMs: number } },
  deadline: AbortSignal,
): JobFailure | undefined {
  if (task.signal.aborted) return new JobFailure('aborted', 'The agent was stopped before it finished.');
  if (!deadline.aborted) return undefined;
  const seconds = Math.round(task.limits.timeMs / 1_000);
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`;
  return new JobFailure('time', `The agent did not finish within ${time}. Ask for less at once.`);
}
