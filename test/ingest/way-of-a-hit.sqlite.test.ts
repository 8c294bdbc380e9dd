import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const home = join(import.meta.dirname, '../..');

/** What V8 counts, with the file in front. */
async function walk(what: 'hit' | 'log'): Promise<string[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'headcount-walk-'));
  try {
    const args = [join(home, 'test/support/machine/walk.ts'), what, dataDir];
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as string[];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const filesOf = (functions: readonly string[]) => [...new Set(functions.map((one) => one.split(' ')[0]))];

test('a hit runs through at most 30 files and 120 functions', async () => {
  const functions = await walk('hit');
  expect(functions.some((one) => one.endsWith(' classify'))).toBe(true);
  expect(filesOf(functions).length).toBeLessThanOrEqual(30);
  expect(functions.length).toBeLessThanOrEqual(120);
});

test('a line of a log runs through at most 60 files and 250 functions, from where it is read to the printed result', async () => {
  const functions = await walk('log');
  expect(functions.some((one) => one.endsWith(' classify'))).toBe(true);
  expect(filesOf(functions).length).toBeLessThanOrEqual(60);
  expect(functions.length).toBeLessThanOrEqual(250);
  const unneeded = /^server\/(?:jobs|outbox|admin|backup|database\/archive|http|operations)\b/;
  expect(filesOf(functions).filter((file) => unneeded.test(String(file)))).toEqual([]);
});
