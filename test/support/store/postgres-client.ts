import { Client } from 'pg';

/** Runs statements on a connection of its own. Answers the rows of the last. */
export async function runIn<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    const results = [await client.query<Row>(statement)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}
