import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { engineEnvironment } from './chosen-engine.ts';

/** All that is kept for a data folder, by name: its files, and on PostgreSQL the tables of its database. */
export async function readTraces(dataDir: string): Promise<Record<string, string>> {
  const { HEADCOUNT_DATABASE_URL: url } = await engineEnvironment({ HEADCOUNT_DATA_DIR: dataDir });
  return { ...(await readFiles(dataDir)), ...(url !== undefined && (await readTables(url))) };
}

/** What is deleted meanwhile, such as the work tree of a turn that has ended, keeps nothing. */
async function readFiles(folder: string): Promise<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const entry of (await unlessGone(readdir(folder, { withFileTypes: true }))) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(kept, await readFiles(path));
    const text = entry.isFile() ? await unlessGone(readFile(path, 'latin1')) : undefined;
    if (text !== undefined) kept[path] = text;
  }
  return kept;
}

async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readTables(url: string): Promise<Record<string, string>> {
  const client = new Client(url);
  await client.connect();
  try {
    // Bytes that are text are shown as text.
    await client.query(`set bytea_output = 'escape'`);
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    const kept: Record<string, string> = {};
    for (const { name } of rows) kept[`table ${name}`] = await readTable(client, name);
    return kept;
  } finally {
    await client.end();
  }
}

async function readTable(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
  return rows.map(({ row }) => row).join('\n');
}
