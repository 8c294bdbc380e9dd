import { join } from 'node:path';
import { atMost, type Bench, type Finding } from './bench.ts';
import { paceOf, startPacer } from './pacer.ts';
import { addProject, startHeadcount } from './server.ts';
import { cpuTimes, since } from './usage.ts';

const rate = 500;
const seconds = 12;

/** What a hit costs, and how long it takes, at a rate that is far from the most that the server takes. */
export async function measureSteady(bench: Bench): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'steady');
  const project = await addProject(bench, dataDir);
  await using headcount = await startHeadcount(bench, dataDir, project);
  const { port, pid } = headcount;
  const send = async (length: number, seed: number) => {
    const task = { port, projectId: project.projectId, rate, seconds: length, warmUpSeconds: 0, seed };
    await using pacer = startPacer(bench, task);
    return await paceOf(pacer);
  };
  await send(3, 1);
  const before = cpuTimes(pid);
  const { answers, p50, p99 } = await send(seconds, 2);
  const cpu = since(before, cpuTimes(pid));
  const all = Object.values(cpu).reduce((sum, time) => sum + time, 0) / answers;
  const [main, writer] = [cpu.main / answers, cpu.writer / answers];
  return [
    {
      what: `CPU time per hit at ${rate} hits/s`,
      value: `${Math.round(all)} µs`,
      target: atMost(all, 150, ' µs'),
    },
    {
      what: 'of it the main thread and the writer',
      value: `${Math.round(main)} and ${Math.round(writer)} µs`,
    },
    { what: 'median', value: `${p50.toFixed(1)} ms` },
    { what: '99th percentile', value: `${p99.toFixed(1)} ms`, target: atMost(p99, 30, ' ms') },
  ];
}
