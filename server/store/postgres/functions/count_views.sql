create or replace function count_views(
  p_slot int, p_shard int, p_closed int[], p_days int[], p_projects int[], p_bins int[],
  p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[]
) returns void language plpgsql as $$
begin
  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  select shard, project, span, day, what, parent, name, p_slot, human_visitors, ai_visitors, visitors, human_views, ai_views
  from added_sums(p_shard, p_closed, p_days, p_projects, p_bins, p_last_blocks, p_spans, p_starts,
    v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
    c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai)
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
end $$;
