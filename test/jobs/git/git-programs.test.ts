import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { finish, runJob, sendMessage, slug, startJobRun } from '../../support/jobs/job-run.ts';

/** A git that notes what it is asked before it does it. */
async function notingGit(): Promise<{ path: string; take(): Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-git-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [notes, before] = [join(folder, 'notes'), process.env.PATH ?? ''];
  const script = `#!/bin/sh\necho "$1" >> '${notes}'\nPATH='${before}' exec git "$@"\n`;
  await writeFile(join(folder, 'git'), script, { mode: 0o755 });
  const take = async () => {
    const lines = (await readFile(notes, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    await rm(notes, { force: true });
    return lines;
  };
  return { path: `${folder}${delimiter}${before}`, take };
}

test('a turn starts no more git programs than it did, and asks the remote no more often', async () => {
  const git = await notingGit();
  const { jobs, forge } = await startJobRun({ env: { PATH: git.path } });
  const { id } = await runJob(jobs, 'write docs/a.md one');
  const cold = await git.take();
  await runJob(jobs, 'write docs/b.md one');
  const warm = await git.take();
  await forge.git.commit(slug, { 'index.md': '# Moved\n' });
  await runJob(jobs, 'write docs/c.md one');
  const moved = await git.take();
  await sendMessage(jobs, id, 'write docs/d.md two');
  await finish(jobs, id);
  const followed = await git.take();

  const asked = (commands: readonly string[]) =>
    ['ls-remote', 'fetch', 'push'].map((name) => commands.filter((command) => command === name).length);
  expect([cold, warm, moved, followed].map(asked)).toEqual([
    [1, 1, 1],
    [1, 0, 1],
    [1, 1, 1],
    [2, 0, 1],
  ]);
  // With room for one or two: what is added on purpose may raise them.
  const most = [28, 23, 26, 30];
  const counts = [cold, warm, moved, followed].map(({ length }) => length);
  expect(counts.filter((count, index) => count > (most[index] ?? 0))).toEqual([]);
});
