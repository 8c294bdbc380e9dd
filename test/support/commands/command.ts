import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../server/command-line.ts';
import type { Finished } from '../child.ts';
import { engineEnvironment } from '../store/chosen-engine.ts';

/** A stream that remembers what is written to it. */
class Remembering extends Writable {
  #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  override toString(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** How a command is run to its end: here, or in a process of its own. */
export type Run = (args: string[], env?: Record<string, string>) => Promise<Finished>;

/**
 * Runs a command to its end in this process: nearly all the time of `runHeadcount` is the start of another. Only that
 * tests the process itself: its start and end, and who owns its files. Not with a server in this process, as both would
 * share one catalogue.
 */
export async function runHere(
  args: string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Finished> {
  const engine = await engineEnvironment(env);
  const [output, errors] = [new Remembering(), new Remembering()];
  const code = await runCommandLine(args, {
    env: { PATH: process.env.PATH, HEADCOUNT_LOG_FORMAT: 'text', HEADCOUNT_OFFLINE: '1', ...env, ...engine },
    input: Readable.from([Buffer.from(input)]),
    output,
    errors,
    untilStopped: () => new Promise(() => undefined),
  });
  return { code, stdout: String(output), stderr: String(errors) };
}
