import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { engineEnvironment } from './chosen-engine.ts';

/** All that is kept for a data folder, by name: its files, and on PostgreSQL the tables that stand for its database. */
export async function readTraces(dataDir: string): Promise<Record<string, string>> {
  const { HEADCOUNT_DATABASE_URL: url } = await engineEnvironment({ HEADCOUNT_DATA_DIR: dataDir });
  return { ...(await readFiles(dataDir)), ...(url !== undefined && (await readTables(url))) };
}

async function readFiles(folder: string): Promise<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) kept[path] = await readFile(path, 'latin1');
  }
  return kept;
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
