import { JobFailure } from '../../failure.ts';
import { excerpt } from '../../text/excerpt.ts';
import { createRedactor } from '../../text/redaction.ts';
import { type AgentLimits, defaultLimits } from '../limits.ts';
import { type AgentEvent, type AgentResult, describeAbort } from '../result.ts';
import { CommandOutput } from './command-output.ts';
import { type ExitCode, runInGroup } from './process-group.ts';
import { type ProcessLimits, watchProcesses } from './process-watch.ts';
import { type Sandbox, sandboxCommand } from './sandbox.ts';

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
  limits: Pick<AgentLimits, 'timeMs'> & Partial<ProcessLimits>;
  /** What the program is shut into; undefined: it runs with all rights of the server. */
  sandbox?: Sandbox | undefined;
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
  const bounds = boundsOf(task);
  const excess = new AbortController();

  const code = await runInGroup({
    argv: await commandLineOf(task, bounds),
    directory: task.directory,
    env: task.env,
    input: task.prompt,
    signal: AbortSignal.any([task.signal, deadline, fault.signal, excess.signal]),
    graceMs: task.graceMs,
    onStart:
      task.sandbox &&
      ((pid) => watchProcesses(pid, bounds, (limit) => excess.abort(overLimit(limit, bounds)))),
    onOutput: (stream, chunk) => output.take(stream, chunk),
  });
  await output.end();

  const failure = findFailure(task, { deadline, excess: excess.signal }, code, output);
  const words = excerpt(output.lastLines(maxSummaryLines, 'stdout'), maxSummaryLength);
  return failure === undefined
    ? { status: 'done', summary: words, tokens }
    : { status: 'failed', failure: failure.redacted(redact), lastWords: words, tokens };
}

function boundsOf({ sandbox, limits }: CommandTask): ProcessLimits {
  const { memoryBytes = defaultLimits.memoryBytes, processes = defaultLimits.processes } = limits;
  const none = Number.POSITIVE_INFINITY;
  return sandbox ? { memoryBytes, processes } : { memoryBytes: none, processes: none };
}

async function commandLineOf(task: CommandTask, { processes }: ProcessLimits): Promise<readonly string[]> {
  const { argv, sandbox, directory: workspace, env } = task;
  // One process may have some threads.
  return sandbox
    ? await sandboxCommand(argv, { ...sandbox, workspace, env, processes: 8 * processes })
    : argv;
}

function overLimit(limit: keyof ProcessLimits, { memoryBytes, processes }: ProcessLimits): JobFailure {
  return limit === 'processes'
    ? new JobFailure('processes', `The agent started more than ${processes} processes, and was ended.`)
    : new JobFailure(
        'memory',
        `The agent took more than ${Math.round(memoryBytes / 1_000_000)} MB of memory, and was ended.`,
      );
}

function findFailure(
  task: CommandTask,
  { deadline, excess }: { deadline: AbortSignal; excess: AbortSignal },
  code: ExitCode,
  output: CommandOutput,
): JobFailure | undefined {
  if (excess.reason instanceof JobFailure) return excess.reason;
  const ended = describeAbort(task, deadline);
  if (ended !== undefined) return ended;
  if (code === 0) return undefined;
  const program = task.argv[0] ?? '';
  if (code === 126 || code === 127) {
    const where = task.sandbox
      ? ' Where it is outside of /usr, name its folder in HEADCOUNT_AGENT_FOLDERS.'
      : '';
    const message = `The program "${program}" could not be started. Install it, or correct the command of the agent.${where}`;
    return new JobFailure('command_settings', message);
  }
  const how = code === null ? 'was killed' : `ended with status ${code}`;
  const last = output.lastLines(maxFailureLines) || '(none)';
  return new JobFailure('command_failed', `The program "${program}" ${how}. Its last words: ${last}`);
}
