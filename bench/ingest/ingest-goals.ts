import { join } from 'node:path';
import { atLeast, type Bench, type Finding } from '../bench.ts';
import { Child } from '../child.ts';
import { flood } from '../load/flood.ts';
import { profile } from '../load/profile.ts';
import { addProject, startHeadcount } from '../server.ts';
import { median } from '../statistics.ts';

const home = join(import.meta.dirname, '..', '..');
const rounds = 5;
const warmUp = { seconds: 3, seed: 100 };
const goals = ['--goal', 'Sign up', '--goal', '/guide/**', '--funnel', '/ > /guide/** > Sign up'];

/** Hits per second where a project has goals and a funnel, and events and time come in, beside one with views alone. */
export async function measureIngestWithGoals(bench: Bench): Promise<Finding[]> {
  const [plainDir, goalsDir] = ['plain', 'goals'].map((name) => join(bench.folder, name)) as [string, string];
  const plainProject = await addProject(bench, plainDir);
  const goalsProject = await addProject(bench, goalsDir);
  await setGoals(bench, goalsDir, goalsProject.projectId);
  await using plain = await startHeadcount(bench, plainDir, plainProject);
  await using withGoals = await startHeadcount(bench, goalsDir, goalsProject);
  await flood(bench, plain, warmUp);
  await flood(bench, withGoals, { ...warmUp, withEvents: true });

  const ratios: number[] = [];
  for (let seed = 1; seed <= rounds; seed++) {
    const options = { seconds: 5, seed };
    const before = await flood(bench, plain, options);
    const after = await flood(bench, withGoals, { ...options, withEvents: true });
    bench.log(`views alone     ${profile(before)}`);
    bench.log(`goals, events   ${profile(after)}`);
    ratios.push(after.rate / before.rate);
  }
  const ratio = median(ratios);
  return [
    {
      what: 'hits/s with goals, a funnel, events and time, as a ratio to views alone',
      value: ratio.toFixed(2),
      target: atLeast(ratio, 0.95),
    },
  ];
}

async function setGoals({ signal }: Bench, dataDir: string, projectId: string): Promise<void> {
  const args = ['headcount.js', 'project', 'set', projectId, ...goals];
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  await new Child(process.execPath, args, { signal, cwd: home, env }).ended();
}
