import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHeadcount } from '../support/child.ts';
import { makeLogToImport } from '../support/import/log-to-import.ts';

let folder: string;
let dataDir: string;
let projectId: string;
let log: string;
let remove: () => Promise<void>;

beforeAll(async () => {
  ({ folder, dataDir, projectId, log, remove } = await makeLogToImport('nonsense'));
});
afterAll(() => remove());

async function filesOf(path: string): Promise<Record<string, string>> {
  const names = (await readdir(path, { recursive: true })).sort();
  const entries = names.map(async (name) => {
    const { mtimeMs, size } = await stat(join(path, name));
    return [name, `${mtimeMs} ${size}`] as const;
  });
  // A file that came and went leaves its trace in the folder's own time.
  const own = `${(await stat(path)).mtimeMs}`;
  return { ...Object.fromEntries(await Promise.all(entries)), '.': own };
}

test('a dry run works where nothing can be written, and makes no file', async () => {
  await chmod(join(dataDir, 'headcount.db'), 0o444);
  await chmod(dataDir, 0o555);
  const before = await filesOf(dataDir);
  const { code, stdout, stderr } = await runHeadcount(
    ['import', log, '--project', projectId, '--dry-run', '--json'],
    {
      HEADCOUNT_DATA_DIR: dataDir,
    },
  );
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ lines: 3001, counted: { people: 2400, ai: 600 } });
  expect(await filesOf(dataDir)).toEqual(before);
  await chmod(dataDir, 0o755);
  await chmod(join(dataDir, 'headcount.db'), 0o644);
});

test('a dry run makes no folder where there is none', async () => {
  const nowhere = join(folder, 'nowhere');
  const args = ['import', log, '--project', projectId, '--dry-run'];
  const { code, stderr } = await runHeadcount(args, { HEADCOUNT_DATA_DIR: nowhere });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^There is no database .*headcount\.db\.\n$/)]);
  await expect(stat(nowhere)).rejects.toThrow('ENOENT');
});
