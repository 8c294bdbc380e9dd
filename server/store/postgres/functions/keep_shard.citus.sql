-- The shard stays on its server until the end of the transaction, as Citus moves none that is written to; it writes nothing.
create or replace function keep_shard(p_shard int) returns void language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  delete from batches where shard = p_shard and turn = -1;
end $$;
