import { JobFailure } from '../failure.ts';
import { excerpt } from '../text/excerpt.ts';
import { createRedactor } from '../text/redaction.ts';
import { CommandOutput } from './command-output.ts';
import type { AgentLimits } from './limits.ts';
import { type ExitCode, runInGroup } from './process-group.ts';
import { type AgentEvent, type AgentResult, describeAbort } from './result.ts';

const maxSummaryLength = 20_000;
const maxSummaryLines = 100;
const maxFailureLines = 5;

export interface CommandTask {
  /** The program and its arguments, run without a shell in between. */
  argv: readonly string[];
  /** The workspace. */
  directory: string;
  /** Sent on standard input. */
  prompt: string;
  /** The whole environment of the program: what the operator allows, and no token of a forge. */
  env: Readonly<Record<string, string>>;
  limits: Pick<AgentLimits, 'timeMs'>;
  /** How long the program may take to end after SIGTERM. */
  graceMs: number;
  secrets: readonly string[];
  signal: AbortSignal;
  /** Called as output comes. What it throws ends the run and is thrown to the caller. */
  onEvent: (event: AgentEvent) => void | Promise<void>;
}

/** Has an outside agent work off one prompt. What it changed is for the caller to check. */
export async function runCommand(task: CommandTask): Promise<AgentResult> {
  const redact = createRedactor(task.secrets);
  const tokens = { input: 0, output: 0 };
  const deadline = AbortSignal.timeout(task.limits.timeMs);
  const fault = new AbortController();
  const output = new CommandOutput(redact, task.onEvent, () => fault.abort());

  const code = await runInGroup({
    argv: task.argv,
    directory: task.directory,
    env: task.env,
    input: task.prompt,
    signal: AbortSignal.any([task.signal, deadline, fault.signal]),
    graceMs: task.graceMs,
    onOutput: (stream, chunk) => output.take(stream, chunk),
  });
  await output.end();

  const failure = findFailure(task, deadline, code, output);
  const words = excerpt(output.lastLines(maxSummaryLines, 'stdout'), maxSummaryLength);
  return failure === undefined
    ? { status: 'done', summary: words, tokens }
    : { status: 'failed', failure: failure.redacted(redact), lastWords: words, tokens };
}

function findFailure(
  task: CommandTask,
  deadline: AbortSignal,
  code: ExitCode,
  output: CommandOutput,
): JobFailure | undefined {
  const ended = describeAbort(task, deadline);
  if (ended !== undefined) return ended;
  if (code === 0) return undefined;
  const program = task.argv[0] ?? '';
  if (code === 126 || code === 127) {
    const message = `The program "${program}" could not be started. Install it, or correct the command of the agent.`;
    return new JobFailure('command_settings', message);
  }
  const how = code === null ? 'was killed' : `ended with status ${code}`;
  const last = output.lastLines(maxFailureLines) || '(none)';
  return new JobFailure('command_failed', `The program "${program}" ${how}. Its last words: ${last}`);
}
