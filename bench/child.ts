import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** How long a program may take to end. */
const graceMs = 15_000;

/** A program in a process of its own; it ends with the scope it was started in, at the latest with the signal. */
export class Child implements AsyncDisposable {
  readonly pid: number;
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  readonly #command: string;
  readonly #closed: Promise<unknown>;
  #output = '';
  #errors = '';

  constructor(
    command: string,
    args: string[],
    { signal, cwd, env = {} }: { signal: AbortSignal; cwd?: string; env?: Record<string, string> },
  ) {
    this.#command = [command, ...args].join(' ');
    this.#process = spawn(command, args, {
      signal,
      cwd,
      killSignal: 'SIGKILL',
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.pid = this.#process.pid ?? 0;
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.#closed = once(this.#process, 'close');
    // Those who wait for it get the failure; nobody else needs to.
    this.#closed.catch(() => undefined);
  }

  /** Resolves when what it has printed matches. @throws Error where it ends before. */
  async said(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match) return match;
      await Promise.race([once(this.#process.stdout, 'data'), this.#closed]);
      if (this.#process.exitCode !== null && !pattern.test(this.#output)) throw this.#failure();
    }
  }

  /** What it printed, once it has ended. @throws Error where it did not end well. */
  async ended(): Promise<string> {
    await this.#closed;
    if (this.#process.exitCode !== 0) throw this.#failure();
    return this.#output;
  }

  send(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    const force = setTimeout(() => this.#process.kill('SIGKILL'), graceMs);
    await this.#closed.catch(() => undefined);
    clearTimeout(force);
  }

  #failure(): Error {
    const { exitCode, signalCode } = this.#process;
    return new Error(`${this.#command} ended with ${signalCode ?? exitCode}: ${this.#errors}${this.#output}`);
  }
}
