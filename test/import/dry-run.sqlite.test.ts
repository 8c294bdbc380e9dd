import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHeadcount } from '../support/child.ts';
import { aiClient, combined } from '../support/import/import-run.ts';

let folder: string;
let dataDir: string;
let projectId: string;
let log: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-import-'));
  await chmod(folder, 0o755);
  dataDir = join(folder, 'data');
  const added = await runHeadcount(['project', 'add', '--name', 'Logs', '--json'], {
    HEADCOUNT_DATA_DIR: dataDir,
  });
  projectId = (JSON.parse(added.stdout) as { projectId: string }).projectId;
  log = join(folder, 'access.log');
  const lines = Array.from({ length: 3000 }, (_, i) =>
    combined({
      at: '2026-03-01T10:00:00Z',
      path: `/page-${i % 20}`,
      ...(i % 5 === 0 && { userAgent: aiClient }),
    }),
  );
  await writeFile(log, `${lines.join('')}nonsense\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

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
