import { Connection } from '../../../server/store/postgres/connection.ts';
import { citusUrl } from './citus-cluster.ts';
import { runIn } from './postgres-client.ts';
import { restingProgram } from './rested-connections.ts';

// A database is empty again without its being made again: its tables get the rows back that they had at first.

/** Keeps what migrations wrote into tables, in one table of its own. */
export async function noteFirstRows(url: string): Promise<void> {
  await runIn(
    url,
    `create schema at_first;
     create table at_first.rows (name text, row json);
     do $$ declare t record; begin
       for t in ${tables} loop
         execute format('insert into at_first.rows select %L, row_to_json(x) from %s x', t.name, t.name);
       end loop;
     end $$`,
  );
}

/** Closes its open connections, but for those that wait for the next store, and those that Citus keeps for them. */
export async function emptyDatabase(url: string): Promise<void> {
  const connection = await Connection.open(url, 'tests');
  await connection.run(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and application_name <> '${restingProgram}' and application_name not like 'citus\\_internal %';
     set session_replication_role = replica;
     do $$ declare t record; begin
       for t in select * from ${tables} x where ${mayHaveRows} loop
         execute format('delete from %s', t.name);
       end loop;
       for t in select distinct name from at_first.rows loop
         execute format('insert into %s overriding system value select r.* from at_first.rows f,
           json_populate_record(null::%s, f.row) r where f.name = %L', t.name, t.name, t.name);
       end loop;
     end $$`,
  );
  await connection.close();
}

const tables = `(select c.oid::regclass as name, c.relkind as kind from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition)`;

/** On Citus rows lie in tables of other names. */
const mayHaveRows = citusUrl === undefined ? "kind = 'p' or pg_relation_size(name) > 0" : 'true';
