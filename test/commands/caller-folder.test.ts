import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

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

/** As the alias of the README does it, from a folder outside of the checkout. */
function headcount(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const npm = ['--prefix', root, 'run', '-s', 'headcount', '--', ...args];
  const options = {
    cwd: caller,
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME, HEADCOUNT_OFFLINE: '1' },
      HEADCOUNT_DATA_DIR: join(folder, 'data'),
      ...env,
    },
  };
  return new Promise((resolve) => {
    execFile('npm', npm, options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
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
    const { code, stderr } = await headcount(['backup', 'copy.db']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('defect')]);
    expect([existsSync(join(caller, 'copy.db')), existsSync(join(root, 'copy.db'))]).toEqual([true, false]);
    const elsewhere = { HEADCOUNT_DATA_DIR: join(folder, 'restored') };
    expect((await headcount(['restore', './copy.db'], elsewhere)).code).toBe(0);
    expect((await headcount(['project', 'list'], elsewhere)).stdout).toContain('Site');
  });

  test.each([
    ['import', ['import', 'access.log', '--project', '?'], 'access.log'],
    ['history', ['history', 'export.zip', '--project', '?'], 'export.zip'],
    ['searches', ['searches', 'export.zip', '--project', '?'], 'export.zip'],
    ['catalogue load', ['catalogue', 'load', 'new.json'], 'new.json'],
    ['project import', ['project', 'import', 'archive.jsonl'], 'archive.jsonl'],
    ['--passphrase-file', ['backup', 'x.age', '--passphrase-file', 'words'], 'words'],
    ['--recipients-file', ['backup', 'x.age', '--recipients-file', 'people'], 'people'],
    ['--url-file', ['move', '--to', 'postgres', '--url-file', 'url'], 'url'],
  ])('it reads what %s names from there', async (_, args, file) => {
    const projectId = await addProject();
    await expectToRead(
      args.map((word) => (word === '?' ? projectId : word)),
      file,
    );
  });

  test('it leaves the data folder where that of the server is', async () => {
    const name = `data-of-${process.pid}`;
    try {
      await headcount(['project', 'add', '--name', 'Site'], { HEADCOUNT_DATA_DIR: name });
      expect([existsSync(join(root, name)), existsSync(join(caller, name))]).toEqual([true, false]);
    } finally {
      await rm(join(root, name), { recursive: true, force: true });
    }
  });

  test('it writes the key of a catalogue there', async () => {
    expect((await headcount(['catalogue', 'key', '--out', 'own.key'])).code).toBe(0);
    expect(await readFile(join(caller, 'own.key'), 'utf8')).not.toBe('');
  });
});
