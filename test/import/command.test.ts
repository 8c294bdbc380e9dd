import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProcess } from '../support/child.ts';
import { runHere } from '../support/commands/command.ts';
import { makeLogToImport } from '../support/import/log-to-import.ts';
import { engineEnvironment } from '../support/store/chosen-engine.ts';

const root = join(import.meta.dirname, '..', '..');
let folder: string;
let dataDir: string;
let projectId: string;
let log: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, dataDir, projectId, log, remove } = await makeLogToImport('\x1b[31mnonsense of 192.0.2.55'));
});
afterAll(() => remove());

describe('a dry run', () => {
  test('leaves the database of a running server as it is', async () => {
    const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
    const args = ['import', log, '--project', projectId, '--dry-run'];
    const { code, stdout } = await runHere(args, { HEADCOUNT_DATA_DIR: dataDir });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing was counted: this was a dry run.')]);
    server.signal('SIGTERM');
    await server.ended;
    const counted = await runHere([...args, '--json'], { HEADCOUNT_DATA_DIR: dataDir });
    expect(JSON.parse(counted.stdout)).toMatchObject({ lines: 3001 });
  });
});

test('says in words what was counted, what was not and why, and nothing that a terminal would obey', async () => {
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const { code, stdout, stderr } = await runHere(['import', log, '--project', projectId], env);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^LINES +3,001$/m);
  expect(stdout).toMatch(/^people +2,400$/m);
  expect(stdout).toMatch(/^AI clients +600$/m);
  // What could not be read is looked at again each time.
  const again = await runHere(['import', log, '--project', projectId], env);
  expect(again.stdout).toMatch(/^LINES +1$/m);
  expect(again.stdout).not.toContain('No line is new');
  expect(stdout).toMatch(/^unreadable +1$/m);
  expect(stdout).toContain(`${log}:3001`);
  expect(stdout).toContain('\\x1b[31mnonsense of (address)');
  expect(stdout).not.toContain('\x1b');
  const help = (await runHere(['import', '--help'], env)).stdout;
  expect(help).toMatch(/^Usage: headcount import/);
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110);
});

test('on a terminal a bar says how far it is, and leaves nothing behind', async () => {
  const long = join(folder, 'long.log');
  await writeFile(long, (await readFile(log, 'utf8')).repeat(60));
  const copy = join(folder, 'copy');
  await mkdir(copy);
  const command = `${process.execPath} ${join(root, 'headcount.js')} import ${long} --project ${projectId} --merge`;
  // script (util-linux) is a terminal around the command.
  const settings = { HEADCOUNT_DATA_DIR: dataDir };
  const engine = await engineEnvironment(settings);
  const child = spawn('script', ['--quiet', '--return', '--command', command, join(copy, 'typescript')], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...settings, ...engine },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  expect((await once(child, 'close'))[0]).toBe(0);
  expect(output).toMatch(/\r\[#*\.*\] +\d+ % {2}[\d,]+ lines, [\d,]+ hits, [\d,]+ lines\/s/);
  expect(output).toContain('\r\x1b[KLINES');
});
