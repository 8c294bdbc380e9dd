import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { gitRun } from '../../support/git/git-run.ts';
import { accessTo, runTurn, token } from '../../support/jobs/git-client.ts';

const execute = promisify(execFile);
const run = gitRun();

describe('the token', () => {
  test('is in no file and no process list', async () => {
    const access = accessTo(await run.server.createRepository('ada/token', { 'page.md': 'one\n' }));
    const seen: string[] = [];
    const before = async () => {
      seen.push(...(await commandLines()));
    };
    for (const on of [
      /info\/refs\?service=git-upload-pack/,
      /POST .*git-upload-pack/,
      /POST .*git-receive-pack/,
    ]) {
      run.server.faults.push({ on, before });
    }
    const { plan } = await runTurn(run.gitClient, access, ({ root }) =>
      writeFile(join(root, 'page.md'), 'two\n'),
    );
    expect(await run.gitClient.push(access, plan)).toEqual({ kind: 'pushed' });
    expect(seen.some((line) => line.includes('ls-remote'))).toBe(true);
    expect(seen.some((line) => line.includes('push'))).toBe(true);

    const secrets = [token, Buffer.from(`x-access-token:${token}`).toString('base64')];
    for (const secret of secrets) {
      expect(seen.filter((line) => line.includes(secret))).toEqual([]);
      const found = await execute('grep', ['-rlF', secret, run.gitClient.root]).catch(
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
