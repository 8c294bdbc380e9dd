-- Milliseconds since 1970 by the clock of the database, which is the same for all nodes; or those that are handed in.
create or replace function store_clock(handed bigint) returns bigint language sql volatile
  return coalesce(handed, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
