import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionReply } from '../../shared/accounts/admin.ts';
import { type Finished, runHeadcount, type ServerProcess, startProcess } from '../support/child.ts';
import { dashboardClient, password, signIn } from '../support/dashboard/dashboard.ts';
import { timeoutAtThisLoad } from '../support/machine/load.ts';

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-admin-'));
  env = { HEADCOUNT_DATA_DIR: join(folder, 'data') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (args: string[], input = '') => runHeadcount(['admin', 'password', ...args], env, [], input);

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
}

const linkIn = (text: string) => /http:\/\/localhost:\d+\/setup#([\w-]{43})\n/.exec(text)?.[1];
const setUp = (server: ServerProcess, token: string, secret = password) =>
  dashboardClient(server.url).send('POST', '/v1/admin/setup', { body: { token, password: secret } });
const stateOf = async (server: ServerProcess, cookie = '') =>
  (await dashboardClient(server.url, cookie).must<SessionReply>('GET', '/v1/admin/session')).state;

test('serve prints a link to set the password, a fresh one at each start, until there is one', async () => {
  const first = await startProcess(env);
  await expect.poll(() => linkIn(first.output.stdout)).toBeDefined();
  await stop(first);
  const second = await startProcess(env);
  await expect.poll(() => linkIn(second.output.stdout)).toBeDefined();
  const [old, fresh] = [linkIn(first.output.stdout) as string, linkIn(second.output.stdout) as string];
  expect(second.output.stdout).toContain(`${second.url.replace('127.0.0.1', 'localhost')}/setup#`);
  expect((await setUp(second, old)).status).toBe(403);
  expect((await setUp(second, fresh)).status).toBe(204);
  const { cookie } = await signIn(second.url);
  await stop(second);
  const third = await startProcess(env);
  expect(await stateOf(third, cookie)).toBe('signed-in');
  await stop(third);
  expect(third.output.stdout).not.toContain('/setup');
});

describe('headcount admin password', () => {
  test('prints a link that sets the password of a running server', async () => {
    const server = await startProcess(env);
    const { code, stdout, stderr } = await run([]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('It works once and expires in 24 hours.');
    expect((await setUp(server, linkIn(stdout) as string)).status).toBe(204);
    const { cookie } = await signIn(server.url);

    const { url } = JSON.parse((await run(['--json'])).stdout) as { url: string };
    expect(await stateOf(server, cookie)).toBe('signed-in');
    expect((await setUp(server, url.split('#')[1] as string, 'another password')).status).toBe(204);
    expect(await stateOf(server, cookie)).toBe('signed-out');
    await signIn(server.url, 'another password');
    await stop(server);
  });

  test('sets the one that standard input brings, and signs everybody out', async () => {
    const server = await startProcess(env);
    const set = async (args: string[], input: string): Promise<Finished> => {
      const finished = await run(['--stdin', ...args], input);
      expect(finished.stdout + finished.stderr).not.toContain(input.trim());
      return finished;
    };
    expect(await set([], `${password}\n`)).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(() => stateOf(server)).toBe('signed-out');
    const { cookie } = await signIn(server.url);
    expect(await set(['--json'], 'another password')).toEqual({
      code: 0,
      stdout: '{"changed":true}\n',
      stderr: '',
    });
    await expect.poll(() => stateOf(server, cookie), { timeout: timeoutAtThisLoad(1000) }).toBe('signed-out');
    await signIn(server.url, 'another password');
    expect(await set([], 'short')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'The password must have at least 10 characters. "--help" shows how it is used.\n',
    });
    await signIn(server.url, 'another password');
    await stop(server);
  });

  test('explains itself', async () => {
    expect((await run(['--help'])).stdout).toContain('Usage: headcount admin password');
    const wrong = await runHeadcount(['admin', 'nonsense'], env);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('"admin" must be followed by "password"'),
    ]);
  });
});
