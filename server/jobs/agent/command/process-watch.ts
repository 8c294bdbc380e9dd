import { readdir, readFile } from 'node:fs/promises';

/** What a program and all that it started may take. */
export interface ProcessLimits {
  memoryBytes: number;
  processes: number;
}

/** In this time a process can take some 100 MB. */
const lookMs = 100;

/**
 * Looks at a process and everything below it until it is told to stop: `onExcess` is called once they take more than
 * they may. Linux only; it works without the rights that control groups want.
 */
export function watchProcesses(
  pid: number,
  limits: ProcessLimits,
  onExcess: (limit: keyof ProcessLimits) => void,
): () => void {
  let isOver = false;
  const look = async () => {
    while (!isOver) {
      const excess = await findExcess(pid, limits);
      if (excess !== undefined && !isOver) return onExcess(excess);
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
  };
  void look();
  return () => {
    isOver = true;
  };
}

async function findExcess(pid: number, limits: ProcessLimits): Promise<keyof ProcessLimits | undefined> {
  const pids = await listTree(pid, limits.processes);
  if (pids.length > limits.processes) return 'processes';
  const resident = await sum(pids, 'status', /^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm);
  if (resident <= limits.memoryBytes) return undefined;
  // Pages that a process shares with its children count once for each of them there, and once in all here.
  const proportional = await sum(pids, 'smaps_rollup', /^Pss_(?:Anon|Shmem):\s+(\d+) kB$/gm);
  return proportional > limits.memoryBytes ? 'memoryBytes' : undefined;
}

/** At least `max` + 1 of them where there are more than `max`. */
async function listTree(root: number, max: number): Promise<number[]> {
  const found = [root];
  for (let at = 0; at < found.length && found.length <= max; at += 1) {
    found.push(...(await listChildren(found[at] as number)));
  }
  return found;
}

async function listChildren(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const texts = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)));
  return texts.flatMap((text) =>
    text
      .split(' ')
      .filter((word) => word !== '')
      .map(Number),
  );
}

async function sum(pids: readonly number[], file: string, pattern: RegExp): Promise<number> {
  const texts = await Promise.all(pids.map((pid) => read(`/proc/${pid}/${file}`)));
  const kilobytes = texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => Number(match[1])));
  return kilobytes.reduce((total, size) => total + size * 1024, 0);
}

/** Empty for a process that has ended meanwhile. */
async function read(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
