import { expect, test } from 'vitest';
import { accountEmail } from '../../support/forge/bitbucket.ts';
import { open, plan, server, slug, token, useForges } from '../../support/forge/forges.ts';

useForges();

test('an API token of an account goes to the API with its address, and to git without', async () => {
  const auth = { kind: 'token', token: `${accountEmail}:${token}` } as const;
  const forge = open('bitbucket', { auth });
  expect(await forge.ensurePullRequest(await plan())).toMatchObject({ kind: 'created' });
  expect(await forge.credential()).toEqual({ username: 'x-bitbucket-api-token-auth', password: token });
});

test('an API token without its address is not taken for an access token by git', async () => {
  const auth = { kind: 'token', token: 'ATATT3xFfGF0something' } as const;
  expect(await open('bitbucket', { auth }).credential()).toMatchObject({
    username: 'x-bitbucket-api-token-auth',
  });
});

test('a refusal that repeats the token of an account does not tell it', async () => {
  const auth = { kind: 'token', token: `${accountEmail}:secret-4711` } as const;
  const body = { type: 'error', error: { message: 'Nobody knows secret-4711' } };
  server.git.faults.push({ on: /^GET \/api\//, status: 401, body });
  await expect(open('bitbucket', { auth }).ensurePullRequest(await plan())).rejects.toMatchObject({
    code: 'auth',
    message: expect.stringContaining('Nobody knows [secret]'),
  });
});

test('a new text leaves title, draft and reviewers of a pull request as people have them', async () => {
  const forge = open('bitbucket');
  const { kind: _kind, ...ensured } = await forge.ensurePullRequest(await plan({ draft: true }));
  const shown = 'pullRequest' in ensured ? ensured.pullRequest : undefined;
  const pull = await server.find(slug, 1);
  const reviewers = ['grace'];
  Object.assign(pull ?? {}, { title: 'A better title', reviewers });
  if (shown) await forge.rewrite(shown, { title: 'A better title', body: 'Another text', draft: true });
  expect(await server.find(slug, 1)).toMatchObject({
    title: 'A better title',
    body: 'Another text',
    draft: true,
    reviewers,
  });
});

test('a branch that holds nothing new opens nothing', async () => {
  await server.git.git(slug, ['branch', '-f', 'job/1', 'main']);
  expect(await open('bitbucket').ensurePullRequest(await plan())).toEqual({ kind: 'nothing' });
});

test('a base that is gone is told as such', async () => {
  await expect(open('bitbucket').ensurePullRequest(await plan({ base: 'gone' }))).rejects.toMatchObject({
    code: 'missing_base',
    message: expect.stringMatching(/branch not found: gone/),
  });
});

test('a pull request of a fork with a branch of the same name is not taken for ours', async () => {
  const other = await server.open({ slug, head: 'job/1', base: 'main', title: 'x', body: '', draft: false });
  Object.assign(other, { fork: 'eve/site' });
  const wanted = await plan();
  // The stand-in, unlike Bitbucket, would answer with the one of the fork.
  other.base = 'old';
  expect(await open('bitbucket').ensurePullRequest(wanted)).toMatchObject({
    kind: 'created',
    pullRequest: { number: 2 },
  });
});

test('the files of a merged pull request are asked for where the API says, and nowhere else', async () => {
  const forge = open('bitbucket');
  await forge.ensurePullRequest(await plan());
  await server.merge(slug, 1, { deleteBranch: true });
  expect(await forge.findMerge(1)).toEqual({
    state: 'merged',
    title: 'Better',
    mergedAt: '2026-11-20T10:00:00Z',
    commit: (await server.find(slug, 1))?.mergeCommit,
    files: ['page.md'],
  });
  const elsewhere = { status: 302, headers: { Location: 'http://127.0.0.1:1/api/2.0/repositories' } };
  server.git.faults.push({ on: /diffstat/, ...elsewhere });
  await expect(forge.findMerge(1)).rejects.toMatchObject({ code: 'moved' });
});
