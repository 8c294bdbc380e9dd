import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rename } from 'node:fs/promises';
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
import { edit, fullTurn, hours, names, withGitClient } from '../../support/jobs/mirror-turn.ts';

let server: GitServer;

beforeAll(async () => {
  server = await startGitServer({ token });
});

afterAll(async () => {
  await server.close();
});

describe('a process that is paused', () => {
  test('and whose workspace was removed meanwhile does not take all files for deleted', async () => {
    const url = await server.createRepository('ada/paused', { 'page.md': 'one\n', 'other.md': 'x\n' });
    await withGitClient(async (gitClient) => {
      const access = accessTo(url);
      const paused = runTurn(gitClient, access, async (tree) => {
        await edit(tree);
        await rename(join(tree.root, '..'), join(gitClient.root, 'elsewhere'));
      });
      await expect(paused).rejects.toMatchObject({ passing: true });
    });
  });
});

describe('a process that is killed', () => {
  test('leaves workspaces that are removed once nobody can be using them', async () => {
    const url = await server.createRepository('ada/left', { 'page.md': 'one\n' });
    let now = Date.now();
    await withGitClient(
      async (gitClient) => {
        const access = accessTo(url);
        const { commit } = await gitClient.pinBase(access, 'main', names);
        const workspaces = join(gitClient.root, 'worktrees');
        // Never closed, as if its process had died.
        const other = await startGitClient({ root: gitClient.root });
        await other.openWorkspace(access, commit);
        await other.close();
        await mkdir(join(gitClient.root, 'scratch', 'index-left'));
        await gitClient.tidy();
        expect(await readdir(workspaces)).toHaveLength(1);
        now += hours(2);
        await gitClient.tidy();
        expect(await readdir(workspaces)).toEqual([]);
        expect(await readdir(join(gitClient.root, 'scratch'))).toEqual([]);
      },
      { now: () => now },
    );
  });

  test.for([
    ['asks for the base', /GET .*upload-pack/],
    ['fetches', /POST .*upload-pack/],
    ['opens the push', /GET .*receive-pack/],
    ['pushes', /POST .*receive-pack/],
  ] as const)('while it %s leaves nothing that stops the next one', async ([, on]) => {
    const url = await server.createRepository(`ada/killed-${randomBytes(4).toString('hex')}`, {
      'page.md': 'one\n',
    });
    await withGitClient(async (gitClient) => {
      const child = runElsewhere(gitClient, url, 'job_killed');
      server.faults.push({ on, before: () => kill(child) });
      await exitOf(child);
      expect(child.signalCode).toBe('SIGKILL');
      await fullTurn(gitClient, url);
      expect(await gitClient.mirrors()).toHaveLength(1);

      // Its own git may have gone on without it: the turn itself comes out the same either way.
      const access = accessTo(url);
      const { plan } = await runTurn(gitClient, access, edit, { name: 'job_killed' });
      const result = await gitClient.push(access, { ...plan, expected: null });
      expect(['pushed', 'already']).toContain(result.kind);
      const { slug } = access.repository;
      expect((await server.refs(slug))['refs/heads/headcount/job_killed']).toBe(plan.commit);
    });
  });

  test('while git works on its disk leaves nothing that stops the next one', async () => {
    const url = await server.createRepository('ada/killed', { 'page.md': 'one\n' });
    await withGitClient(async (gitClient) => {
      for (const delayMs of [20, 60, 120]) {
        const child = runElsewhere(gitClient, url, `job_${delayMs}`);
        server.faults.push({
          on: /GET .*upload-pack/,
          before: async () => void setTimeout(() => kill(child), delayMs),
        });
        await exitOf(child);
        await fullTurn(gitClient, url);
      }
    });
  });

  function runElsewhere(gitClient: TestGitClient, url: string, name: string): ChildProcess {
    const script = join(import.meta.dirname, '../../support/jobs/turn-process.ts');
    return spawn(process.execPath, [script, gitClient.root, url, name], { stdio: 'ignore' });
  }

  async function kill(child: ChildProcess): Promise<void> {
    child.kill('SIGKILL');
    await exitOf(child);
  }

  async function exitOf(child: ChildProcess): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
});
