-- As `count_traced_batch`, of projects without goals: nothing is kept of where views came from.
create or replace function count_visited_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[],
  p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[], x_visitors bigint[], x_views bigint[],
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[],
  p_appends boolean
) returns int[] language plpgsql
set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return count_traced_batch(
    p_shard, p_turn, p_id, p_slot, p_days, p_projects, p_bins, p_name_changes, p_last_blocks, p_spans, p_starts,
    v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
    c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai,
    n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
    x_days, x_shards, x_last_views, x_human, x_ai, x_visitors, x_views,
    d_shards, d_projects, d_dates, d_reasons, d_families, d_hits,
    t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts,
    p_appends, '{}', '{}'
  );
end $$;
