alter function fold_project(int, int) set plan_cache_mode = force_custom_plan;
-- As `fold_rows`.
alter function fold_project(int, int) set citus.multi_shard_modify_mode = sequential;
