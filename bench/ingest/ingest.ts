import { join } from 'node:path';
import { atLeast, atMost, type Bench, type Finding } from '../bench.ts';
import { type FloodResult, flood, floodAndCheck } from '../load/flood.ts';
import { profile } from '../load/profile.ts';
import { addProject, startBare, startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { peakMemory } from '../usage.ts';

const rounds = 3;
const warmUp = { seconds: 3, seed: 100 };

/** Hits per second, as a share of what a bare server answers; and the memory that this takes. */
export async function measureIngest(bench: Bench): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'ingest');
  const project = await addProject(bench, dataDir);
  await using bare = await startBare(bench);
  await using headcount = await startHeadcount(bench, dataDir, project);
  await flood(bench, bare, warmUp);
  await floodAndCheck(bench, headcount, warmUp);

  const results: { bare: FloodResult; headcount: FloodResult }[] = [];
  for (let seed = 1; seed <= rounds; seed++) {
    const options = { seconds: 5, seed };
    const result = {
      bare: await flood(bench, bare, options),
      headcount: await floodAndCheck(bench, headcount, options),
    };
    bench.log(`bare       ${profile(result.bare)}`);
    bench.log(`headcount  ${profile(result.headcount)}`);
    results.push(result);
  }
  const ratio = median(results.map((round) => round.headcount.rate / round.bare.rate));
  const megabytes = (peakMemory(headcount.pid) * 2 ** 20) / 1e6;
  return [
    { what: 'hits/s', value: String(Math.round(median(results.map((round) => round.headcount.rate)))) },
    {
      what: 'hits/s of a bare server',
      value: String(Math.round(median(results.map((round) => round.bare.rate)))),
    },
    { what: 'ratio to a bare server', value: ratio.toFixed(2), target: atLeast(ratio, 0.55) },
    {
      what: 'peak memory at full rate',
      value: `${Math.round(megabytes)} MB`,
      target: atMost(megabytes, 250, ' MB'),
    },
  ];
}
