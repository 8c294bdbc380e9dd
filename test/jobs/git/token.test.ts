import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, startGitServer } from '../../support/git/git-server.ts';
import {
  accessTo,
  runTurn,
  startGitClient,
  type TestGitClient,
  token,
} from '../../support/jobs/git-client.ts';

const run = promisify(execFile);
let server: GitServer;
let gitClient: TestGitClient;

beforeAll(async () => {
  server = await startGitServer({ token });
  gitClient = await startGitClient();
});

afterAll(async () => {
  await gitClient.remove();
  await server.close();
});

describe('the token', () => {
  test('is in no file and no process list', async () => {
    const access = accessTo(await server.createRepository('ada/token', { 'page.md': 'one\n' }));
    const seen: string[] = [];
    const before = async () => {
      seen.push(...(await commandLines()));
    };
    for (const on of [
      /info\/refs\?service=git-upload-pack/,
      /POST .*git-upload-pack/,
      /POST .*git-receive-pack/,
    ]) {
      server.faults.push({ on, before });
    }
    const { plan } = await runTurn(gitClient, access, ({ root }) =>
      writeFile(join(root, 'page.md'), 'two\n'),
    );
    expect(await gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
    expect(seen.some((line) => line.includes('ls-remote'))).toBe(true);
    expect(seen.some((line) => line.includes('push'))).toBe(true);

    const secrets = [token, Buffer.from(`x-access-token:${token}`).toString('base64')];
    for (const secret of secrets) {
      expect(seen.filter((line) => line.includes(secret))).toEqual([]);
      const found = await run('grep', ['-rlF', secret, gitClient.root]).catch(
        (error: { stdout: string }) => error,
      );
      expect(found.stdout).toBe('');
    }
  });

  async function commandLines(): Promise<string[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    return await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  }
});
