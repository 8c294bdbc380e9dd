import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { leaveOut, needProgram } from '../machine/left-out.ts';

const program = join(import.meta.dirname, '../../..', 'headcount.js');

/** What somebody types once a text is there. */
export type Typed = [after: string, keys: string];

/** Runs a command on a terminal of its own. Resolves with its exit code and all that the terminal showed. */
export async function typeTo(
  context: TestContext,
  args: string[],
  env: Record<string, string>,
  typed: readonly Typed[],
): Promise<{ code: number | null; shown: string }> {
  needProgram(context, 'script');
  if (process.platform !== 'linux') leaveOut(context, 'script of util-linux makes the terminal');
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', HEADCOUNT_OFFLINE: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let seen = 0;
  const left = [...typed];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [next] = left;
    const at = next ? shown.indexOf(next[0], seen) : -1;
    if (!next || at < 0) return;
    seen = at + next[0].length;
    left.shift();
    child.stdin.write(next[1]);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, shown };
}
