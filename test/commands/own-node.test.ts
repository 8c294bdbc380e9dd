import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');

let folder: string;
/** The Node of the tests by another name, with a space in it, which notes what it is asked to run. */
let ownNode: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own node '));
  ownNode = join(folder, 'node');
  await writeFile(ownNode, `#!/bin/sh\necho "$*" >> "${folder}/runs"\nexec "${process.execPath}" "$@"\n`);
  await chmod(ownNode, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Run {
  code: number;
  output: string;
}

function npm(args: string[], env: Record<string, string>): Promise<Run> {
  const options = { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } };
  return new Promise((resolve) => {
    execFile('npm', args, options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

async function writeProgram(path: string, lines: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
  return path;
}

/** As npm runs a script of package.json, in a folder of Headcount, with these programs before those of the system. */
function runScript(name: string, cwd: string, env: Record<string, string> = {}): Promise<Run> {
  const { [name]: script } = manifest.scripts as Record<string, string>;
  const options = { cwd, env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, ...env } };
  return new Promise((resolve) => {
    execFile('sh', ['-c', String(script)], options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

const scripts = Object.keys(manifest.scripts).filter((name) => name !== 'prepack');
const old = 'echo v20.20.2';

describe.each(scripts)('npm run %s', (name) => {
  test.each([
    ['is older', old, /, which is Node 20\.20\.2, and Headcount needs Node 26 or later: name a newer one/],
    ['is no Node', 'exit 1', /, which does not run as a Node: name a Node 26 or later/],
    ['is not there', undefined, /, and there is no such program: name a Node 26 or later/],
  ])('refuses a HEADCOUNT_NODE that %s, in one sentence', async (_, lines, sentence) => {
    const path = join(folder, 'other');
    if (lines) await writeProgram(path, lines);
    const { code, output } = await runScript(name, root, { HEADCOUNT_NODE: path });
    expect([code, output]).toEqual([2, expect.stringMatching(sentence)]);
    expect(output).toMatch(/^HEADCOUNT_NODE names .*\n$/);
  });
});

describe('where npm has not installed a Node that runs,', () => {
  let home: string;
  /** Of this machine. */
  const packages = Object.keys(manifest.optionalDependencies);

  beforeEach(async () => {
    home = join(folder, 'home');
    await mkdir(join(home, 'node_modules'), { recursive: true });
    for (const name of ['launch.sh', 'start.sh', 'package-lock.json'])
      await copyFile(join(root, name), join(home, name));
    await writeFile(join(home, 'node_modules', '.package-lock.json'), '{}');
    await writeProgram(join(folder, 'bin', 'node'), old);
  });

  const expectRefusal = async (name: string, sentence: RegExp) => {
    const { code, output } = await runScript(name, home);
    expect([code, output]).toEqual([2, expect.stringMatching(sentence)]);
    expect(output).toMatch(/^[^\n]*\n$/);
  };

  describe.each(['start', 'test', 'headcount'])('npm run %s', (name) => {
    test('says how to install it where it was left out', () =>
      expectRefusal(
        name,
        /^npm has left out the package node-.*: run "npm ci" or .* without --omit=optional/,
      ));

    test('says so where nothing is installed', async () => {
      await rm(join(home, 'node_modules'), { recursive: true });
      await expectRefusal(name, /^Nothing is installed yet: run "npm ci" first\.$/m);
    });

    test('names the processor that has none', async () => {
      await writeProgram(
        join(folder, 'bin', 'uname'),
        'if [ "$1" = -m ]; then echo riscv64; else echo Linux; fi',
      );
      await expectRefusal(
        name,
        /^Headcount brings Node 26 for Linux and macOS .* this machine is Linux riscv64:/,
      );
    });

    test('says what the system lacks for it', async () => {
      for (const each of packages) {
        const program = join(home, 'node_modules', each, 'bin', 'node');
        await mkdir(dirname(program), { recursive: true });
        // As a C library that is not there.
        await writeFile(program, '#!/lib/ld-of-another-system\n');
        await chmod(program, 0o755);
      }
      await expectRefusal(name, /^The Node that npm installed does not run here\. It needs glibc, not musl/);
    });
  });

  test('one of the machine is taken that is new enough', async () => {
    await writeProgram(
      join(folder, 'bin', 'node'),
      'if [ "$1" = --version ]; then echo v26.1.0; else echo "runs $*"; fi',
    );
    expect(await runScript('headcount', home)).toEqual({
      code: 0,
      output: expect.stringMatching(/^runs .*\/headcount\.js\n$/),
    });
  });
});

describe('a Node of your own, named by HEADCOUNT_NODE,', () => {
  test('runs the commands', async () => {
    const { code, output } = await npm(['run', '-s', 'headcount', '--', '--help'], {
      HEADCOUNT_NODE: ownNode,
    });
    expect([code, output]).toEqual([0, expect.stringContaining('Usage: headcount')]);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toMatch(/\/headcount\.js --help\n$/);
  });

  test('builds and runs the server', async () => {
    const env = { HEADCOUNT_NODE: ownNode, HEADCOUNT_PORT: 'none', HEADCOUNT_DATA_DIR: folder };
    const { code, output } = await npm(['start', '-s'], env);
    expect([code, output]).toEqual([2, expect.stringContaining('HEADCOUNT_PORT must be a whole number')]);
    // It is asked for its version first.
    const [asked, ...runs] = (await readFile(join(folder, 'runs'), 'utf8')).trimEnd().split('\n');
    expect(asked).toBe('--version');
    expect(runs[0]).toMatch(/^build\.mjs /);
    expect(runs.at(-1)).toMatch(/\/headcount\.js serve$/);
  });
});
