alter function fold_rows(int, tid[]) set plan_cache_mode = force_custom_plan;
-- All of a transaction on one connection to each server, so that it does not wait for itself.
alter function fold_rows(int, tid[]) set citus.multi_shard_modify_mode = sequential;
