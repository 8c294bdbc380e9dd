import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/** Runs a server with a new data folder, given in `env`, for as long as it is used, and stops it in an orderly way. */
export async function runServer(
  args: string[],
  env: Record<string, string>,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const server = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HEADCOUNT_PORT: '0', HEADCOUNT_OFFLINE: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    await use(await readWelcome(server));
  } finally {
    server.kill();
    await ended;
  }
}

/** A server and its first project. */
export interface Served {
  port: string;
  project: string;
}

async function readWelcome({ stdout }: ChildProcess): Promise<Served> {
  let said = '';
  for await (const text of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    said += text;
    const port = /port (\d+)/.exec(said)?.[1];
    const project = /data-project="([^"]+)"/.exec(said)?.[1];
    if (port && project) return { port, project };
  }
  throw new Error(`The server did not start: ${said}`);
}

/** What comes first in the life of a server. */
export async function useServer({ port, project }: Served): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  const send = (path: string) =>
    fetch(`${url}/v1/hit`, {
      method: 'POST',
      headers: { 'user-agent': userAgent },
      body: JSON.stringify({ p: project, u: `http://localhost${path}` }),
    });
  const answers = [await fetch(`${url}/hc.js`), await send('/'), await send('/docs')];
  const statuses = answers.map(({ status }) => status);
  if (statuses.join() !== '200,202,202') throw new Error(`The server answered ${statuses.join()}.`);
}
