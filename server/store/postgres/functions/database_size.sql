-- In bytes, on all servers.
create or replace function database_size() returns bigint language sql as $$ select pg_database_size(current_database()) $$;
