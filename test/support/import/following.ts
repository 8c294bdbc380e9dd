import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { engineEnvironment } from '../store/chosen-engine.ts';

const root = join(import.meta.dirname, '..', '..', '..');

export interface Following {
  /** Sends the signal; resolves when the process has ended. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; stdout: string; stderr: string }>;
  kill(): Promise<void>;
}

/** `headcount import --follow` as a process of its own, with people counted; resolves when it has caught up. */
export async function startFollowing(
  dataDir: string,
  projectId: string,
  files: string[],
  more: Record<string, string> = {},
): Promise<Following> {
  const args = ['import', ...files, '--follow', '--people', 'count', '--project', projectId, '--json'];
  const settings = { HEADCOUNT_OFFLINE: '1', HEADCOUNT_DATA_DIR: dataDir, ...more };
  const engine = await engineEnvironment(settings);
  const child = spawn(process.execPath, [join(root, 'headcount.js'), ...args], {
    env: { PATH: process.env.PATH, ...settings, ...engine },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const closed = once(child, 'close');
  while (!output.stderr.includes('Following ')) {
    if (child.exitCode !== null) throw new Error(`It does not follow: ${output.stderr}`);
    await pause(10);
  }
  return {
    stop: async (signal) => {
      child.kill(signal);
      const [code] = (await closed) as [number | null];
      return { code, ...output };
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
