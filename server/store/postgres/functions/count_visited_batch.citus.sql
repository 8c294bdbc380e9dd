-- It runs on the server of its shard, unless it is part of a larger transaction: then its statements go there one by one.
select create_distributed_function(oid::regprocedure, 'p_shard', colocate_with => 'shards')
from pg_proc where proname = 'count_visited_batch' and pronamespace = current_schema()::regnamespace;
