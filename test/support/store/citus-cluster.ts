import { Client, escapeLiteral } from 'pg';
import { runIn } from './postgres-client.ts';
import { databasePrefix } from './postgres-folder.ts';

/** The coordinator of a Citus with workers, as a user who may make databases and extensions; undefined: tests take a PostgreSQL. */
export const citusUrl = process.env.HEADCOUNT_TEST_CITUS_URL || undefined;

/** Fewer than usual, so that a database is made sooner. */
const shardCount = 4;

interface Server {
  host: string;
  port: number;
}

/** The same user in another database, and perhaps on another server. */
export function databaseAt(url: string, database: string, server?: Server): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  if (server) address.host = `${server.host}:${server.port}`;
  return address.href;
}

/** A cluster of servers without any table. */
export async function makeCitusDatabase(name: string): Promise<string> {
  const [coordinator, ...workers] = await listServers();
  if (!coordinator) throw new Error('HEADCOUNT_TEST_CITUS_URL names no Citus.');
  await Promise.all(
    [coordinator, ...workers].map(async (server) => {
      await runIn(postgresAt(server), `create database ${name}`);
      await runIn(databaseAt(String(citusUrl), name, server), 'create extension citus');
    }),
  );
  const url = databaseAt(String(citusUrl), name);
  await runIn(url, `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`);
  for (const { host, port } of workers) await runIn(url, `select citus_add_node('${host}', ${port})`);
  await runIn(url, setUp(name));
  return url;
}

/** The same with the tables of another, which nobody may have open from then on. */
export async function copyCitusDatabase(name: string, model: string): Promise<string> {
  await Promise.all(
    (await listServers()).map((server) =>
      runIn(postgresAt(server), `create database ${name} template ${model}`),
    ),
  );
  await runIn(String(citusUrl), setUp(name));
  return databaseAt(String(citusUrl), name);
}

/** Citus itself connects to each database again and again. */
export async function closeCitusDatabase(name: string): Promise<void> {
  for (const server of await listServers()) {
    await runIn(
      postgresAt(server),
      `alter database ${name} with allow_connections false;
       select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`,
    );
  }
}

/** Is not copied. */
const setUp = (name: string) => `alter database ${name} set citus.shard_count = ${shardCount}`;

const postgresAt = (server: Server) => databaseAt(String(citusUrl), 'postgres', server);

export async function dropCitusDatabase(name: string): Promise<void> {
  for (const server of await listServers()) {
    await runIn(postgresAt(server), `drop database if exists ${name} with (force)`);
  }
}

/**
 * Has the cluster for this run alone, without what one left that was broken off. Answers what ends it.
 *
 * @throws Error while another run has it
 */
export async function takeCluster(): Promise<() => Promise<void>> {
  const client = new Client(String(citusUrl));
  // Where the cluster goes down, tests say so.
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>(
    "select pg_try_advisory_lock(hashtext('tests of Headcount')) as taken",
  );
  if (!rows[0]?.taken) {
    await client.end();
    throw new Error(
      'Another run of tests has this Citus cluster: wait for its end, or name another cluster.',
    );
  }
  await removeLeftovers();
  return async () => {
    await removeLeftovers();
    await client.end();
  };
}

/** On each server, first the coordinator, which asks the others. */
async function removeLeftovers(): Promise<void> {
  for (const server of await listServers()) {
    const url = postgresAt(server);
    const found = await runIn<{ name: string }>(
      url,
      `select datname as name from pg_database where starts_with(datname, '${databasePrefix}')`,
    );
    for (const { name } of found) await dropWithMoves(url, name);
    await runIn(url, dropRolesOfMoves);
  }
}

/** No database is dropped that has a transaction which was prepared, or takes part in the move of a shard. */
async function dropWithMoves(url: string, name: string): Promise<void> {
  const inside = databaseAt(url, name);
  await runIn(url, `alter database ${name} with allow_connections true`);
  const prepared = await runIn<{ gid: string }>(
    url,
    `select gid from pg_prepared_xacts where database = '${name}'`,
  );
  for (const { gid } of prepared) await runIn(inside, `rollback prepared ${escapeLiteral(gid)}`);
  const subscriptions = await runIn<{ subscription: string }>(
    url,
    `select subname as subscription from pg_subscription s join pg_database d on d.oid = subdbid
     where datname = '${name}'`,
  );
  for (const { subscription } of subscriptions) {
    await runIn(
      inside,
      `alter subscription ${subscription} disable; alter subscription ${subscription} set (slot_name = none);
       drop subscription ${subscription}`,
    );
  }
  await runIn(
    url,
    `select pg_terminate_backend(active_pid, 5000) from pg_replication_slots
     where database = '${name}' and active_pid is not null`,
  );
  await runIn(
    url,
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = '${name}'`,
  );
  await runIn(url, `drop database if exists ${name} with (force)`);
}

/** Those that own nothing any more: their names come again, as each database counts its moves. */
const dropRolesOfMoves = `set citus.enable_ddl_propagation = off;
  do $$ declare role text; begin
    for role in
      select rolname from pg_roles r where rolname ~ '^citus_shard_(move|split)_subscription_role_' and not exists (
        select from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = r.oid)
    loop
      execute format('drop role %I', role);
    end loop;
  end $$`;

/** The same database on each worker. */
export async function listWorkers(url: string): Promise<string[]> {
  const [, ...workers] = await listServers();
  return workers.map((server) => databaseAt(url, new URL(url).pathname.slice(1), server));
}

/** The coordinator first. */
async function listServers(): Promise<Server[]> {
  const { hostname, port } = new URL(String(citusUrl));
  const workers = await runIn<Server>(
    String(citusUrl),
    'select nodename as host, nodeport as port from pg_dist_node where groupid <> 0 order by nodeid',
  );
  return [{ host: hostname, port: Number(port || 5432) }, ...workers];
}
