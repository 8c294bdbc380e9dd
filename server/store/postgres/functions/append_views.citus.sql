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
