import { expect, test } from 'vitest';
import { startProcess } from '../../support/child.ts';
import { createJob, prepareDataDir, runJob, startJobRun, startOutside } from '../../support/jobs/job-run.ts';
import { jobClient } from '../../support/jobs/jobs.ts';
import { descendantsOf, listProcesses, type RunningProcess } from '../../support/processes.ts';
import { engineEnvironment } from '../../support/store/chosen-engine.ts';

const looking = /POST .*git-upload-pack/;

/** The git by which a server looks at the repository, and the process that started it. */
async function findLook(server: number): Promise<{ git: RunningProcess; launcher: RunningProcess }> {
  const all = await listProcesses();
  const found = descendantsOf(server, all)
    .filter(({ commandLine }) => commandLine.includes('launcher-process'))
    .map((launcher) => ({
      launcher,
      git: descendantsOf(launcher.pid, all).find(({ commandLine }) =>
        commandLine.startsWith('git ls-remote'),
      ),
    }));
  const [{ git, launcher } = {}] = found.filter(({ git }) => git !== undefined);
  if (!git || !launcher) throw new Error('No git is at work.');
  return { git, launcher };
}

const isThere = async (pid: number) => (await listProcesses()).some((one) => one.pid === pid);

test('a job goes on when the process that starts git was ended', async () => {
  const { jobs, forge } = await startJobRun();
  const ended: number[] = [];
  const before = async () => {
    const { launcher } = await findLook(process.pid);
    process.kill(launcher.pid, 'SIGKILL');
    ended.push(launcher.pid);
  };
  forge.git.faults.push({ on: looking, before });
  expect(await runJob(jobs, 'write page.md hello')).toMatchObject({ status: 'completed', failure: null });
  expect(ended).toHaveLength(1);
});

test('a server that stops leaves no process that starts git', async () => {
  const { jobs, forge, headcount } = await startJobRun();
  const started: number[] = [];
  forge.git.faults.push({
    on: looking,
    before: async () => started.push((await findLook(process.pid)).launcher.pid),
  });
  await runJob(jobs, 'write page.md hello');
  const [launcher = 0] = started;
  expect(await isThere(launcher)).toBe(true);
  await headcount.stop();
  await expect.poll(() => isThere(launcher)).toBe(false);
});

test('a server that is killed leaves no git at work', async () => {
  const outside = await startOutside();
  const { dataDir, ...project } = await prepareDataDir(outside);
  const engine = await engineEnvironment({ HEADCOUNT_DATA_DIR: dataDir });
  const server = await startProcess({ ...outside.env, ...engine, HEADCOUNT_DATA_DIR: dataDir });
  outside.forge.git.faults.push({ on: looking, hang: true });
  const jobs = jobClient(server.url, project);
  await createJob(jobs, 'write page.md hello');
  await expect
    .poll(() =>
      findLook(server.pid).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  const { git, launcher } = await findLook(server.pid);
  server.signal('SIGKILL');
  await server.ended;
  await expect
    .poll(async () => [await isThere(git.pid), await isThere(launcher.pid)])
    .toEqual([false, false]);
});
