import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { type Finished, runHeadcount, runStarted } from '../support/child.ts';
import { asNobody, asNormalUser } from '../support/machine/normal-user.ts';

const root = join(import.meta.dirname, '..', '..');

let folder: string;
/** What may be read and not written to. */
let closed: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-permission-'));
  await chmod(folder, 0o755);
  closed = join(folder, 'closed');
  await mkdir(closed);
});
afterEach(async () => {
  await chmod(closed, 0o755);
  await rm(folder, { recursive: true, force: true });
});

function expectOneSentence({ code, stderr }: Finished, sentence: RegExp): void {
  const [line = '', ...rest] = stderr.trimEnd().split('\n').reverse();
  expect([code, line]).toEqual([2, expect.stringMatching(sentence)]);
  // Warnings may come before it.
  expect(rest.filter((other) => !other.startsWith('{'))).toEqual([]);
}

async function startAsOther(context: TestContext, command: string, dataDir: string): Promise<Finished> {
  const own = join(folder, 'own');
  await mkdir(own);
  const start = asNormalUser(context, own);
  return runStarted(
    start(command.split(' '), {
      ...{
        HEADCOUNT_DATA_DIR: dataDir,
        HEADCOUNT_PORT: '0',
        HEADCOUNT_OFFLINE: '1',
        HEADCOUNT_LOG_FORMAT: 'json',
      },
    }),
  );
}

describe.each(['serve', 'project add --name Site', 'key add --all-projects'])(
  'a data folder that may not be written to is refused in one sentence by %s',
  (command) => {
    test('where it is empty', async (context) => {
      await chmod(closed, 0o555);
      const sentence =
        /^The data folder .* cannot be used: permission denied\. Give another with HEADCOUNT_DATA_DIR\.$/;
      expectOneSentence(await startAsOther(context, command, closed), sentence);
    });

    test('where it has a database of another user', async (context) => {
      await runHeadcount(['project', 'add', '--name', 'Site'], { HEADCOUNT_DATA_DIR: closed });
      await chmod(closed, 0o555);
      expectOneSentence(
        await startAsOther(context, command, closed),
        /^The database .* cannot be opened: this user may not write to it\. Run it as the user whose file it is\.$/,
      );
    });
  },
);

test.each([
  ['of SQLite', {}],
  [
    'of a server on PostgreSQL',
    {
      HEADCOUNT_DATABASE_URL: 'postgres://127.0.0.1:1/none',
      HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  ],
])('a data folder %s where no folder can be made is refused in one sentence', async (_, engine) => {
  const { stderr } = await runHeadcount(['serve'], {
    HEADCOUNT_DATA_DIR: '/proc/x/data',
    HEADCOUNT_PORT: '0',
    ...engine,
  });
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^The data folder \/proc\/x\/data cannot be used: .* HEADCOUNT_DATA_DIR\.$/),
  ]);
});

test('a checkout in which nothing may be built is refused in one sentence', async (context) => {
  await mkdir(join(folder, 'own'));
  asNormalUser(context, join(folder, 'own'));
  for (const name of ['build.mjs', 'own-node.js', 'package.json'])
    await copyFile(join(root, name), join(closed, name));
  await symlink(join(root, 'node_modules'), join(closed, 'node_modules'));
  await chmod(closed, 0o555);
  const [file = '', ...args] =
    process.getuid?.() === 0 ? [...asNobody, process.execPath] : [process.execPath];
  const child = spawn(file, [...args, join(closed, 'build.mjs')], { stdio: 'pipe' });
  expectOneSentence(
    await runStarted(child),
    /^There is something to build, and the folder .*\/closed\/dist cannot be written to: run "npm run build" as the user/,
  );
});
