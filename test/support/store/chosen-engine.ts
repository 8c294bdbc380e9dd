import type { Config } from '../../../server/config/config.ts';
import { openPostgresFiles } from '../../../server/store/postgres/files.ts';
import { openPostgresStore } from '../../../server/store/postgres/store.ts';
import { openSqliteFiles, openSqliteStore } from '../../../server/store/sqlite/store.ts';
import type { Store } from '../../../server/store/store.ts';
import type { StoreFiles } from '../../../server/store/store-files.ts';
import { putEmptyDatabase } from './empty-sqlite.ts';
import { restConnections } from './rested-connections.ts';
import { giveBackDatabase, makeDatabase } from './shared-postgres.ts';

/** Tests that speak HTTP run on SQLite, or on PostgreSQL where this says `postgres`. */
export const isOnPostgres = process.env.HEADCOUNT_TEST_ENGINE === 'postgres';

/** For tests whose servers have none of their own. */
const secretKey = Buffer.alloc(32, 7).toString('base64');

/** Databases by the data folder that they replace. */
const databases = new Map<string, Promise<string>>();

/** What a server or command with these settings needs besides them. */
export async function engineEnvironment(env: Record<string, string>): Promise<Record<string, string>> {
  const dataDir = env.HEADCOUNT_DATA_DIR;
  if (!isOnPostgres || dataDir === undefined || env.HEADCOUNT_DATABASE_URL !== undefined) return {};
  const made = databases.get(dataDir) ?? makeDatabase();
  databases.set(dataDir, made);
  restConnections(await made);
  return {
    HEADCOUNT_DATABASE_URL: await made,
    ...(env.HEADCOUNT_SECRET_KEY === undefined && { HEADCOUNT_SECRET_KEY: secretKey }),
  };
}

/** With the folder that it replaces; others end with the run. */
export async function forgetDatabase(dataDir: string): Promise<void> {
  const made = databases.get(dataDir);
  databases.delete(dataDir);
  if (made) giveBackDatabase(await made);
}

/** @param now for what goes by the clock; otherwise that of the machine, or of the database */
export async function openChosenStore(
  { dataDir, databaseUrl }: Config,
  now: (() => number) | undefined,
): Promise<Store> {
  const options = now ? { now } : {};
  if (databaseUrl !== null) return openPostgresStore(databaseUrl, { ...options, opener: 'server' });
  await putEmptyDatabase(dataDir);
  return openSqliteStore(dataDir, options);
}

export async function openChosenFiles({ dataDir, databaseUrl }: Config): Promise<StoreFiles> {
  return databaseUrl === null ? openSqliteFiles(dataDir) : openPostgresFiles(databaseUrl);
}
