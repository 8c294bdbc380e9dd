create or replace function take_days(p_shard int, p_days int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock((x.day::bigint << 6) | p_shard) from (select unnest(p_days) as day order by 1) x;
end $$;
