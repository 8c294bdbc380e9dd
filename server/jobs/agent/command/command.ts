import { readdir, readFile } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { JobFailure } from '../../failure.ts';
import { excerpt } from '../../text/excerpt.ts';
import { createRedactor } from '../../text/redaction.ts';
import { type AgentLimits, defaultLimits } from '../limits.ts';
import { type AgentEvent, type AgentResult, describeAbort } from '../result.ts';
import { type ExitCode, runInGroup } from './process-group.ts';
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
    ? new JobFailure('processes', `The agent started more than ${processes} processes and was stopped.`)
    : new JobFailure(
        'memory',
        `The agent took more than ${Math.round(memoryBytes / 1_000_000)} MB of memory and was stopped.`,
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
      ? ' Where it is outside of /usr, name its folder in HEADCOUNT_AGENT_READABLE_FOLDERS.'
      : '';
    const message = `The program "${program}" could not be started. Install it, or correct the command of the agent.${where}`;
    return new JobFailure('command_settings', message);
  }
  const how = code === null ? 'was killed' : `ended with status ${code}`;
  const last = output.lastLines(maxFailureLines) || '(none)';
  return new JobFailure('command_failed', `The program "${program}" ${how}. Its last output: ${last}`);
}

const maxLineLength = 2_000;
/** What becomes events in all; the rest is read and dropped, so that the program is not held up. */
const maxOutputLength = 200_000;
const maxEvents = 2_000;
const keptLines = 100;

type OutputStream = 'stdout' | 'stderr';

/** Lines that an outside program wrote, as events, without secrets, and the last of them to quote from. */
class CommandOutput {
  readonly #redact: (text: string) => string;
  readonly #onEvent: (event: AgentEvent) => void | Promise<void>;
  readonly #onFault: () => void;
  readonly #streams = { stdout: new LineReader(), stderr: new LineReader() };
  readonly #kept: { stream: OutputStream; line: string }[] = [];
  #length = 0;
  #events = 0;
  #sending: Promise<void> = Promise.resolve();
  #fault: unknown;

  /** @param onFault is called once `onEvent` has thrown; `end` throws the same again. */
  constructor(
    redact: (text: string) => string,
    onEvent: (event: AgentEvent) => void | Promise<void>,
    onFault: () => void,
  ) {
    this.#redact = redact;
    this.#onEvent = onEvent;
    this.#onFault = onFault;
  }

  take(stream: OutputStream, chunk: Buffer): void {
    this.#add(stream, this.#streams[stream].read(chunk));
  }

  /** Waits until all events are delivered. */
  async end(): Promise<void> {
    this.#add('stdout', this.#streams.stdout.end());
    this.#add('stderr', this.#streams.stderr.end());
    await this.#sending;
    if (this.#fault !== undefined) throw this.#fault;
  }

  lastLines(count: number, stream?: OutputStream): string {
    const lines = this.#kept.filter((kept) => stream === undefined || kept.stream === stream);
    return lines
      .slice(-count)
      .map(({ line }) => line)
      .join('\n')
      .trim();
  }

  #add(stream: OutputStream, rawLines: string[]): void {
    // Together: what is secret may be spread over lines.
    const redacted = this.#redact(rawLines.join('\n')).split('\n');
    const lines = redacted.map((line) => excerpt(line, maxLineLength));
    this.#kept.push(...lines.map((line) => ({ stream, line })));
    this.#kept.splice(0, this.#kept.length - 2 * keptLines);
    const text = lines.join('\n');
    if (text.trim() === '' || this.#length > maxOutputLength || this.#events >= maxEvents) return;
    this.#length += text.length;
    this.#events += 1;
    this.#sending = this.#sending.then(() => this.#send({ type: 'output', stream, text }));
  }

  async #send(event: AgentEvent): Promise<void> {
    if (this.#fault !== undefined) return;
    try {
      await this.#onEvent(event);
    } catch (error) {
      this.#fault = error;
      this.#onFault();
    }
  }
}

/** Cuts a stream of bytes into lines without colours and cursor movements. */
class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  read(chunk: Buffer): string[] {
    const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n|\r/);
    this.#rest = lines.pop() ?? '';
    // A line may be endless.
    if (this.#rest.length > 10 * maxLineLength) lines.push(...this.#takeRest());
    return lines.map(plain);
  }

  end(): string[] {
    this.#rest += this.#decoder.end();
    return this.#takeRest().map(plain);
  }

  #takeRest(): string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}

function plain(line: string): string {
  return stripVTControlCharacters(line).replace(/[^\P{Cc}\t]/gu, '');
}

/** What a program and all that it started may take. */
interface ProcessLimits {
  memoryBytes: number;
  processes: number;
}

/** In this time a process can take some 100 MB. */
const lookMs = 100;

/**
 * Watches a process and everything below it until it is stopped: `onExcess` is called once they take more than
 * they may. Linux only; it works without the rights that control groups want.
 */
function watchProcesses(
  pid: number,
  limits: ProcessLimits,
  onExcess: (limit: keyof ProcessLimits) => void,
): () => void {
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      const excess = await findExcess(pid, limits);
      if (excess !== undefined && !isOver) return onExcess(excess);
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
  };
  void look();
  return () => {
    isOver = true;
  };
}

async function findExcess(pid: number, limits: ProcessLimits): Promise<keyof ProcessLimits | undefined> {
  const pids = await listTree(pid, limits.processes);
  if (pids.length > limits.processes) return 'processes';
  const resident = await sum(pids, 'status', /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  if (resident <= limits.memoryBytes) return undefined;
  // Pages that a process shares with its children count once for each of them there, and once in all here.
  const proportional = await sum(pids, 'smaps_rollup', /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return proportional > limits.memoryBytes ? 'memoryBytes' : undefined;
}

/** At least `max` + 1 of them where there are more than `max`. */
async function listTree(root: number, max: number): Promise<number[]> {
  const found = [root];
  for (let at = 0; at < found.length && found.length <= max; at += 1) {
    found.push(...(await listChildren(found[at] as number)));
  }
  return found;
}

async function listChildren(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)));
  return texts.flatMap((text) =>
    text
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  );
}

async function sum(pids: readonly number[], file: string, pattern: RegExp): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => read(`/proc/${pid}/${file}`)));
  const kilobytes = texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => Number(match[1])));
  return kilobytes.reduce((total, size) => total + size * 1024, 0);
}

/** Empty for a process that has ended meanwhile. */
async function read(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
