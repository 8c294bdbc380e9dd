import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import {
  accessTo,
  runTurn,
  startGitClient,
  type TestGitClient,
  token,
} from '../../support/jobs/git-client.ts';

let server: GitServer;
let gitClient: TestGitClient;
const names = { prefix: 'headcount/', name: 'job_1' };

beforeAll(async () => {
  server = await startGitServer({ token });
  gitClient = await startGitClient();
});

afterAll(async () => {
  await gitClient.remove();
  await server.close();
});

test('without git, or with one that is too old, jobs do not start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-old-git-'));
  await expect(startGitClient({ path: folder, root: join(folder, 'work') })).rejects.toThrow(
    'install git 2.39 or later',
  );
  await writeFile(join(folder, 'git'), '#!/bin/sh\necho git version 2.34.1\n', { mode: 0o755 });
  await expect(startGitClient({ path: `${folder}:/bin`, root: join(folder, 'work') })).rejects.toThrow(
    'this is git version 2.34.1',
  );
  await rm(folder, { recursive: true });
});

describe('the base of a job', () => {
  let first = '';
  let second = '';

  beforeAll(async () => {
    await server.createRepository('ada/bases', { 'a.md': 'one\n' });
    first = (await server.refs('ada/bases'))['refs/heads/main'] ?? '';
    await server.git('ada/bases', ['tag', 'v1', first]);
    await server.git('ada/bases', [
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@b',
      'tag',
      '-a',
      '-m',
      'x',
      'v1-note',
      first,
    ]);
    await server.git('ada/bases', ['tag', 'same', first]);
    second = await server.commit('ada/bases', { 'a.md': 'two\n' });
    await server.git('ada/bases', ['branch', 'same', second]);
    await server.git('ada/bases', ['tag', 'tree', `${second}^{tree}`]);
    // The end of another name, which ls-remote would also report for "main".
    await server.git('ada/bases', ['update-ref', 'refs/heads/other/refs/heads/main', first]);
  });

  const pin = (ref: string) => gitClient.pinBase(accessTo(server.urlOf('ada/bases')), ref, names);

  test.for([
    ['main', 'second', 'main'],
    ['', 'second', 'main'],
    ['refs/heads/main', 'second', 'main'],
    ['v1', 'first', 'main'],
    ['v1-note', 'first', 'main'],
    ['refs/tags/v1', 'first', 'main'],
    ['same', 'second', 'same'],
    ['refs/tags/same', 'first', 'main'],
    ['<first>', 'first', 'main'],
  ] as const)('"%s" is the %s commit, and its pull request goes to %s', async ([ref, which, baseBranch]) => {
    const pinned = await pin(ref === '<first>' ? first : ref);
    expect(pinned).toEqual({
      commit: which === 'first' ? first : second,
      baseBranch,
      branch: 'headcount/job_1',
      tip: null,
    });
  });

  test.for([
    ['gone', 'missing_base', /no branch or tag "gone"/],
    ['refs/heads/v1', 'missing_base', /no branch or tag "v1"/],
    ['0123456789012345678901234567890123456789', 'missing_base', /does not have this commit/],
    ['tree', 'missing_base', /no commit/],
    ['refs/pull/1/head', 'bad_ref', /only branches and tags/],
    ['-x', 'bad_ref', /dash/],
    ['@', 'bad_ref', /"@"/],
    ['main:other', 'bad_ref', /~ \^ :/],
  ] as const)('"%s" is refused as %s', async ([ref, code, sentence]) => {
    await expect(pin(ref)).rejects.toMatchObject({
      code,
      passing: false,
      message: expect.stringMatching(sentence),
    });
  });

  test('a short hash is no base, as it may mean another commit tomorrow', async () => {
    await expect(pin(first.slice(0, 12))).rejects.toMatchObject({ code: 'missing_base' });
  });

  test('an empty repository is refused with what to do', async () => {
    const url = await server.createRepository('ada/empty');
    for (const ref of ['main', '']) {
      await expect(gitClient.pinBase(accessTo(url), ref, names)).rejects.toMatchObject({
        code: 'empty_repository',
        passing: false,
        message: expect.stringContaining('push a first commit'),
      });
    }
  });

  test('a branch named like the folder of the prefix makes the job branch a plain name', async () => {
    const url = await server.createRepository('ada/blocked', { 'a.md': 'one\n' });
    const head = await server.commit('ada/blocked', { 'b.md': 'x' }, { branch: 'headcount' });
    const pinned = await gitClient.pinBase(accessTo(url), 'main', names);
    expect(pinned.branch).toBe('headcount-job_1');
    await server.git('ada/blocked', ['branch', 'headcount-job_1', head]);
    expect(await gitClient.pinBase(accessTo(url), 'main', names)).toMatchObject({ tip: head });
  });

  test('a repository with SHA-256 hashes works from base to push', async () => {
    const url = await server.createRepository('ada/sha256', { 'a.md': 'one\n' }, 'sha256');
    const access = accessTo(url);
    const { plan } = await runTurn(gitClient, access, (tree) => writeFile(join(tree.root, 'a.md'), 'two\n'));
    expect(plan.commit).toHaveLength(64);
    expect(await gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
    expect(await server.read('ada/sha256', plan.branch, 'a.md')).toBe('two\n');
  });
});
