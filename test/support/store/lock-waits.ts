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

/** Resolves when so many wait in this database for locks of others. */
export async function untilWaiting(url: string, number: number): Promise<void> {
  const waiters = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(() => runIn(url, waiters)).toHaveLength(number);
}
