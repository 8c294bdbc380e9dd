-- As `count_views`, and leaves adding up for later. Places of days are those of `p_days`.
create or replace function append_views(
  p_shard int, p_closed int[], p_days int[], p_projects int[], p_dates int[], p_bins int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_names int[], c_human int[], c_ai int[]
) returns void language plpgsql as $$
begin
  insert into pending_counts (shard, project, day, size, views, sightings)
  select shard, project, day, cardinality(views) + cardinality(sightings), views, sightings
  from appended_rows(p_shard, p_closed, p_days, p_projects, p_dates, p_bins,
    v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
    c_days, c_shards, c_names, c_human, c_ai);
end $$;
