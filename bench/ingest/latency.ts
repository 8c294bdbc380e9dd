import { join } from 'node:path';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { floodAndCheck } from '../load/flood.ts';
import { paceOf, startPacer } from '../load/pacer.ts';
import { profile } from '../load/profile.ts';
import { addProject, startHeadcount } from '../server.ts';

/** How long an acknowledged hit takes at half the rate that the same server has just reached. */
export async function measureLatency(bench: Bench): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'latency');
  const project = await addProject(bench, dataDir);
  await using headcount = await startHeadcount(bench, dataDir, project);
  await floodAndCheck(bench, headcount, { seconds: 3, seed: 100 });
  const full = await floodAndCheck(bench, headcount, { seconds: 5, seed: 1 });
  bench.log(`full rate  ${profile(full)}`);
  const rate = Math.round(full.rate / 2);
  const task = {
    port: headcount.port,
    projectId: project.projectId,
    rate,
    seconds: 12,
    warmUpSeconds: 2,
    seed: 2,
  };
  await using pacer = startPacer(bench, task);
  const { answers, p50, p99, max } = await paceOf(pacer);
  if (answers !== task.rate * task.seconds) throw new Error(`${answers} requests were answered.`);
  return [
    { what: 'hits/s', value: String(rate) },
    { what: 'median', value: `${p50.toFixed(1)} ms` },
    { what: '99th percentile', value: `${p99.toFixed(1)} ms`, target: atMost(p99, 50, ' ms') },
    { what: 'longest', value: `${max.toFixed(1)} ms` },
  ];
}
