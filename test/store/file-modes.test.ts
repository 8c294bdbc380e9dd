import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runHeadcount, startProcess } from '../support/child.ts';

let folder: string;
let dataDir: string;
let umask: number;

/** What a careless machine gives: everybody may do everything. */
beforeEach(async () => {
  umask = process.umask(0);
  folder = await mkdtemp(join(tmpdir(), 'headcount-modes-'));
  dataDir = join(folder, 'data');
});
afterEach(async () => {
  process.umask(umask);
  await rm(folder, { recursive: true, force: true });
});

/** Files of the database and the key, with their mode in octal. */
async function modes(): Promise<Record<string, string>> {
  const names = (await readdir(dataDir)).filter((name) => /^headcount\.db|\.key$/.test(name));
  const found = await Promise.all(
    names.map(async (name) => [name, ((await stat(join(dataDir, name))).mode & 0o777).toString(8)] as const),
  );
  return Object.fromEntries(found);
}

async function whileServing(look: () => Promise<void>): Promise<string> {
  const server = await startProcess({ HEADCOUNT_DATA_DIR: dataDir });
  await look();
  server.signal('SIGTERM');
  await server.ended;
  return server.output.stderr;
}

const files = ['headcount.db', 'headcount.db-shm', 'headcount.db-wal'];

test('the files of a new database are for their owner alone, whatever the umask and the folder allow', async () => {
  await mkdir(dataDir, { mode: 0o777 });
  const said = await whileServing(async () => {
    const found = await modes();
    expect(Object.keys(found)).toEqual(expect.arrayContaining(files));
    expect(new Set(Object.values(found))).toEqual(new Set(['600']));
  });
  expect(said).toMatch(/warn Others can look into the data folder .*\(mode 777\).*chmod 700/);
  expect(said.match(/\n/g)).toHaveLength(1);
});

test('files that others could read are corrected at the next start, with a line for each', async () => {
  await runHeadcount(['project', 'add', '--name', 'Open'], { HEADCOUNT_DATA_DIR: dataDir });
  const copy = 'headcount.db.before-an-update';
  await writeFile(join(dataDir, copy), 'a copy', { mode: 0o644 });
  for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o664);
  const said = await whileServing(async () => {
    const found = await modes();
    expect(Object.keys(found)).toEqual(expect.arrayContaining([...files, copy]));
    expect(new Set(Object.values(found))).toEqual(new Set(['600']));
  });
  for (const name of ['headcount.db', copy]) {
    expect(said).toContain(`${join(dataDir, name)} could be used by others (mode 664)`);
  }
  expect(await whileServing(async () => undefined)).toBe('');
});
