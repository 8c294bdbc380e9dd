import { join } from 'node:path';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { type Pace, paceOf, startPacer } from '../load/pacer.ts';
import { addProject, type Server, startBare, startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { type CpuTimes, cpuTimes, since } from '../usage.ts';

const rate = 500;
const seconds = 5;
const rounds = 3;
const warmUp = { seconds: 3, seed: 100 };

/** Microseconds of CPU time per answer. */
interface Cost {
  all: number;
  main: number;
  writer: number;
}

interface Measured extends Pace {
  cost: Cost;
}

/** What a hit costs, and how long it takes, at a rate that is far from the most that the server takes. */
export async function measureSteady(bench: Bench): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'steady');
  const project = await addProject(bench, dataDir);
  await using bare = await startBare(bench);
  await using headcount = await startHeadcount(bench, dataDir, project);
  await send(bench, bare, warmUp);
  await send(bench, headcount, warmUp);
  const results: { bare: Measured; headcount: Measured }[] = [];
  for (let seed = 1; seed <= rounds; seed++) {
    results.push({
      bare: await send(bench, bare, { seconds, seed }),
      headcount: await send(bench, headcount, { seconds, seed }),
    });
  }
  const of = (value: (round: (typeof results)[number]) => number) => median(results.map(value));
  const microseconds = (value: (cost: Cost) => number) =>
    Math.round(of(({ headcount: { cost } }) => value(cost)));
  const all = microseconds((cost) => cost.all);
  const p99 = of((round) => round.headcount.p99);
  return [
    { what: `CPU time per hit at ${rate} hits/s`, value: `${all} µs`, target: atMost(all, 150, ' µs') },
    {
      what: 'of it the main thread and the writer',
      value: `${microseconds((cost) => cost.main)} and ${microseconds((cost) => cost.writer)} µs`,
    },
    {
      what: 'of a bare server in the same run',
      value: `${Math.round(of((round) => round.bare.cost.all))} µs`,
    },
    {
      what: 'ratio to a bare server',
      value: of((round) => round.headcount.cost.all / round.bare.cost.all).toFixed(2),
    },
    {
      what: 'ratio of the main thread to a bare server',
      value: of((round) => round.headcount.cost.main / round.bare.cost.main).toFixed(2),
    },
    { what: 'median', value: `${of((round) => round.headcount.p50).toFixed(1)} ms` },
    { what: '99th percentile', value: `${p99.toFixed(1)} ms`, target: atMost(p99, 30, ' ms') },
  ];
}

async function send(
  bench: Bench,
  { pid, port, projectId }: Server,
  options: { seconds: number; seed: number },
): Promise<Measured> {
  const before = cpuTimes(pid);
  await using pacer = startPacer(bench, { port, projectId, rate, warmUpSeconds: 0, ...options });
  const pace = await paceOf(pacer);
  return { ...pace, cost: costOf(since(before, cpuTimes(pid)), pace.answers) };
}

function costOf(cpu: CpuTimes, answers: number): Cost {
  const all = Object.values(cpu).reduce((sum, time) => sum + time, 0);
  return { all: all / answers, main: cpu.main / answers, writer: cpu.writer / answers };
}
