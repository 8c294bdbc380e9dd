import { readdirSync, readFileSync } from 'node:fs';

/** Microseconds of CPU time, by what they were spent in. */
export interface CpuTimes {
  main: number;
  /** The thread that writes to the database; a bare server has none. */
  writer: number;
  /** The reports' thread. */
  reader: number;
  /** V8's helpers: garbage collection and compilation. */
  v8: number;
  other: number;
}

const threadNames: Record<string, keyof CpuTimes> = {
  writer: 'writer',
  reader: 'reader',
  'node-V8Worker': 'v8',
};

/** CPU time that a Node process has had, by thread (proc(5), `schedstat` counts in nanoseconds). */
export function cpuTimes(pid: number): CpuTimes {
  const times: CpuTimes = { main: 0, writer: 0, reader: 0, v8: 0, other: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const name = readFileSync(`${folder}/comm`, 'utf8').trim();
    const [onCpu] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ');
    times[Number(thread) === pid ? 'main' : (threadNames[name] ?? 'other')] += Number(onCpu) / 1000;
  }
  return times;
}

export function since(before: CpuTimes, after: CpuTimes): CpuTimes {
  const names = Object.keys(before) as (keyof CpuTimes)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as CpuTimes;
}

/** The most memory that a process ever had, in MiB. */
export function peakMemory(pid: number): number {
  return readMemory(pid, 'VmHWM');
}

/** The memory that a process has now, in MiB. */
export function memory(pid: number): number {
  return readMemory(pid, 'VmRSS');
}

/** The memory that a process has now, in MiB; of pages that several share, each has its part. */
export function proportionalMemory(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s*(\d+) kB/m.exec(rollup)?.[1]) / 1024;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_status.5.html */
function readMemory(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}
