import { judge } from './judge.ts';
import type { Options } from './options.ts';
import { passes, reportOf, type TaskReport } from './report.ts';
import { runTask } from './run.ts';
import { startWorld } from './world.ts';

/** Lets a model do tasks, each several times. */
export async function evaluate({ model, tasks, runs, env }: Options): Promise<TaskReport[]> {
  await using world = await startWorld(env);
  const reports: TaskReport[] = [];
  for (const task of tasks) {
    process.stderr.write(`${task.name} …`);
    const all = Array.from({ length: runs }, async () => {
      const outcome = await runTask(world, task, model);
      return reportOf(outcome, await judge(outcome));
    });
    const report = { task: task.name, runs: await Promise.all(all) };
    reports.push(report);
    process.stderr.write(` ${passes(report) ? 'passed' : 'failed'}\n`);
  }
  return reports;
}
