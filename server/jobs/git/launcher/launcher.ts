import { type ChildProcess, spawn } from 'node:child_process';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import type { Order, Outcome } from './launcher-process.ts';
import type { ProgramCall, ProgramEnd } from './program-run.ts';

/** A process that does nothing costs memory, and starting one takes some 50 ms. */
const idleMs = 10_000;

/**
 * Runs programs from a small process. Starting one copies the page tables of the process that starts it, and waits until the copy has
 * begun: 3 ms for each 100 MB, and much longer on a busy machine, during which a server would answer nobody.
 */
export class Launcher {
  readonly #waiting = new Map<number, (ended: ProgramEnd) => void>();
  #process: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** @param signal stops the program with all that it started */
  run(call: ProgramCall, signal?: AbortSignal): Promise<ProgramEnd> {
    clearTimeout(this.#idle);
    const launcher = this.#ready();
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const stop = () => send(launcher, { id, stop: true });
      this.#waiting.set(id, (ended) => {
        signal?.removeEventListener('abort', stop);
        this.#waiting.delete(id);
        this.#rest();
        resolve(ended);
      });
      launcher.ref();
      launcher.channel?.ref();
      send(launcher, { id, call });
      signal?.addEventListener('abort', stop);
      if (signal?.aborted) stop();
    });
  }

  /** Programs that still run are stopped. */
  close(): void {
    clearTimeout(this.#idle);
    if (!this.#process) return;
    if (this.#process.connected) this.#process.disconnect();
    this.#lost(this.#process);
  }

  #ready(): ChildProcess {
    if (this.#process?.connected) return this.#process;
    const launcher = startProcess('launcher.js', new URL('./launcher-process.ts', import.meta.url));
    launcher.on('message', ({ id, ended }: Outcome) => this.#waiting.get(id)?.(ended));
    for (const event of ['error', 'disconnect', 'exit']) launcher.on(event, () => this.#lost(launcher));
    this.#process = launcher;
    return launcher;
  }

  #lost(launcher: ChildProcess): void {
    if (this.#process !== launcher) return;
    this.#process = undefined;
    for (const end of [...this.#waiting.values()]) end({ end: 'lost' });
  }

  /** What waits for nothing keeps no process from its end. */
  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#process?.unref();
    this.#process?.channel?.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), idleMs).unref();
  }
}

function send(launcher: ChildProcess, order: Order): void {
  // Where it is gone, events report its end.
  if (launcher.connected) launcher.send(order, () => undefined);
}

/** Little is kept in it, and little is to be collected. */
const flags = ['--max-semi-space-size=1', '--v8-pool-size=1'];

/**
 * Starts a process of our own. Of our environment it has nothing but where compiled code is kept; it should end when the
 * channel to it does.
 *
 * @param part what `binary/bundle.ts` calls the script in the one file
 * @param script where it is otherwise; the build looks for `new URL('./….ts', import.meta.url)`
 */
function startProcess(part: string, script: URL): ChildProcess {
  const { NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, isSea() ? ['--part', part] : [...flags, fileURLToPath(script)], {
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
