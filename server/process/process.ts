import { type ChildProcess, spawn } from 'node:child_process';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';

/** Little is kept in it, and little is to be collected. */
const flags = ['--max-semi-space-size=1', '--v8-pool-size=1'];

/**
 * Starts a process of our own. Of our environment it has nothing but where compiled code is kept; it should end when the
 * channel to it does.
 *
 * @param part what `binary/bundle.ts` calls the script in the one file
 * @param script where it is otherwise; the build looks for `new URL('./….ts', import.meta.url)`
 */
export function startProcess(part: string, script: URL): ChildProcess {
  const { NODE_COMPILE_CACHE } = process.env;
  return spawn(process.execPath, isSea() ? ['--part', part] : [...flags, fileURLToPath(script)], {
    env: NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
