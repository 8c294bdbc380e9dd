import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../server/store/sqlite/store.ts';

let known: Promise<Buffer> | undefined;

/** Puts an empty database into a folder that has none: to make its tables takes longer than all else of a server's start. */
export async function putEmptyDatabase(dataDir: string): Promise<void> {
  const file = join(dataDir, 'headcount.db');
  if (existsSync(file)) return;
  known ??= makeDatabase();
  const content = await known;
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, content, { mode: 0o600 });
}

async function makeDatabase(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-empty-'));
  await (await openSqliteStore(folder)).close();
  const content = await readFile(join(folder, 'headcount.db'));
  await rm(folder, { recursive: true });
  return content;
}
