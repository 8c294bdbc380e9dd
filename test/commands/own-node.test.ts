import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

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

describe('a Node of your own, named by HEADCOUNT_NODE,', () => {
  test('runs the commands', async () => {
    const { code, output } = await npm(['run', '-s', 'headcount', '--', '--help'], {
      HEADCOUNT_NODE: ownNode,
    });
    expect([code, output]).toEqual([0, expect.stringContaining('Usage: headcount')]);
    expect(await readFile(join(folder, 'runs'), 'utf8')).toMatch(/ headcount\.js --help\n$/);
  });

  test('builds and runs the server', async () => {
    const env = { HEADCOUNT_NODE: ownNode, HEADCOUNT_PORT: 'none', HEADCOUNT_DATA_DIR: folder };
    const { code, output } = await npm(['start', '-s'], env);
    expect([code, output]).toEqual([2, expect.stringContaining('HEADCOUNT_PORT must be a whole number')]);
    const runs = (await readFile(join(folder, 'runs'), 'utf8')).trimEnd().split('\n');
    expect(runs[0]).toMatch(/^build\.mjs /);
    expect(runs.at(-1)).toMatch(/ headcount\.js serve$/);
  });
});
