import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const recorder = join(import.meta.dirname, 'recorder.cjs');
/** Longer than the recorder waits between two times. */
const settleMs = 600;
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

/**
 * Runs a server out of a folder of assets, as the one file will, and answers what V8 made of its scripts, those that every
 * server runs first: a start that finds the functions it needs already compiled is faster.
 *
 * @param flags of V8, which only takes what it made with the same
 */
export async function recordCaches(assets: string, flags: string[]): Promise<Map<string, Buffer>> {
  const loader = join(assets, 'binary/loader.cjs');
  const plain = readFileSync(loader);
  writeFileSync(loader, `{${readFileSync(recorder, 'utf8')}}\n${plain}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'headcount-binary-'));
  const caches = mkdtempSync(join(tmpdir(), 'headcount-caches-'));
  try {
    await runServer([...flags, loader], { ASSETS: assets, CACHES: caches, HEADCOUNT_DATA_DIR: dataDir });
    return readCaches(caches);
  } finally {
    for (const folder of [dataDir, caches]) rmSync(folder, { recursive: true, force: true });
    writeFileSync(loader, plain);
  }
}

/** What several threads load is kept as the first has it. */
function readCaches(folder: string): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  // The threads' numbers come before `others`.
  for (const kind of readdirSync(folder).sort()) {
    for (const name of readdirSync(join(folder, kind)).sort()) {
      if (!found.has(name) && !name.endsWith('.new')) found.set(name, readFileSync(join(folder, kind, name)));
    }
  }
  return found;
}

async function runServer(args: string[], env: Record<string, string>): Promise<void> {
  const server = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HEADCOUNT_PORT: '0', HEADCOUNT_OFFLINE: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  try {
    await pause(settleMs);
    await useServer(await readWelcome(server));
    await pause(settleMs);
  } finally {
    server.kill();
    await ended;
  }
}

interface Welcome {
  port: string;
  project: string;
}

async function readWelcome({ stdout }: ChildProcess): Promise<Welcome> {
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
async function useServer({ port, project }: Welcome): Promise<void> {
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
