import { type ExecFileOptions, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { needProgram } from '../support/machine/left-out.ts';
import { asNobody } from '../support/machine/normal-user.ts';

const root = join(import.meta.dirname, '..', '..');

let folder: string;
/** Where commands are typed. */
let caller: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-caller-'));
  caller = join(folder, 'caller');
  await mkdir(caller);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

const run = promisify(execFile);

/** From a folder outside of the checkout, as npm runs it. */
function headcount(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const script = ['-c', `${manifest.scripts.headcount} "$@"`, 'sh', ...args];
  return finish('sh', script, { cwd: root, env: { ...usual(), INIT_CWD: caller, ...env } });
}

/** As the alias of the README does it. */
function npmHeadcount(args: string[]): Promise<Run> {
  const npm = ['--prefix', root, 'run', '-s', 'headcount', '--', ...args];
  return finish('npm', npm, { cwd: caller, env: usual() });
}

const usual = () => ({
  ...{ PATH: process.env.PATH, HOME: process.env.HOME, HEADCOUNT_OFFLINE: '1' },
  HEADCOUNT_DATA_DIR: join(folder, 'data'),
});

function finish(file: string, args: string[], options: ExecFileOptions): Promise<Run> {
  return run(file, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout: String(stdout), stderr: String(stderr) }),
    ({ code, stdout, stderr }) => ({ code: Number(code), stdout, stderr }),
  );
}

async function addProject(): Promise<string> {
  const { stdout } = await headcount(['project', 'add', '--name', 'Site', '--json']);
  return JSON.parse(stdout).projectId;
}

/** What could not be found, and where it was looked for. */
async function expectToRead(args: string[], file: string): Promise<void> {
  const missing = await headcount(args);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining(file)]);
  await writeFile(join(caller, file), 'of no use\n');
  const found = await headcount(args);
  expect(found.stderr).not.toBe(missing.stderr);
}

describe('a command that npm runs takes paths from the folder where it was typed:', () => {
  test('it writes a backup there, and restores it from there', async () => {
    await addProject();
    const { code, stderr } = await npmHeadcount(['backup', 'copy.db']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('defect')]);
    expect([existsSync(join(caller, 'copy.db')), existsSync(join(root, 'copy.db'))]).toEqual([true, false]);
    const elsewhere = { HEADCOUNT_DATA_DIR: join(folder, 'restored') };
    expect((await headcount(['restore', './copy.db'], elsewhere)).code).toBe(0);
    expect((await headcount(['project', 'list'], elsewhere)).stdout).toContain('Site');
  });

  test('it reads files of all kinds from there', async () => {
    const projectId = await addProject();
    for (const [args, file] of [
      [['import', 'access.log', '--project', projectId], 'access.log'],
      [['import-stats', 'export.zip', '--project', projectId], 'export.zip'],
      [['import-search', 'searches.zip', '--project', projectId], 'searches.zip'],
      [['catalogue', 'load', 'new.json'], 'new.json'],
      [['project', 'import', 'archive.jsonl'], 'archive.jsonl'],
      [['backup', 'x.age', '--passphrase-file', 'words'], 'words'],
      [['backup', 'x.age', '--recipients-file', 'people'], 'people'],
      [['move', '--to', 'postgres', '--url-file', 'url'], 'url'],
    ] as const) {
      await expectToRead([...args], file);
    }
  });

  test('it takes settings that name files and folders from there', async () => {
    await symlink(process.execPath, join(caller, 'own-node'));
    const settings = { HEADCOUNT_DATA_DIR: 'own-data', HEADCOUNT_NODE: './own-node' };
    expect(await headcount(['project', 'add', '--name', 'Site'], settings)).toMatchObject({ code: 0 });
    expect(existsSync(join(caller, 'own-data', 'headcount.db'))).toBe(true);
    const missing = await headcount(['version'], { HEADCOUNT_NODE: './no-node' });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('there is no such program')]);
  });

  test('it writes the key of a catalogue there', async () => {
    expect((await headcount(['catalogue', 'key', '--out', 'own.key'])).code).toBe(0);
    expect(await readFile(join(caller, 'own.key'), 'utf8')).not.toBe('');
  });
});

describe.each(['start', 'dev', 'headcount'] as const)('npm run %s', (name) => {
  let home: string;

  beforeEach(async () => {
    home = join(await realpath(folder), 'checkout');
    await mkdir(home);
    for (const file of ['launch.sh', 'start.sh']) await copyFile(join(root, file), join(home, file));
    await writeFile(join(home, 'build.mjs'), '');
    const report = 'console.log(process.cwd()); console.log(process.env.HEADCOUNT_DATA_DIR);';
    for (const file of ['headcount.js', 'dev.mjs']) await writeFile(join(home, file), report);
  });

  function runScript(env: Record<string, string>, words: string[] = []): Promise<Run> {
    const [file = '', ...args] = [...words, 'sh', '-c', manifest.scripts[name]];
    const all = { PATH: process.env.PATH, HEADCOUNT_NODE: process.execPath, ...env };
    return finish(file, args, { cwd: home, env: all });
  }

  test('is in the folder where npm was called, and leaves the data in the checkout', async () => {
    const from = await realpath(caller);
    expect((await runScript({ INIT_CWD: from })).stdout).toBe(`${from}\n${home}/data\n`);
    expect((await runScript({})).stdout).toBe(`${home}\n${home}/data\n`);
    const given = { INIT_CWD: from, HEADCOUNT_DATA_DIR: 'own-data' };
    expect((await runScript(given)).stdout).toBe(`${from}\nown-data\n`);
  });

  test('runs all the same where its user may not use that folder, and says so', async (context) => {
    if (process.getuid?.() === 0) needProgram(context, 'setpriv');
    await chmod(folder, 0o755);
    await chmod(caller, 0);
    const { stdout, stderr } = await runScript(
      { INIT_CWD: caller },
      process.getuid?.() === 0 ? asNobody : [],
    );
    await chmod(caller, 0o755);
    expect(stdout).toBe(`/\n${home}/data\n`);
    expect(stderr).toBe(
      `This user may not use the folder ${caller}, where npm was called: relative names count from / instead.\n`,
    );
  });
});
