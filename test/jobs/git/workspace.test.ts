import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { collectChange } from '../../../server/jobs/git/change.ts';
import { gitRun } from '../../support/git/git-run.ts';
import { runGit } from '../../support/git/git-server.ts';
import { accessTo, limits, startGitClient } from '../../support/jobs/git-client.ts';

const run = gitRun();

beforeAll(async () => {
  await run.server.createRepository('ada/site', {
    'README.md': '# Site\n',
    'docs/long.md': Array.from({ length: 60 }, (_unused, index) => `line ${index}\n`).join(''),
  });
});

const site = () => accessTo(run.server.urlOf('ada/site'));
const headOf = async (slug: string) => (await run.server.refs(slug))['refs/heads/main'] ?? '';

test('git commands of the agent run on the workspace, without the network', async () => {
  const workspace = await run.gitClient.openWorkspace(site(), await headOf('ada/site'));
  try {
    const before = run.server.requests.length;
    const found = await workspace.git({ args: ['grep', '-n', 'line 42', '--', 'docs'] });
    expect(found.stdout.toString()).toBe('docs/long.md:43:line 42\n');
    await expect(workspace.git({ args: ['fetch', 'origin'] })).rejects.toThrow();
    expect(run.server.requests.length).toBe(before);
  } finally {
    await workspace.close();
  }
});

test('what git looks for and the mirror lacks is fetched, in place of a failure', async () => {
  const mine = await startGitClient();
  onTestFinished(() => mine.remove());
  await run.server.createRepository('ada/lacking', {
    'index.md': '# Site\n',
    'docs/deep/page.md': 'Deep.\n',
  });
  const access = accessTo(run.server.urlOf('ada/lacking'));
  const base = await headOf('ada/lacking');
  const workspace = await mine.openWorkspace(access, base, { onDemand: true });
  const before = run.server.requests.length;
  const read = await workspace.git({ args: ['cat-file', 'blob', `${base}:docs/deep/page.md`] });
  expect(read.stdout.toString()).toBe('Deep.\n');
  expect(run.server.requests.length).toBeGreaterThan(before);
  await workspace.close();
});

test('an outside agent gets a repository of its own, and what it does to it changes nothing', async () => {
  const base = await headOf('ada/site');
  const workspace = await run.gitClient.openWorkspace(site(), base);
  try {
    await workspace.giveRepository();
    const git = (...args: string[]) =>
      runGit(workspace.root, ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args]);
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('log', '--format=%H', '-1')).toBe(`${base}\n`);
    await writeFile(join(workspace.root, 'README.md'), '# By an outside agent\n');
    await git('commit', '-am', 'Mine');
    await git('checkout', '-q', '-b', 'elsewhere');
    const { files } = await collectChange(workspace, limits);
    expect(files.map(({ path }) => path)).toEqual(['README.md']);
    expect(workspace.commit).toBe(base);
  } finally {
    await workspace.close();
  }
});
