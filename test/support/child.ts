import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { folderVariable } from './described/record.ts';
import { fromBundle, makeBundle, recorder } from './machine/bundle.ts';
import { compileCache } from './machine/compile-cache.ts';
import { engineEnvironment } from './store/chosen-engine.ts';

const root = join(import.meta.dirname, '..', '..');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** How Headcount is started with these words and variables, and no others. */
export type Start = (args: string[], env: Record<string, string>) => ChildProcess;

/** From its sources, with words for Node before them. */
export const startSources =
  (nodeArgs: string[]): Start =>
  (args, env) =>
    spawn(process.execPath, [...nodeArgs, join(root, 'headcount.js'), ...args], {
      env: { PATH: process.env.PATH, HEADCOUNT_LOG_FORMAT: 'text', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });

/** As `npm start` does. */
export const startWithFlags = startSources(manifest.config.flags.split(' '));

/** Named here, as what comes before headcount.js is read before headcount.js names it. */
const NODE_COMPILE_CACHE = compileCache;

/** @param nodeArgs more words for Node */
function startBundle(nodeArgs: string[], args: string[], env: Record<string, string>): ChildProcess {
  makeBundle();
  return startSources([...fromBundle, ...nodeArgs])(args, { NODE_COMPILE_CACHE, ...env });
}

/** Tests start the bundle, the demo and the bench the sources. */
const startUsual: Start =
  process.env[folderVariable] === undefined ? startSources([]) : (args, env) => startBundle([], args, env);

/** A server whose answers are held against the description of the API. */
const startRecorded: Start = (args, env) => {
  const folder = process.env[folderVariable];
  if (folder === undefined) return startUsual(args, env);
  return startBundle(['--require', recorder], args, { [folderVariable]: folder, ...env });
};

/** A command that is not waited for. */
export function startHeadcountCommand(
  args: string[],
  env: Record<string, string>,
): ChildProcessWithoutNullStreams {
  return startUsual(args, { HEADCOUNT_OFFLINE: '1', ...env }) as ChildProcessWithoutNullStreams;
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return output;
}

/** Runs a command of the real program to its end, from its sources where Node is given words. */
export async function runHeadcount(
  args: string[],
  env: Record<string, string> = {},
  nodeArgs: string[] = [],
  input = '',
): Promise<Finished> {
  const engine = await engineEnvironment(env);
  const start = nodeArgs.length > 0 ? startSources(nodeArgs) : startUsual;
  return runStarted(start(args, { HEADCOUNT_OFFLINE: '1', ...env, ...engine }), input);
}

/** Sends a process its input, and waits until it has ended. */
export async function runStarted(child: ChildProcess, input = ''): Promise<Finished> {
  child.stdin?.end(input);
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Runs a file of JavaScript in a process of its own to its end. */
export async function runScript(file: string): Promise<Finished> {
  const child = spawn(process.execPath, [file], { env: { PATH: process.env.PATH }, stdio: 'pipe' });
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

export interface ServerProcess {
  pid: number;
  url: string;
  /** What it has printed so far. */
  output: { stdout: string; stderr: string };
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code, null after a kill. */
  ended: Promise<number | null>;
}

/** The real server as a process of its own, on a free port; resolves when it says that it runs. */
export async function startProcess(
  env: Record<string, string>,
  start: Start = startRecorded,
): Promise<ServerProcess> {
  const engine = await engineEnvironment(env);
  const child = start(['serve'], { HEADCOUNT_OFFLINE: '1', HEADCOUNT_PORT: '0', ...env, ...engine });
  const output = collect(child);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!/listening on .* port (\d+)/.test(output.stdout)) {
    if (isOver) throw new Error(`The server did not start: ${output.stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const port = /port (\d+)/.exec(output.stdout)?.[1];
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    output,
    signal: (name) => child.kill(name),
    ended,
  };
}
