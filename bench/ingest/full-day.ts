import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFile } from '../../server/store/sqlite/store.ts';
import { atLeast, type Bench, type Finding } from '../bench.ts';
import { floodAndCheck } from '../load/flood.ts';
import { profile } from '../load/profile.ts';
import { addProject, type HeadcountServer, startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { seedDay } from './seed-day.ts';

const visitors = 10_000_000;
const rounds = 3;

/**
 * Hits per second with a day that ten million visitors have seen, as a share of those with an empty one. A bare
 * server need not run beside them: its rate would divide both.
 */
export async function measureFullDay(bench: Bench): Promise<Finding[]> {
  const emptyDir = join(bench.folder, 'empty-day');
  const emptyProject = await addProject(bench, emptyDir);
  const fullDir = join(bench.folder, 'full-day');
  const fullProject = await addProject(bench, fullDir);
  await seedDay(fullDir, fullProject.projectId, visitors);
  const { size } = await stat(join(fullDir, databaseFile));
  bench.log(`${visitors} visitors of the day take ${Math.round(size / 2 ** 20)} MiB`);

  await using empty = await startHeadcount(bench, emptyDir, emptyProject);
  await using full = await startHeadcount(bench, fullDir, fullProject);
  await checkSeed(full);
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const options = { seconds: round === 0 ? 3 : 5, seed: round + 1 };
    const withEmpty = await floodAndCheck(bench, empty, options);
    const withFull = await floodAndCheck(bench, full, options);
    bench.log(`empty day  ${profile(withEmpty)}`);
    bench.log(`full day   ${profile(withFull)}`);
    // The first round warms up.
    if (round > 0) ratios.push(withFull.rate / withEmpty.rate);
  }
  const ratio = median(ratios);
  return [{ what: 'ratio to an empty day', value: ratio.toFixed(2), target: atLeast(ratio, 0.8) }];
}

/** What was seeded is what the API returns. */
async function checkSeed(server: HeadcountServer): Promise<void> {
  const { totals } = await server.get<{ totals: { human: number } }>('visitors?limit=1');
  if (totals.human < visitors) throw new Error(`Only ${totals.human} visitors were seeded.`);
}
