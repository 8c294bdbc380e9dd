import { expect, test } from 'vitest';
import type { PullRequest } from '../../../server/jobs/forge/forge.ts';
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

test('the files of a merged pull request are asked for where the API says, and nowhere else', async () => {
  const forge = open('bitbucket');
  await forge.ensurePullRequest(await plan());
  await server.merge(slug, 1, { deleteBranch: true });
  const pull = (await forge.findPullRequest(1)) as PullRequest;
  const elsewhere = { status: 302, headers: { Location: 'http://127.0.0.1:1/api/2.0/repositories' } };
  server.git.faults.push({ on: /diffstat/, ...elsewhere });
  await expect(forge.readMerge(pull)).rejects.toMatchObject({ code: 'moved' });
});
