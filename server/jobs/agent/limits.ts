import { totalmem } from 'node:os';

/** What one run of an agent may use up before it is ended with a named reason. */
export interface AgentLimits {
  /** Answers of the model. */
  steps: number;
  /** Input and output tokens of all steps together; those read from a cache count as what they cost. */
  tokens: number;
  /** Of the conversation as it is sent, in characters of JSON, four of which are about a token. */
  contextLength: number;
  /** In millionths of a dollar, where the price of the model is known. */
  cost: number;
  /** The whole run. */
  timeMs: number;
  /** Tries of one request before a passing error ends the run. */
  tries: number;
  /** The longest wait that a run sits out; a longer one is left to the queue. */
  retryAfterMs: number;
  /** Checking what it changed. */
  checkMs: number;
  changedFiles: number;
  /** Sizes of the changed files added up. */
  changedBytes: number;
  /** One file, read or written. */
  fileBytes: number;
  /** Of an outside agent with all that it starts. */
  memoryBytes: number;
  processes: number;
}

export const defaultLimits: AgentLimits = {
  steps: 60,
  tokens: 2_000_000,
  contextLength: 400_000,
  cost: Number.POSITIVE_INFINITY,
  timeMs: 30 * 60_000,
  tries: 5,
  retryAfterMs: 60_000,
  checkMs: 60_000,
  changedFiles: 300,
  changedBytes: 2_000_000,
  fileBytes: 1_000_000,
  memoryBytes: Math.min(4_000_000_000, totalmem() / 2),
  processes: 256,
};

/** Calls of tools in one answer that are carried out; the prompt says so. */
export const maxCallsAtOnce = 30;
