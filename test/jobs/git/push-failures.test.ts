import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RepositoryAccess } from '../../../server/jobs/git/access.ts';
import type { Workspace } from '../../../server/jobs/git/workspace/workspace.ts';
import { gitRun } from '../../support/git/git-run.ts';
import { accessTo, runTurn, startGitClient } from '../../support/jobs/git-client.ts';

const run = gitRun();
let slug = '';
let access: RepositoryAccess;
let counter = 0;

const edit = (workspace: Workspace) => writeFile(join(workspace.root, 'page.md'), 'two\n');

beforeAll(async () => {
  await run.server.createRepository('ada/original', { 'page.md': 'one\n' });
});

beforeEach(async () => {
  slug = `ada/refused-${++counter}`;
  access = accessTo(await run.server.copyRepository('ada/original', slug));
});

describe('what goes wrong', () => {
  const blocked = async () => {
    const { plan } = await runTurn(run.gitClient, access, edit);
    return plan;
  };

  test.for([
    ['a broken gateway', { status: 502 }, 'server_error'],
    ['too many requests', { status: 429, headers: { 'Retry-After': '7' } }, 'rate_limited'],
    ['a dropped connection', { drop: true }, 'network'],
  ] as const)('%s is passing', async ([, fault, code]) => {
    const plan = await blocked();
    run.server.faults.push({ on: /service=git-receive-pack/, ...fault });
    await expect(run.gitClient.push(access, plan)).rejects.toMatchObject({ code, passing: true });
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
  });

  test.for([
    ['no right to write', { status: 403 }, 'forbidden', /permission to write the contents/],
    ['no such repository', { status: 404 }, 'not_found', /check the address/],
    [
      'another address',
      { status: 301, headers: { Location: 'http://127.0.0.1:1/elsewhere.git' } },
      'moved',
      /new address/,
    ],
  ] as const)('%s is permanent, and the sentence says what to do', async ([, fault, code, sentence]) => {
    const plan = await blocked();
    run.server.faults.push({ on: /service=git-receive-pack/, ...fault });
    await expect(run.gitClient.push(access, plan)).rejects.toMatchObject({
      code,
      passing: false,
      message: expect.stringMatching(sentence),
    });
  });

  test('a wrong token is permanent, and is not told', async () => {
    const wrong = accessTo(run.server.urlOf(slug), 'not-the-token-4711');
    const failure = await run.gitClient
      .pinBase(wrong, 'main', { prefix: 'h/', name: 'x' })
      .catch((error) => error);
    expect(failure).toMatchObject({ code: 'auth', passing: false });
    expect(failure.message).toContain('--forge-token-stdin');
    expect(`${failure.message} ${failure.cause}`).not.toContain('4711');
  });

  test('a token is not sent on to where a redirect points', async () => {
    const seen: string[] = [];
    const thief = createServer((req, res) => {
      seen.push(String(req.headers.authorization));
      res.end();
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const { port } = thief.address() as AddressInfo;
    run.server.faults.push({
      on: /service=git-upload-pack/,
      status: 302,
      headers: { Location: `http://127.0.0.1:${port}/${slug}.git/info/refs?service=git-upload-pack` },
    });
    await expect(run.gitClient.pinBase(access, 'main', { prefix: 'h/', name: 'x' })).rejects.toMatchObject({
      code: 'moved',
    });
    expect(seen).toEqual([]);
    thief.close();
  });

  test('a hook of the server that refuses is quoted', async () => {
    const plan = await blocked();
    await run.server.addHook(
      slug,
      'pre-receive',
      'echo "error: GH006: Protected branch update failed." >&2; exit 1',
    );
    await expect(run.gitClient.push(access, plan)).rejects.toMatchObject({
      code: 'push_rejected',
      passing: false,
      message: expect.stringContaining('GH006: Protected branch update failed. Check its branch protection'),
    });
  });

  test('a missing workflows permission is named', async () => {
    const plan = await blocked();
    const said =
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission';
    await run.server.addHook(slug, 'pre-receive', `echo '${said}' >&2; exit 1`);
    await expect(run.gitClient.push(access, plan)).rejects.toMatchObject({
      code: 'push_rejected',
      message: expect.stringContaining('"workflows" permission'),
    });
  });

  test('a branch in the way of ours is named as the cause', async () => {
    const plan = await blocked();
    const main = (await run.server.refs(slug))['refs/heads/main'] ?? '';
    await run.server.git(slug, ['update-ref', 'refs/heads/headcount', main]);
    await expect(run.gitClient.push(access, plan)).rejects.toMatchObject({
      code: 'branch_blocked',
      passing: false,
      message: expect.stringContaining('--branch-prefix'),
    });
  });

  test('a server that never answers is left when the turn is stopped', async () => {
    const plan = await blocked();
    run.server.faults.push({ on: /service=git-receive-pack/, hang: true });
    const reason = new Error('The job was archived.');
    const signal = AbortSignal.timeout(300);
    const controller = new AbortController();
    signal.addEventListener('abort', () => controller.abort(reason));
    await expect(run.gitClient.push({ ...access, signal: controller.signal }, plan)).rejects.toBe(reason);
  });

  test('a protocol that the operator does not allow is refused', async () => {
    const strict = await startGitClient({ protocols: ['https'] });
    try {
      await expect(strict.pinBase(access, 'main', { prefix: 'h/', name: 'x' })).rejects.toMatchObject({
        code: 'protocol',
        passing: false,
      });
    } finally {
      await strict.remove();
    }
  });
});
