alter function fold_shard(int, int) set plan_cache_mode = force_custom_plan;
