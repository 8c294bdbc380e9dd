import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { readConfig } from '../../server/config/config.ts';
import { findUnknownSettings } from '../../server/config/settings.ts';
import { programOf } from '../../server/process/program.ts';
import { runHeadcount, type Start, startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { errorOf } from '../support/headcount.ts';

const root = join(import.meta.dirname, '..', '..');

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-program-'));
  env = { HEADCOUNT_DATA_DIR: join(folder, 'data') };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each(['version', '--version', '-v'])('%s prints the version', async (word) => {
  const { code, stdout, stderr } = await runHeadcount([word], { HEADCOUNT_PORT: 'nonsense' });
  expect([code, stdout, stderr]).toEqual([0, `headcount ${manifest.version}\n`, '']);
});

test.each(['project add --name Docs', 'key add --all-projects', 'admin password'])(
  '"%s" makes data where there is none',
  async (command) => {
    const { code } = await runHere(command.split(' '), env);
    expect([code, existsSync(join(folder, 'data', 'headcount.db'))]).toEqual([0, true]);
  },
);

describe('a variable that is no setting', () => {
  test.each([
    ['HEADCOUNT_PROT', 'HEADCOUNT_PORT'],
    ['HEADCOUNT_BASEURL', 'HEADCOUNT_BASE_URL'],
    ['HEADCOUNT_DATA_DIRECTORY', undefined],
    ['HEADCOUNT_TRUSTED_PROXY', 'HEADCOUNT_TRUSTED_PROXIES'],
    ['headcount_host', 'HEADCOUNT_HOST'],
    ['HEADCONT_PORT', 'HEADCOUNT_PORT'],
  ])('is named, with the setting that was meant: %s', (name, meant) => {
    const advice = meant ? `did you mean ${meant}?` : '"headcount serve --help" lists them all.';
    expect(findUnknownSettings({ [name]: '1' })).toEqual([
      `The variable ${name} is not a setting of Headcount and does nothing: ${advice}`,
    ]);
  });

  test.each(['HEADCOUNT_NODE', 'PORT', 'HOST', 'ANTHROPIC_API_KEY'])('is not %s', (name) => {
    expect(findUnknownSettings({ [name]: '1' })).toEqual([]);
  });

  test('is read by its former name, and named with the present one', () => {
    expect(readConfig({ HEADCOUNT_LOG: 'json', HEADCOUNT_JOBS: '0' })).toMatchObject({
      logFormat: 'json',
      jobs: { maxTurns: 0 },
    });
    expect(findUnknownSettings({ HEADCOUNT_LOG: 'json' })).toEqual([
      'The variable HEADCOUNT_LOG is called HEADCOUNT_LOG_FORMAT now; it still works.',
    ]);
  });

  test('is named at the start of a server', async () => {
    const server = await startProcess({ ...env, HEADCOUNT_HOSTS: 'localhost' });
    expect(server.output.stderr).toContain(
      'HEADCOUNT_HOSTS is not a setting of Headcount and does nothing: did you mean HEADCOUNT_HOST?',
    );
    server.signal('SIGTERM');
    await server.ended;
  });
});

describe('commands beside a server', () => {
  const linesOf = async () => ({
    added: (await runHere(['project', 'add', '--name', 'Docs'], env)).stdout,
    listed: (await runHere(['project', 'list', '--json'], env)).stdout,
    key: (await runHere(['key', 'add', '--all-projects'], env)).stdout,
    link: (await runHere(['admin', 'password'], env)).stdout,
  });

  async function expectAddress(url: string): Promise<void> {
    const { added, listed, key, link } = await linesOf();
    expect(added).toContain(`<script defer src="${url}/hc.js"`);
    expect(added).toContain(`<img src="${url}/v1/image/`);
    expect(listed).toContain(`src=\\"${url}/hc.js`);
    expect(key).toContain(`Programs send it to ${url} as "Authorization: Bearer <key>".`);
    expect(link).toContain(`\n  ${url}/setup#`);
  }

  test('print the address that it really has, and after its end that of their own settings', async () => {
    const server = await startProcess(env);
    await expectAddress(`http://localhost:${new URL(server.url).port}`);
    server.signal('SIGTERM');
    await server.ended;
    await expectAddress('http://localhost:8787');
  });

  test('print its public address, though they do not know the setting', async () => {
    const server = await startProcess({ ...env, HEADCOUNT_BASE_URL: 'https://count.example.com' });
    await expectAddress('https://count.example.com');
    server.signal('SIGKILL');
    await server.ended;
    // What it left behind is told by nobody who runs.
    expect(existsSync(join(folder, 'data', 'server.json'))).toBe(true);
    await expectAddress('http://localhost:8787');
  });
});

test('strangers are not told in which folder the server lies', async () => {
  const elsewhere: Start = (args, variables) =>
    spawn(process.execPath, [join(root, 'headcount.js'), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...variables },
      stdio: 'pipe',
    });
  const server = await startProcess(env, elsewhere);
  const authorization = 'Bearer hc_admin_unknown';
  const noKey = await fetch(`${server.url}/v1/projects`, { headers: { authorization } });
  const noLink = await fetch(`${server.url}/v1/admin/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: '{"token": "used", "password": "correct horse battery"}',
  });
  server.signal('SIGTERM');
  await server.ended;
  expect((await errorOf(noKey)).error).toBe(
    'Unknown or revoked API key. Create one with "node headcount.js key add".',
  );
  expect((await errorOf(noLink)).error).toContain('"node headcount.js admin password" makes a new one');
});

describe('messages name the command as it can be typed', () => {
  const folder = '/srv/count';
  const node = (script: string, env = {}) =>
    programOf({ argv: ['node', script], isBinary: false, folder, env });

  test.each([
    [
      'npm start',
      node('/srv/count/headcount.js', { npm_lifecycle_event: 'start' }),
      'npm run -s headcount --',
    ],
    [
      'npm run headcount',
      node('/srv/count/headcount.js', { npm_lifecycle_event: 'headcount' }),
      'npm run -s headcount --',
    ],
    [
      'npm from elsewhere',
      node('/opt/headcount/headcount.js', { npm_lifecycle_event: 'headcount' }),
      "npm --prefix '/opt/headcount' run -s headcount --",
    ],
    ['node headcount.js', node('/srv/count/headcount.js'), 'node headcount.js'],
    ['node from elsewhere', node('/opt/headcount/headcount.js'), 'node /opt/headcount/headcount.js'],
    [
      'npx headcount',
      node('/srv/count/node_modules/.bin/headcount', { npm_lifecycle_event: 'npx' }),
      'npx headcount',
    ],
    [
      "a site's own script",
      node('/srv/count/node_modules/.bin/headcount', { npm_lifecycle_event: 'start' }),
      'npx headcount',
    ],
    ['a global package', node('/usr/local/bin/headcount'), 'headcount'],
    [
      'one file',
      programOf({ argv: ['./headcount-linux-x64'], isBinary: true, folder, env: {} }),
      './headcount-linux-x64',
    ],
  ])('after a start by %s', (_, program, typed) => {
    expect(program).toBe(typed);
  });
});
