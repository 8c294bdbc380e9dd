import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** A program to run once. */
export interface ProgramCall {
  program: string;
  args: readonly string[];
  cwd: string;
  /** All of its environment. */
  env: Readonly<Record<string, string>>;
  input?: string | Uint8Array | undefined;
  /** Largest output. */
  maxBytes: number;
  timeoutMs: number;
}

/** How a program ended; `lost` is one whose end nobody saw, as the launcher was gone. */
export type ProgramEnd =
  | { end: 'exited' /** -1 for death by a signal. */; code: number; stdout: Uint8Array; stderr: string }
  | { end: 'timed_out' | 'too_large' | 'stopped' | 'not_started' | 'lost' };

const maxStderrBytes = 16_384;
/** What a signalled git needs to take its lock files away. */
const graceMs = 2_000;

/** A program at work, in a process group of its own. */
export class ProgramRun {
  readonly #child: ChildProcess;
  readonly ended: Promise<ProgramEnd>;
  #stopped: ProgramEnd | undefined;
  #kill: NodeJS.Timeout | undefined;

  constructor(call: ProgramCall) {
    const { program, args, cwd, env } = call;
    this.#child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' });
    this.ended = this.#run(call);
  }

  /** Ends it with all that it started: asks first, so that git removes its lock files. */
  stop(end: 'timed_out' | 'too_large' | 'stopped' = 'stopped'): void {
    if (this.#stopped) return;
    this.#stopped = { end };
    this.#signal('SIGTERM');
    this.#kill = setTimeout(() => this.#signal('SIGKILL'), graceMs);
  }

  async #run({ input, maxBytes, timeoutMs }: ProgramCall): Promise<ProgramEnd> {
    const { stdin, stdout, stderr } = this.#child;
    const timer = setTimeout(() => this.stop('timed_out'), timeoutMs);
    try {
      const [code, output, errors] = await Promise.all([
        exitOf(this.#child),
        stdout ? collect(stdout, maxBytes, () => this.stop('too_large')) : Buffer.alloc(0),
        stderr ? collectTail(stderr) : '',
        feed(stdin, input),
      ]);
      return this.#stopped ?? { end: 'exited', code, stdout: output, stderr: errors };
    } catch {
      return { end: 'not_started' };
    } finally {
      clearTimeout(timer);
      clearTimeout(this.#kill);
    }
  }

  #signal(name: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // The whole group is gone already.
    }
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
}

async function collect(stream: Readable, maxBytes: number, tooLarge: () => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) tooLarge();
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function collectTail(stream: Readable): Promise<string> {
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    tail = Buffer.concat([tail, chunk]).subarray(-maxStderrBytes);
  }
  return tail.toString('utf8');
}

/** A program that has read enough closes its input: that is no error; its exit code counts. */
function feed(stdin: ChildProcess['stdin'], input: string | Uint8Array | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (!stdin) return resolve();
    stdin.on('error', () => resolve());
    stdin.end(input, () => resolve());
  });
}
