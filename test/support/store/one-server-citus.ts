import { runIn } from './postgres-client.ts';
import { makeEmptyDatabase } from './shared-postgres.ts';

/** What a function that runs on the server of a shard runs as. */
export const shardServer = 'headcount_shard_server';

/**
 * The address of an empty database that distributes tables as Citus does, over a single server: all stay where they are, and
 * what is distributed is noted. What would run on the server of a shard may touch just what would be there, and so fails
 * where it asks for a table of the coordinator.
 */
export async function makeOneServerCitus(): Promise<string> {
  const url = await makeEmptyDatabase();
  await runIn(url, statements);
  return url;
}

/** Whether a table is on every server, or where all else of its shards is. */
export interface Distribution {
  name: string;
  by: string | null;
  beside: string | null;
}

export function listDistributed(url: string): Promise<Distribution[]> {
  return runIn(url, 'select * from citus.distributed order by name');
}

// With the signatures that Citus 13 has, as far as migrations use them.
const statements = `
  do $$ begin
    create role ${shardServer};
  exception when duplicate_object or unique_violation then null;
  end $$;
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  select 2000000000, 'citus', oid, 'public'::regnamespace, false, '13' from pg_roles where rolname = current_user;
  create schema citus;
  create table citus.distributed (name text primary key, by text, beside text);
  create view pg_dist_partition as select name::regclass as logicalrelid from citus.distributed;
  create function create_distributed_table(p_table regclass, p_by text, colocate_with text default 'default')
  returns void language plpgsql as $$
  begin
    insert into citus.distributed values (p_table::text, p_by, colocate_with);
    execute format('grant select, insert, update, delete on %s to ${shardServer}', p_table);
  end $$;
  create function create_reference_table(p_table regclass) returns void language plpgsql as $$
  begin
    insert into citus.distributed values (p_table::text, null, null);
    execute format('grant select on %s to ${shardServer}', p_table);
  end $$;
  create function create_distributed_function(p_function regprocedure, p_by text, colocate_with text) returns void
  language plpgsql as $$
  begin
    execute format('alter function %s owner to ${shardServer}', p_function);
    execute format('alter function %s security definer', p_function);
  end $$;
  create function run_command_on_all_nodes(p_command text) returns table (result text) language plpgsql as $$
  begin
    return query execute p_command;
  end $$;
  create function refuse_defaults() returns event_trigger language plpgsql as $$
  begin
    if current_query() ~* '\\malter (column )?\\w+ (set|drop) default' then
      raise exception 'Citus sends a change of a default with all statements beside it: give it with the column.';
    end if;
  end $$;
  create event trigger refuse_defaults on ddl_command_start when tag in ('ALTER TABLE') execute function refuse_defaults()`;
