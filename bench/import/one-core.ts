import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { Child } from '../child.ts';
import { peakMemory } from '../usage.ts';

export interface Run {
  seconds: number;
  /** User and system, of all processes and threads. */
  cpuSeconds: number;
  /** The largest of its processes, in MiB. */
  peak: number;
  output: string;
}

/** Waits for the command and says what it took; what it prints goes to a file. */
const script = `TIMEFORMAT='took %R %U %S'; time "$@" > "$OUTPUT" 2>/dev/null`;
const pollMs = 50;

/** Runs a command with everything that it starts on the first core. */
export async function runOnOneCore(
  bench: Bench,
  command: string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const output = join(bench.folder, 'output');
  const args = ['-c', `{ ${script}; } 2>&1`, 'bash', 'taskset', '--cpu-list', '0', ...command];
  await using child = new Child('bash', args, { signal: bench.signal, env: { ...env, OUTPUT: output } });
  let peak = 0;
  const poll = setInterval(() => {
    peak = Math.max(peak, ...descendants(child.pid).map(memoryOf));
  }, pollMs);
  try {
    const [, seconds, user, system] = (await child.ended()).split(' ').map(Number);
    return {
      seconds: seconds ?? Number.NaN,
      cpuSeconds: (user ?? Number.NaN) + (system ?? Number.NaN),
      peak,
      output: await readFile(output, 'utf8'),
    };
  } finally {
    clearInterval(poll);
  }
}

/** proc_pid_task(5); nothing once it has ended. */
function descendants(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === ''
      ? []
      : children.split(' ').flatMap((one) => [Number(one), ...descendants(Number(one))]);
  } catch {
    return [];
  }
}

function memoryOf(pid: number): number {
  try {
    return peakMemory(pid) || 0;
  } catch {
    return 0;
  }
}
