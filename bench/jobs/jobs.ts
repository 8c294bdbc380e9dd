import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atLeast, atMost, type Bench, type Finding } from '../bench.ts';
import { floodAndCheck } from '../load/flood.ts';
import { profile } from '../load/profile.ts';
import { startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';
import { memory } from '../usage.ts';
import { createHanging, type JobSite, startJobSite, timeJob } from './job-site.ts';

const timedJobs = 9;
/** A slow disk has time for fewer, three at least. */
const timedForMs = 30_000;
const runningJobs = 5;
const rounds = 5;
/** One runs and the others wait; a project may create a hundred in an hour. */
const queuedJobs = [67, 67, 67];

/** The service's own time per job, what running jobs take of memory, and waiting ones of the rate of hits. */
export async function measureJobs(bench: Bench): Promise<Finding[]> {
  await using site = await startJobSite(bench);
  return [...(await measureRunning(bench, site)), ...(await measureWaiting(bench, site))];
}

async function measureRunning(bench: Bench, site: JobSite): Promise<Finding[]> {
  const dataDir = join(bench.folder, 'jobs-running');
  const bareDir = join(bench.folder, 'jobs-bare');
  await mkdir(bareDir);
  const project = await site.addProject(dataDir);
  const most = String(runningJobs);
  const env = { ...site.env, HEADCOUNT_MAX_JOBS: most, HEADCOUNT_MAX_JOBS_PER_PROJECT: most };
  await using headcount = await startHeadcount(bench, dataDir, project, env);
  const bare = await site.clone(bareDir);

  const first = await timeJob(bench, headcount, project, 0);
  await bare.edit(0);
  const times: { job: number; bare: number }[] = [];
  const end = Date.now() + timedForMs;
  for (let number = 1; number <= timedJobs && (number <= 3 || Date.now() < end); number++) {
    const time = { job: await timeJob(bench, headcount, project, number), bare: await bare.edit(number) };
    bench.log(`job ${time.job.toFixed(2)} s, bare git ${time.bare.toFixed(2)} s`);
    times.push(time);
  }
  const before = memory(headcount.pid);
  await createHanging(bench, headcount, project, runningJobs);
  await site.hanging(runningJobs);
  const perJob = (memory(headcount.pid) - before) / runningJobs;

  const seconds = median(times.map(({ job }) => job));
  return [
    { what: 'first job, which makes the mirror', value: `${first.toFixed(2)} s` },
    {
      what: `create to completed, 10,000 files, ${times.length} jobs`,
      value: `${seconds.toFixed(2)} s`,
      target: atMost(seconds, 1, ' s'),
    },
    { what: 'bare git commands', value: `${median(times.map((time) => time.bare)).toFixed(2)} s` },
    { what: 'ratio to bare git', value: median(times.map((time) => time.job / time.bare)).toFixed(2) },
    { what: 'memory before the running jobs', value: `${Math.round(before)} MiB` },
    { what: `memory per running job, of ${runningJobs}`, value: `${perJob.toFixed(1)} MiB` },
  ];
}

/** Two servers side by side, as a job that has been created cannot be taken out of the queue. */
async function measureWaiting(bench: Bench, site: JobSite): Promise<Finding[]> {
  const emptyDir = join(bench.folder, 'jobs-none');
  const fullDir = join(bench.folder, 'jobs-waiting');
  const emptyProject = await site.addProject(emptyDir);
  const projects = [];
  for (const _ of queuedJobs) projects.push(await site.addProject(fullDir));
  const [fullProject = emptyProject] = projects;
  const env = { ...site.env, HEADCOUNT_MAX_JOBS: '1' };
  await using empty = await startHeadcount(bench, emptyDir, emptyProject, env);
  await using full = await startHeadcount(bench, fullDir, fullProject, env);
  // It loads the agent's libraries; V8 collects the larger heap less often, in both servers alike.
  await timeJob(bench, empty, emptyProject, timedJobs + 1);
  for (const [i, project] of projects.entries()) {
    await createHanging(bench, full, project, queuedJobs[i] ?? 0);
  }
  await site.hanging(runningJobs + 1);

  const warmUp = { seconds: 2, seed: 100 };
  await floodAndCheck(bench, empty, warmUp);
  await floodAndCheck(bench, full, warmUp);
  const rates: { empty: number; full: number }[] = [];
  for (let seed = 1; seed <= rounds; seed++) {
    const rate = { empty: 0, full: 0 };
    // A machine that slows down during a round would always blame the second.
    for (const name of seed % 2 ? (['empty', 'full'] as const) : (['full', 'empty'] as const)) {
      const measured = await floodAndCheck(bench, name === 'empty' ? empty : full, { seconds: 3, seed });
      bench.log(`${name.padEnd(5)}  ${profile(measured)}`);
      rate[name] = measured.rate;
    }
    rates.push(rate);
  }
  const ratio = median(rates.map((rate) => rate.full / rate.empty));
  return [
    { what: 'hits/s without jobs', value: String(Math.round(median(rates.map((rate) => rate.empty)))) },
    {
      what: 'hits/s beside 200 waiting jobs',
      value: String(Math.round(median(rates.map((rate) => rate.full)))),
    },
    { what: 'ratio to no jobs', value: ratio.toFixed(2), target: atLeast(ratio, 0.95) },
  ];
}
