import type { VisitorsReply } from '../../shared/reports/analytics.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { floodAndCheck } from '../load/flood.ts';
import { type PaceTask, startPacer } from '../load/pacer.ts';
import { type HeadcountServer, startHeadcount } from '../server.ts';
import { median, percentile } from '../statistics.ts';
import { cpuTimes } from '../usage.ts';

const rounds = 4;
const reportsPerRound = 60;

/** The first page of a year's visitors while hits come in, and the same with a thousand times the counts. */
export async function measureReports(bench: Bench): Promise<Finding[]> {
  const year = await bench.year();
  await using server = await startHeadcount(bench, year.dataDir, year.project);
  await using thousandfold = await startHeadcount(bench, year.thousandfoldDir, year.project);
  await floodAndCheck(bench, thousandfold, { seconds: 2, seed: 100 });
  await floodAndCheck(bench, server, { seconds: 2, seed: 100 });
  const full = await floodAndCheck(bench, server, { seconds: 5, seed: 1 });
  const rate = Math.round(full.rate / 2);

  const readerBefore = cpuTimes(server.pid).reader;
  const times: number[] = [];
  const thousandfoldTimes: number[] = [];
  for (let seed = 1; seed <= rounds; seed++) {
    times.push(...(await timeReports(bench, server, { rate, seed, range: year.range })));
    thousandfoldTimes.push(...(await timeReports(bench, thousandfold, { rate, seed, range: year.range })));
  }
  const readerMs = (cpuTimes(server.pid).reader - readerBefore) / 1000 / times.length;
  const p95 = percentile(times, 0.95);
  const thousandfoldP95 = percentile(thousandfoldTimes, 0.95);
  const ratio = thousandfoldP95 / p95;
  return [
    { what: 'hits/s meanwhile', value: String(rate) },
    { what: `median of ${times.length}, ${year.days} days`, value: `${median(times).toFixed(1)} ms` },
    { what: 'CPU time of its thread', value: `${readerMs.toFixed(1)} ms` },
    { what: '95th percentile', value: `${p95.toFixed(1)} ms`, target: atMost(p95, 50, ' ms') },
    { what: 'median, a thousand times the views', value: `${median(thousandfoldTimes).toFixed(1)} ms` },
    { what: '95th percentile, a thousand times the views', value: `${thousandfoldP95.toFixed(1)} ms` },
    { what: 'ratio of the two', value: ratio.toFixed(2), target: atMost(ratio, 1.2) },
  ];
}

/** Milliseconds that each of some reports took, one after the other, while hits come in at a constant rate. */
export async function timeReports(
  bench: Bench,
  server: HeadcountServer,
  { rate, seed, range }: { rate: number; seed: number; range: string },
): Promise<number[]> {
  const { port, projectId } = server;
  const task: PaceTask = { port, projectId, rate, seconds: 60, warmUpSeconds: 0, seed };
  await using pacer = startPacer(bench, task);
  await pacer.said(/sending/);
  const times: number[] = [];
  for (let i = 0; i < reportsPerRound; i++) {
    const startAt = performance.now();
    const { visitors } = await server.get<VisitorsReply>(`visitors?${range}`);
    times.push(performance.now() - startAt);
    if (visitors.length !== 50) throw new Error(`The report has ${visitors.length} rows.`);
  }
  pacer.send('SIGTERM');
  await pacer.ended();
  return times;
}
