-- Where counts of the project are.
create or replace function shards_of(p_project int, p_buckets int) returns int[] language sql immutable
  as $$ select array(select (p_project + x) & 63 from generate_series(0, p_buckets - 1) x) $$;
