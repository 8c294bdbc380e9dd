-- As `fold_rows`.
alter function forget_days(int[]) set citus.multi_shard_modify_mode = sequential;
