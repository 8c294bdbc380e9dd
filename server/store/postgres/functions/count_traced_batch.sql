-- Counts a batch, once: whoever does not hear the answer asks again with the same turn and id. Answers the places of days that
-- are closed, of which nothing was counted. Without an id it is part of a larger transaction, which sees to that itself.
create or replace function count_traced_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  -- Days by ascending row, the `name_changes` of their projects that the names were found with, and the last of the blocks of
  -- days that each of them is a part of.
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_last_blocks int[], p_spans int[], p_starts int[],
  -- Visitors: the place of the day, and the sets of names that are new with the visitor, as a person and as an AI client.
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  -- What they were seen on, each once: the place of the visitor.
  s_visitors int[], s_sightings int[],
  -- The last name of each of those sets, and all of their names.
  p_last_names int[], p_set_names int[],
  -- Views of names: place of the day, number of the name and what it names.
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[],
  -- Views without a name of their own.
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  -- Views as rows of visits.
  x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[], x_visitors bigint[], x_views bigint[],
  -- Hits that were not counted.
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[],
  -- The place of the day whose views they are of; 0: of hits that are no views.
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[],
  -- Views are added up later: of days that are open as usual, which have one block each.
  p_appends boolean,
  -- The rows of visits that have origins, and these; both empty: none has. And what the views of each row are combined by.
  x_traced boolean[], x_origins bigint[], x_values bytea[]
) returns int[] language plpgsql
set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_changes int[];
  v_closed int[];
begin
  if p_id is not null then
    insert into batches (shard, turn, id) values (p_shard, p_turn, p_id) on conflict do nothing;
    if not found then
      -- Locked, which is written: so the answer waits for the standbys that the first one may not have reached.
      select refused into v_closed from batches where shard = p_shard and turn = p_turn and id = p_id for update;
      return v_closed;
    end if;
  end if;

  if p_days <> '{}' then
    perform hold_days(p_shard, p_days);
    -- A statement of its own, which sees what was committed until the locks were there.
    v_changes := name_changes_of(p_days);
    if exists (select from unnest(v_changes, p_name_changes) as x(changes, known) where changes <> known) then
      raise exception 'The names of a project were changed.' using errcode = 'HC001';
    end if;
    v_closed := array_positions(v_changes, null);
    if v_closed = '{}' then
      v_closed := null;
    elsif p_id is not null then
      update batches set refused = v_closed where shard = p_shard and turn = p_turn and id = p_id;
    end if;
    if p_appends then
      perform append_views(p_shard, v_closed, p_days, p_projects, p_starts, p_bins,
        v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
        c_days, c_shards, c_names, c_human, c_ai);
    else
      perform count_views(p_slot, p_shard, v_closed, p_days, p_projects, p_bins, p_last_blocks, p_spans, p_starts,
        v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
        c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai);
    end if;
  end if;

  if n_days <> '{}' or d_shards <> '{}' or t_days <> '{}' then
    perform count_others(p_slot, p_shard, v_closed, p_projects,
      n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
      d_shards, d_projects, d_dates, d_reasons, d_families, d_hits,
      t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts);
  end if;
  if x_days <> '{}' then
    perform note_visits(v_closed, p_days, x_days, x_shards, x_last_views, x_human, x_ai, x_visitors, x_views,
      x_traced, x_origins, x_values);
  end if;
  return v_closed;
end $$;
