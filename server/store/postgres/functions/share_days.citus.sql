-- Locks of a day are those of a shard's server, a number each for day and shard: one transaction may come on several
-- connections, and must not wait for itself.
create or replace function share_days(p_shard int, p_days int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared((x.day::bigint << 6) | p_shard) from (select unnest(p_days) as day order by 1) x;
end $$;
