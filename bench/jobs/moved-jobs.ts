import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { type BareGit, type JobProject, type JobServer, startJobSite, timeJob } from './job-site.ts';

const rounds = 7;

interface Time {
  job: number;
  bare: number;
}

/** Jobs on a warm mirror, and after somebody changed one page of the base branch, each beside the same steps by git alone. */
export async function measureMovedJobs(bench: Bench): Promise<Finding[]> {
  await using site = await startJobSite(bench);
  const dataDir = join(bench.folder, 'jobs-moved');
  const bareDir = join(bench.folder, 'jobs-moved-bare');
  await mkdir(bareDir);
  const project = await site.addProject(dataDir);
  await using headcount = await startHeadcount(bench, dataDir, project, site.env);
  const bare = await site.clone(bareDir);
  await timePair(bench, { headcount, project, bare }, 0);
  const times = { warm: [] as Time[], moved: [] as Time[] };
  for (let round = 1; round <= rounds; round++) {
    times.warm.push(await timePair(bench, { headcount, project, bare }, 2 * round));
    await site.move(round);
    times.moved.push(await timePair(bench, { headcount, project, bare }, 2 * round + 1));
  }
  return [
    ...describe('on a warm mirror', times.warm, 1.5),
    ...describe('after the base moved', times.moved, 2),
  ];
}

async function timePair(
  bench: Bench,
  { headcount, project, bare }: { headcount: JobServer; project: JobProject; bare: BareGit },
  number: number,
): Promise<Time> {
  const time = { job: await timeJob(bench, headcount, project, number), bare: await bare.edit(number) };
  bench.log(`job ${time.job.toFixed(2)} s, bare git ${time.bare.toFixed(2)} s`);
  return time;
}

function describe(when: string, times: readonly Time[], most: number): Finding[] {
  const ratio = median(times.map(({ job, bare }) => job / bare));
  const seconds = (name: keyof Time) => `${median(times.map((time) => time[name])).toFixed(2)} s`;
  return [
    { what: `create to completed ${when}, 10,000 files, ${times.length} jobs`, value: seconds('job') },
    { what: 'bare git commands', value: seconds('bare') },
    { what: 'ratio to bare git', value: ratio.toFixed(2), target: atMost(ratio, most) },
  ];
}
