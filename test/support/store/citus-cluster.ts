import { runIn } from './postgres-client.ts';

/** The coordinator of a Citus with workers, as a user who may make databases and extensions; undefined: tests take a PostgreSQL. */
export const citusUrl = process.env.HEADCOUNT_TEST_CITUS_URL || undefined;

/** Fewer than usual, so that a database is made sooner. */
const shardCount = 4;

/** The same user in another database, and perhaps on another server. */
export function databaseAt(url: string, database: string, server?: { host: string; port: number }): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  if (server) address.host = `${server.host}:${server.port}`;
  return address.href;
}

/** With the extension, and no table. */
export async function makeCitusDatabase(name: string): Promise<string> {
  const [coordinator, ...workers] = await listServers();
  if (!coordinator) throw new Error('HEADCOUNT_TEST_CITUS_URL names no Citus.');
  for (const server of [coordinator, ...workers]) {
    await runIn(databaseAt(String(citusUrl), 'postgres', server), `create database ${name}`);
    await runIn(databaseAt(String(citusUrl), name, server), 'create extension citus');
  }
  const url = databaseAt(String(citusUrl), name);
  await runIn(url, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`);
  for (const { host, port } of workers) await runIn(url, `select citus_add_node('${host}', ${port})`);
  await runIn(url, `alter database ${name} set citus.shard_count = ${shardCount}`);
  return url;
}

export async function dropCitusDatabase(name: string): Promise<void> {
  for (const server of await listServers()) {
    await runIn(
      databaseAt(String(citusUrl), 'postgres', server),
      `drop database if exists ${name} with (force)`,
    );
  }
}

/** Those that a run left. */
export async function dropCitusDatabases(prefix: string): Promise<void> {
  const names = await runIn<{ name: string }>(
    String(citusUrl),
    `select datname as name from pg_database where starts_with(datname, '${prefix}')`,
  );
  for (const { name } of names) await dropCitusDatabase(name);
}

/** The same database on each worker. */
export async function listWorkers(url: string): Promise<string[]> {
  const [, ...workers] = await listServers();
  return workers.map((server) => databaseAt(url, new URL(url).pathname.slice(1), server));
}

/** The coordinator first. */
async function listServers(): Promise<{ host: string; port: number }[]> {
  const { hostname, port } = new URL(String(citusUrl));
  const workers = await runIn<{ host: string; port: number }>(
    String(citusUrl),
    'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid',
  );
  return [{ host: hostname, port: Number(port || 5432) }, ...workers];
}
