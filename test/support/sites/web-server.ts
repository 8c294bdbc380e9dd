import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../machine/program.ts';

/** A real web server in a folder of its own. */
export interface WebServer {
  url: string;
  /** Its access log. */
  log: string;
  /** Requests a page, by default as a person in a browser. */
  get(path: string, headers?: Record<string, string>, method?: string): Promise<number>;
  /** Makes it open its log anew, as it is asked to after the old one was renamed. */
  reopen(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server program and waits until it answers. */
export async function startProgram(
  command: string,
  args: string[],
  env: Record<string, string>,
  url: string,
) {
  const child = spawn(findProgram(command) ?? command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  for (let tries = 0; ; tries++) {
    const isUp = await fetch(`${url}/ready`, { method: 'OPTIONS' }).then(
      async (response) => {
        await response.arrayBuffer();
        return true;
      },
      () => false,
    );
    if (isUp) return child;
    if (child.exitCode !== null || tries > 400) throw new Error(`${command} did not start: ${output}`);
    await pause(25);
  }
}

export async function stopProgram(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}
