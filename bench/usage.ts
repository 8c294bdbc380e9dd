import { globSync, readdirSync, readFileSync } from 'node:fs';

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

/** A clock tick of /proc in microseconds (getconf CLK_TCK). */
const tick = 10_000;

/** Microseconds of CPU time that a process and its children have had, those that have ended included. */
export function familyCpu(pid: number): number {
  const all = globSync('/proc/[0-9]*/stat')
    .map(statOf)
    .filter((stat) => stat.pid === pid || stat.parent === pid);
  return all.reduce((sum, stat) => sum + stat.own + (stat.pid === pid ? stat.ofEnded : 0), 0) * tick;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: what follows the name, which may have any characters. */
function statOf(file: string): { pid: number; parent: number; own: number; ofEnded: number } {
  try {
    const text = readFileSync(file, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, ofEndedUser = 0, ofEndedSystem = 0] = fields.slice(11, 15);
    return {
      pid: Number.parseInt(text, 10),
      parent: fields[1] ?? 0,
      own: user + system,
      ofEnded: ofEndedUser + ofEndedSystem,
    };
  } catch {
    // It has ended meanwhile.
    return { pid: 0, parent: 0, own: 0, ofEnded: 0 };
  }
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
