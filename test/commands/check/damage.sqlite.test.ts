import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runHeadcount } from '../../support/child.ts';
import { databaseIn, temporaryFolders } from '../../support/data-folders.ts';

const newFolder = temporaryFolders();

interface Page {
  name: string;
  number: number;
}

/** A project with 60,000 counts of 60 days from 2024-10-04 on; answers its leaves. */
async function makeProject(dataDir: string): Promise<Page[]> {
  await runHeadcount(['project', 'add', '--name', 'Docs'], { HEADCOUNT_DATA_DIR: dataDir });
  const db = new Database(databaseIn(dataDir));
  const count = db.prepare('insert into counts values (1, ?, 0, 1, ?, ?, 1, 1, 1, 1, 1)');
  const name = db.prepare('insert into names values (?, 1, 2, 0, ?)');
  db.transaction(() => {
    for (let id = 1; id <= 5000; id++) name.run(id, `/path/${id}`);
    for (let what = 0; what < 5; what++)
      for (let day = 20000; day < 20060; day++) for (let id = 1; id <= 200; id++) count.run(what, day, id);
  })();
  db.pragma('wal_checkpoint(truncate)');
  const pages = db
    .prepare<[], Page>(
      "select name, pageno as number from dbstat where pagetype = 'leaf' order by name, path",
    )
    .all();
  db.close();
  return pages;
}

async function overwrite(dataDir: string, pages: readonly (Page | undefined)[], byte: number): Promise<void> {
  const file = await open(databaseIn(dataDir), 'r+');
  for (const page of pages)
    await file.write(Buffer.alloc(4096, byte), 0, 4096, (Number(page?.number) - 1) * 4096);
  await file.close();
}

test.each([
  ['overwritten', 0xa5],
  ['zeroed', 0],
])('tables and days of pages that were %s are named, and a backup has all the rest', async (_how, byte) => {
  const dataDir = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const pages = await makeProject(dataDir);
  const of = (name: string) => pages.filter((page) => page.name === name);
  await overwrite(dataDir, [of('counts')[30], of('counts')[200], of('names')[4]], byte);
  const check = await runHeadcount(['check'], env);
  expect(check.code).toBe(1);
  expect(check.stdout.match(/Rows of the table counts of the days 2024-\d\d-\d\d/g)).toHaveLength(2);
  expect(check.stdout).toContain('Rows of the table names cannot be read');
  const target = join(await newFolder(), 'saved.db');
  const backup = await runHeadcount(['backup', target], env);
  expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining('the backup is incomplete')]);
  expect(backup.stderr.match(/Rows of the table/g)).toHaveLength(3);
  const saved = new Database(target);
  const rows = (table: string) =>
    saved.prepare<[], number>(`select count(*) from ${table}`).pluck().get() ?? 0;
  expect(rows('counts')).toBeGreaterThan(59_000);
  expect(rows('counts')).toBeLessThan(60_000);
  expect(rows('names')).toBeGreaterThan(4500);
  saved.close();
  const restored = await newFolder();
  const restore = await runHeadcount(['restore', target], { HEADCOUNT_DATA_DIR: restored });
  expect([restore.code, existsSync(databaseIn(restored))]).toEqual([0, true]);
});

test('a damaged index is named, with all rows of its table there', async () => {
  const dataDir = await newFolder();
  const env = { HEADCOUNT_DATA_DIR: dataDir };
  const pages = await makeProject(dataDir);
  const index = pages.filter(({ name }) => name === 'sqlite_autoindex_names_1')[3];
  await overwrite(dataDir, [index], 0xa5);
  const check = await runHeadcount(['check'], env);
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringContaining(
      'All rows of the table names can be read, but not its indexes (sqlite_autoindex_names_1)',
    ),
  ]);
  const target = join(await newFolder(), 'saved.db');
  expect(await runHeadcount(['backup', target], env)).toMatchObject({ code: 0, stderr: '' });
});
