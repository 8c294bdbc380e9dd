create or replace function database_size() returns bigint language sql as $$
  select sum(result::bigint)::bigint from run_command_on_all_nodes('select pg_database_size(current_database())')
$$;
