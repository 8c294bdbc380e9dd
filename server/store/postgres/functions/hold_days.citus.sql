create or replace function hold_days(p_shard int, p_days int[]) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
begin
  perform keep_shard(p_shard);
  perform share_days(s.shard, p_days) from shards s where s.shard = p_shard;
end $$;
