import { Client } from 'pg';
import { expect, onTestFinished } from 'vitest';
import { runIn } from './shared-postgres.ts';

/** A connection that is closed when the test is over, also where its database is dropped before. */
export async function connectTo(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** How many wait in this database for locks of others. */
export async function countWaiting(url: string): Promise<number> {
  const [row] = await runIn<{ waiting: number }>(
    url,
    `select count(*)::int as waiting from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return row?.waiting ?? 0;
}

/** Resolves when so many do. */
export async function untilWaiting(url: string, number: number): Promise<void> {
  await expect.poll(() => countWaiting(url)).toBe(number);
}
