import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { floodAndCheck } from '../load/flood.ts';
import { addProject, startHeadcount } from '../server.ts';
import { memory } from '../usage.ts';

const idleMs = 60_000;

/** What a server keeps of the memory that a flood took, a minute after it. */
export async function measureIdleMemory(bench: Bench): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'idle-memory');
  const project = await addProject(bench, dataDir);
  await using headcount = await startHeadcount(bench, dataDir, project);
  const start = memory(headcount.pid);
  await floodAndCheck(bench, headcount, { seconds: 10, seed: 1 });
  const after = memory(headcount.pid);
  await pause(idleMs, undefined, { signal: bench.signal });
  const idle = memory(headcount.pid);
  const kept = (idle - start) / (after - start);
  const mebibytes = (value: number) => `${Math.round(value)} MiB`;
  return [
    { what: 'memory at the start', value: mebibytes(start) },
    { what: 'after ten seconds at full rate', value: mebibytes(after) },
    { what: 'a minute later', value: mebibytes(idle) },
    { what: 'of what the flood took, kept', value: kept.toFixed(2), target: atMost(kept, 0.5) },
  ];
}
