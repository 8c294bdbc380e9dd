import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sizeOf } from '../../server/jobs/git/mirror.ts';
import { atMost, type Bench, type Finding } from '../bench.ts';
import { startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { startJobSite, timeJob } from './job-site.ts';

const rounds = 3;
const pictures = 400;
const pictureBytes = 1_000_000;

/** The first job of a repository with far more in it than anybody reads, on a machine that knows nothing of it. */
export async function measureColdJobs(bench: Bench): Promise<Finding[]> {
  const images = Array.from({ length: pictures }, (_, i): [string, Buffer] => [
    `images/${i}.png`,
    randomBytes(pictureBytes),
  ]);
  await using site = await startJobSite(bench, Object.fromEntries(images));
  const found: { job: number; bare: number; megabytes: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const dataDir = join(bench.folder, `jobs-cold-${round}`);
    const project = await site.addProject(dataDir);
    await using headcount = await startHeadcount(bench, dataDir, project, site.env);
    const job = await timeJob(bench, headcount, project, round);
    const bareDir = join(bench.folder, `jobs-cold-bare-${round}`);
    await mkdir(bareDir);
    const bare = await site.cloneSparsely(bareDir);
    const jobsDir = (await readdir(dataDir)).find((name) => name === 'jobs') ?? '';
    found.push({ job, bare, megabytes: (await sizeOf(join(dataDir, jobsDir))) / 1e6 });
    bench.log(`cold job ${job.toFixed(2)} s, sparse clone ${bare.toFixed(2)} s`);
  }
  const seconds = median(found.map(({ job }) => job));
  return [
    {
      what: `first job of a repository of ${(pictures * pictureBytes) / 1e6} MB`,
      value: `${seconds.toFixed(2)} s`,
      target: atMost(seconds, 1, ' s'),
    },
    {
      what: 'a blobless, sparse clone of it by bare git',
      value: `${median(found.map(({ bare }) => bare)).toFixed(2)} s`,
    },
    { what: 'disk that it takes', value: `${median(found.map(({ megabytes }) => megabytes)).toFixed(1)} MB` },
  ];
}
