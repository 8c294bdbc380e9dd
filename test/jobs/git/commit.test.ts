import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { gitRun } from '../../support/git/git-run.ts';
import {
  accessTo,
  bot,
  changeFiles,
  planFor,
  runTurn,
  startGitClient,
} from '../../support/jobs/git-client.ts';

const binary = Buffer.from(Array.from({ length: 3000 }, (_unused, index) => (index * 7) % 256));

const run = gitRun();

beforeAll(async () => {
  await run.server.createRepository('ada/site', {
    'README.md': '# Site\n',
    'docs/long.md': Array.from({ length: 60 }, (_unused, index) => `line ${index}\n`).join(''),
    'docs/crlf.txt': 'one\r\ntwo\r\nthree\r\n',
    'docs/photo.png': binary,
    // Would turn line ends around on the way in or out.
    '.gitattributes': '*.txt text eol=crlf\n*.md text=auto ident\n',
  });
});

const site = () => accessTo(run.server.urlOf('ada/site'));
const headOf = async (slug: string) => (await run.server.refs(slug))['refs/heads/main'] ?? '';

test('the same plan gives the same commit on another machine, without a workspace', async () => {
  const { plan } = await runTurn(run.gitClient, site(), async ({ root }) => {
    await writeFile(join(root, 'docs/photo.png'), binary.toReversed());
    await rename(join(root, 'docs/long.md'), join(root, 'docs/renamed.md'));
    await writeFile(join(root, 'docs/crlf.txt'), 'one\r\n2\r\nthree\r\n');
  });
  const other = await startGitClient();
  try {
    expect((await other.makeCommit(site(), plan)).commit).toBe(plan.commit);
    expect(await other.push(site(), plan)).toEqual({ kind: 'pushed' });
    expect(await run.gitClient.push(site(), plan)).toEqual({ kind: 'already', tip: plan.commit });
  } finally {
    await other.remove();
  }
});

test('a machine that never saw the commit makes it again while pushing', async () => {
  const { plan } = await runTurn(run.gitClient, site(), ({ root }) =>
    writeFile(join(root, 'README.md'), '# New\n'),
  );
  const other = await startGitClient();
  try {
    expect(await other.push(site(), plan)).toEqual({ kind: 'pushed' });
  } finally {
    await other.remove();
  }
  const [entry] = await run.server.log('ada/site', plan.branch);
  expect(entry).toEqual({
    hash: plan.commit,
    parents: [plan.base],
    author: bot.name,
    email: bot.email,
    message: 'Improve the page',
  });
});

test('a patch that does not fit its base is a permanent failure', async () => {
  const { patch } = await changeFiles(run.gitClient, site(), await headOf('ada/site'), ({ root }) =>
    writeFile(join(root, 'README.md'), '# New\n'),
  );
  const base = await run.server.commit(
    'ada/site',
    { 'README.md': 'quite different\n' },
    { branch: 'elsewhere' },
  );
  await expect(run.gitClient.makeCommit(site(), planFor(base, patch))).rejects.toMatchObject({
    code: 'conflict',
    passing: false,
  });
});

test('a file of a commit is read without a workspace, and a link is not followed', async () => {
  const slug = 'ada/read';
  const url = await run.server.createRepository(slug, {
    'AGENTS.md': 'Be brief.\r\n',
    'docs/AGENTS.md': { mode: '120000', content: '../AGENTS.md' },
    'photo.png': binary,
  });
  const base = await headOf(slug);
  const read = (path: string, maxBytes = 1000) => run.gitClient.readFile(accessTo(url), base, path, maxBytes);
  expect(String(await read('AGENTS.md'))).toBe('Be brief.\r\n');
  expect(await read('docs/AGENTS.md')).toBeUndefined();
  expect(await read('docs')).toBeUndefined();
  expect(await read('none.md')).toBeUndefined();
  await expect(read('AGENTS.md', 5)).rejects.toMatchObject({ code: 'too_large' });
  expect(await read('photo.png', 10_000)).toEqual(binary);
});
