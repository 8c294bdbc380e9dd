import { readdir, readFile } from 'node:fs/promises';

/** A process as every user of the machine sees it, and its environment, which only its own user does. */
export interface RunningProcess {
  pid: number;
  parent: number;
  commandLine: string;
  environment: string;
}

async function readProcess(pid: number): Promise<RunningProcess | undefined> {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'latin1');
  try {
    const stat = await read('stat');
    const commandLine = await read('cmdline');
    const environment = await read('environ').catch(() => '');
    // It became another program meanwhile, whose environment is not that of this command line.
    if ((await read('cmdline')) !== commandLine) return readProcess(pid);
    // The name in brackets may hold anything, brackets too.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return { pid, parent, commandLine: commandLine.replaceAll('\0', ' '), environment };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

export async function listProcesses(): Promise<RunningProcess[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return (await Promise.all(pids.map(readProcess))).filter((found) => found !== undefined);
}

/** Those that a process started, and those that these started. */
export function descendantsOf(pid: number, all: readonly RunningProcess[]): RunningProcess[] {
  const children = all.filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}
