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

/** In a process of its own, with git at work on the repository. */
async function startLooking() {
  const outside = await startOutside();
  const { dataDir, ...project } = await prepareDataDir(outside);
  const engine = await engineEnvironment({ HEADCOUNT_DATA_DIR: dataDir });
  const grace = { HEADCOUNT_JOB_GRACE: '0' };
  const server = await startProcess({ ...outside.env, ...engine, ...grace, HEADCOUNT_DATA_DIR: dataDir });
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
  return { server, git, launcher };
}

test.each([
  ['is killed', 'SIGKILL'],
  ['stops', 'SIGTERM'],
] as const)('a server that %s leaves no git at work, and no process that starts it', async (_how, signal) => {
  const { server, git, launcher } = await startLooking();
  server.signal(signal);
  await server.ended;
  await expect
    .poll(async () => [await isThere(git.pid), await isThere(launcher.pid)])
    .toEqual([false, false]);
});
