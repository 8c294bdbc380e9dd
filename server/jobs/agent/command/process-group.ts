import { type ChildProcess, spawn } from 'node:child_process';

/** How long output may still arrive after the program itself has ended. */
const drainMs = 1_000;

/**
 * Waits beside the program for the pipe on descriptor 3 to close, which happens when the server dies in whatever way,
 * and then kills the group: a killed server leaves no agent at work.
 */
const guarded = '(read -r _ <&3; kill -KILL 0) & exec 3<&-; exec "$@"';

interface GroupRun {
  argv: readonly string[];
  directory: string;
  /** The whole environment of the program. */
  env: Readonly<Record<string, string>>;
  input?: string;
  /** Ends the run: SIGTERM to the whole group, SIGKILL after the grace period. */
  signal: AbortSignal;
  graceMs: number;
  /** Called with the id of the program, which is also that of the group. Answers what is to be done at the end. */
  onStart?: ((pid: number) => () => void) | undefined;
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** Exit status, or null where a signal ended it. As in a shell, 127 means not found and 126 not executable. */
export type ExitCode = number | null;

/**
 * Runs a program in a process group of its own. When it ends, on its own accord or not, what is left of the group is
 * killed.
 *
 * @throws the system's error where not even a shell could be started.
 */
export async function runInGroup(run: GroupRun): Promise<ExitCode> {
  if (run.signal.aborted) return null;
  const child = spawn('/bin/sh', ['-c', guarded, 'sh', ...run.argv], {
    cwd: run.directory,
    env: run.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [stdin, stdout, stderr, guard] = child.stdio;
  // A program may end without reading its input, and the guard's end of the pipe dies with the group.
  for (const stream of [stdin, guard]) stream?.on('error', () => {});
  stdout.on('data', (chunk: Buffer) => run.onOutput('stdout', chunk));
  stderr.on('data', (chunk: Buffer) => run.onOutput('stderr', chunk));
  stdin.end(run.input ?? '');

  const finish = child.pid === undefined ? undefined : run.onStart?.(child.pid);
  const kill = (signal: NodeJS.Signals) => killGroup(child.pid, signal);
  let graceTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    kill('SIGTERM');
    graceTimer = setTimeout(() => kill('SIGKILL'), run.graceMs);
  };
  run.signal.addEventListener('abort', stop, { once: true });

  try {
    return await new Promise<ExitCode>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', (code) => {
        kill('SIGKILL');
        // A process that left the group may still hold the pipes open.
        const drained = setTimeout(() => closeAll(child.stdio), drainMs);
        child.on('close', () => {
          clearTimeout(drained);
          resolve(code);
        });
      });
    });
  } finally {
    finish?.();
    clearTimeout(graceTimer);
    run.signal.removeEventListener('abort', stop);
  }
}

function closeAll(streams: ChildProcess['stdio']): void {
  for (const stream of streams) stream?.destroy();
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}
