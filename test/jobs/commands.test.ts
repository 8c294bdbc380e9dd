import { expect, test } from 'vitest';
import type { JobReply } from '../../shared/job.ts';
import { runHeadcount } from '../support/child.ts';
import { finish, slug, startJobRun } from '../support/jobs/job-run.ts';

test('a job is started, followed, shown and archived from the command line', async () => {
  const { headcount, jobs, forge, env } = await startJobRun();
  const { projectId, dataDir } = headcount;
  const run = (...args: string[]) => runHeadcount(['job', ...args], { ...env, HEADCOUNT_DATA_DIR: dataDir });
  const started = await run('start', projectId, '--prompt', 'write page.md Hello.', '--draft', '--json');
  const { id } = JSON.parse(started.stdout) as JobReply;
  await finish(jobs, id);

  const followed = await run('follow', projectId, id);
  expect(followed.stdout).toMatch(
    / message +write page\.md Hello\.\n[\s\S]* completed +The change is in http/,
  );
  const [pull] = await forge.list(slug);
  expect(pull?.draft).toBe(true);
  expect((await run('show', projectId, id)).stdout).toMatch(/Status: +completed\n[\s\S]*Used: +2 steps/);
  expect((await run('list', projectId, '--status', 'completed')).stdout).toContain(id);
  expect((await run('archive', projectId, id)).stdout).toBe(`Job ${id} was archived.\n`);
  expect((await run('list', projectId, '--status', 'completed')).stdout).toBe('There is no such job.\n');
  for (const [args, words] of [
    [['start', projectId, '--prompt', ' '], 'must not be empty'],
    [['show', projectId, 'job_none'], 'There is no job job_none'],
    [['list', 'prj_none'], 'no project prj_none'],
  ] as const) {
    const refused = await run(...args);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(words)]);
  }
});
