import { spawn } from 'node:child_process';
import { runStarted } from '../support/child.ts';

const timeoutMs = 20_000;

/** The blocks of code of a language, or all, in their order. */
export function snippetsOf(text: string, language?: string): string[] {
  const blocks = text.matchAll(/^([ \t]*)```(\w*)[^\n]*\n(.*?)^\1```/gms);
  return [...blocks]
    .filter(([, , name]) => language === undefined || name === language)
    .map(([, , , code = '']) => code);
}

/**
 * Runs JavaScript that a model wrote: without files, network and other programs, and not for long.
 *
 * @returns what went wrong, on one line
 */
export async function runSnippet(code: string): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--permission', '--input-type=module', '-'], {
    env: {},
    stdio: 'pipe',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const { code: exit, stderr } = await runStarted(child, code);
  if (exit === 0) return undefined;
  return /^\w*Error.*$/m.exec(stderr)?.[0] ?? `it ended with ${exit ?? 'a signal, after some seconds'}.`;
}
