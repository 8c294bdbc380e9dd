-- What waits to be added up lies where the counts of its shard are. See the migration that distributes these for the rest.
set local citus.multi_shard_modify_mode to 'sequential';
select create_distributed_table('pending_counts', 'shard', colocate_with => 'shards');

create or replace function note_sightings(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  select shard, day, visitor, sightings[was + 1:], sightings[:was]
  from note_seen(p_shard, p_days, p_bins, p_closed, v_days, v_shards, v_visitors, s_visitors, s_sightings);
end $$;

create or replace function append_views(
  p_shard int, p_closed int[], p_days int[], p_projects int[], p_dates int[], p_bins int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_names int[], c_human int[], c_ai int[]
) returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
  v record;
begin
  for v in
    select * from appended_rows(p_shard, p_closed, p_days, p_projects, p_dates, p_bins,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_names, c_human, c_ai)
  loop
    insert into pending_counts (shard, project, day, size, at, views, sightings)
    values (p_shard, v.project, v.day, cardinality(v.views) + cardinality(v.sightings), now(), v.views, v.sightings);
  end loop;
end $$;

alter function fold_rows(int, tid[]) set plan_cache_mode = force_custom_plan;
-- All of a transaction on one connection to each server, so that it does not wait for itself.
alter function fold_project(int, int) set citus.multi_shard_modify_mode = sequential;
alter function fold_all() set citus.multi_shard_modify_mode = sequential;
alter function fold_rows(int, tid[]) set citus.multi_shard_modify_mode = sequential;
alter function fold_shard(int, int) set plan_cache_mode = force_custom_plan;
alter function fold_project(int, int) set plan_cache_mode = force_custom_plan;
alter function counted_days(int[], int) set plan_cache_mode = force_custom_plan;

select create_distributed_function(oid::regprocedure, 'p_shard', colocate_with => 'shards')
from pg_proc where proname = 'append_batch' and pronamespace = current_schema()::regnamespace;
