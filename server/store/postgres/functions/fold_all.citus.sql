-- As `fold_rows`.
alter function fold_all() set citus.multi_shard_modify_mode = sequential;
