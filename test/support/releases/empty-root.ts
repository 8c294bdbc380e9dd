import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Finished, runStarted, type ServerProcess, type Start, startProcess } from '../child.ts';
import { keptOnce } from '../dataset/kept.ts';
import { findProgram } from '../machine/program.ts';

const home = join(import.meta.dirname, '..', '..', '..');

/** The one file of this checkout, made if that was not done yet. */
export async function buildBinary(): Promise<string> {
  const made = await keptOnce('binary', async (folder) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['build.mjs', '--binary'], { cwd: home });
    await writeFile(join(folder, 'path'), join(home, stdout.trim()));
  });
  return await readFile(join(made, 'path'), 'utf8');
}

/**
 * A machine with nothing on it but the one file as `/headcount` and the libraries that Node needs: no shell, no folder for
 * temporary files, no home. Its network is ours.
 */
export interface EmptyRoot {
  /** What is `/data` in there. */
  dataDir: string;
  run(args: string[], input?: string): Promise<Finished>;
  /** Runs a command that has to work. @returns what it printed */
  mustRun(args: string[], input?: string): Promise<string>;
  serve(): Promise<ServerProcess>;
  remove(): Promise<void>;
}

export interface EmptyRootOptions {
  env?: Record<string, string>;
  /** Further files and folders, by their names in there; what can be written to begins with `+`. */
  mounts?: Record<string, string>;
}

export async function makeEmptyRoot(
  binary: string,
  { env = {}, mounts = {} }: EmptyRootOptions = {},
): Promise<EmptyRoot> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-root-'));
  const seen = { '/headcount': binary, '+/data': dataDir, ...byOwnName(librariesOf(binary)), ...mounts };
  const binds = Object.entries(seen).flatMap(([name, path]) =>
    name.startsWith('+') ? ['--bind', path, name.slice(1)] : ['--ro-bind', path, name],
  );
  const settings = { HEADCOUNT_DATA_DIR: '/data', HEADCOUNT_OFFLINE: '1', ...env };
  const start: Start = (args, given) =>
    spawn(
      'bwrap',
      [
        ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session'],
        ...['--proc', '/proc', '--dev', '/dev', ...binds, '--chdir', '/', '--', '/headcount', ...args],
      ],
      { env: { PATH: process.env.PATH, ...settings, ...given }, stdio: 'pipe' },
    );
  const run = (args: string[], input?: string) => runStarted(start(args, {}), input);
  return {
    dataDir,
    run,
    mustRun: async (args, input) => {
      const { code, stdout, stderr } = await run(args, input);
      if (code !== 0) throw new Error(`headcount ${args.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    },
    serve: () => startProcess({}, start),
    remove: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** git, and what it runs to reach a repository by http. */
export function gitFiles(): Record<string, string> {
  const git = String(findProgram('git'));
  const folder = execFileSync(git, ['--exec-path'], { encoding: 'utf8' }).trim();
  const libraries = [git, join(folder, 'git-remote-http')].flatMap(librariesOf);
  return byOwnName([git, folder, ...libraries]);
}

/** Loader included. */
function librariesOf(program: string): string[] {
  return execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+(?= \(0x)/g) ?? [];
}

function byOwnName(paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, path]));
}
