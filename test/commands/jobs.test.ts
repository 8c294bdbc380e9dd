import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobReply } from '../../shared/jobs/job.ts';
import { runHeadcount } from '../support/child.ts';
import { type EventLine, eventsOf, finish, slug, startJobRun } from '../support/jobs/job-run.ts';

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
  const image = join(dataDir, 'shot.png');
  writeFileSync(image, '\x89PNG\r\n\x1a\nrest', 'latin1');
  const seen = await run('start', projectId, '--prompt', 'Look.', '--image', image, '--json');
  const { id: other } = JSON.parse(seen.stdout) as JobReply;
  expect((await finish(jobs, other)).status).toBe('completed');
  const [{ data: told }] = (await eventsOf(jobs, other)) as [EventLine];
  expect(told.images).toMatchObject([{ name: 'shot.png', type: 'image/png', bytes: 12 }]);
  await run('archive', projectId, other);
  expect((await run('stop', projectId, id)).stdout).toBe(`Job ${id} is not active.\n`);

  expect((await run('archive', projectId, id)).stdout).toBe(`Job ${id} was archived.\n`);
  expect((await run('list', projectId, '--status', 'completed')).stdout).toBe('No job is completed.\n');
  for (const [args, words] of [
    [['start', projectId, '--prompt', ' '], 'must not be empty'],
    [
      ['start', projectId, '--prompt', 'x', '--image', join(dataDir, 'none')],
      'none cannot be read: there is no',
    ],
    [['start', projectId, '--prompt', 'x', '--image', import.meta.filename], 'must be a PNG'],
    [['show', projectId, 'job_none'], 'There is no job job_none'],
    [['list', 'prj_none'], 'no project prj_none'],
  ] as const) {
    const refused = await run(...args);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(words)]);
  }
});
