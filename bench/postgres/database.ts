import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runIn } from '../../test/support/store/postgres-client.ts';
import { PostgresServer } from '../../test/support/store/postgres-server.ts';
import type { Bench, Finding } from '../bench.ts';

const settings = [
  ...['shared_buffers=256MB', 'max_wal_size=4GB', 'wal_level=replica', 'max_wal_senders=5'],
  'autovacuum_naptime=1min',
];

/** What is measured on a PostgreSQL of its own, which waits for its disk at every commit. */
export async function onPostgres(
  bench: Bench,
  measure: (database: PostgresServer) => Promise<Finding[]>,
): Promise<Finding[]> {
  const folder = join(bench.folder, 'postgres');
  await mkdir(folder, { recursive: true });
  // PostgreSQL is another user where this is root.
  await chmod(bench.folder, 0o755);
  const database = await PostgresServer.start(folder, settings);
  if (!database) return [{ what: 'left out', value: 'PostgreSQL is not installed' }];
  try {
    return await measure(database);
  } finally {
    await database.end('SIGKILL');
  }
}

export async function makeDatabase(database: PostgresServer, name: string): Promise<string> {
  await runIn(database.urlOf('postgres'), `create database ${name}`);
  return database.urlOf(name);
}

export function databaseSettings(url: string): {
  HEADCOUNT_DATABASE_URL: string;
  HEADCOUNT_SECRET_KEY: string;
} {
  return { HEADCOUNT_DATABASE_URL: url, HEADCOUNT_SECRET_KEY: Buffer.alloc(32, 5).toString('base64') };
}
