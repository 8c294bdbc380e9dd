-- As `count_traced_batch`, for days that are open as usual where all shards are on one server. Views are kept before the rows
-- of visitors are locked, for which other batches wait.
create or replace function count_grouped_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_dates int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[], v_kinds int[], v_last int[],
  s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_last int[], c_views bigint[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[], x_visitors bigint[], x_views bigint[],
  x_traced boolean[], x_origins bigint[], x_values bytea[],
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns int[] language plpgsql
set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_changes int[];
  v_closed int[];
begin
  if p_id is not null then
    insert into batches (shard, turn, id) values (p_shard, p_turn, p_id) on conflict do nothing;
    if not found then
      -- Locked, as `count_traced_batch` does.
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
    if x_days <> '{}' then
      perform note_visits(v_closed, p_days, x_days, x_shards, x_last_views, x_human, x_ai, x_visitors, x_views,
        x_traced, x_origins, x_values);
    end if;
    perform append_visitors(v_closed, p_days, p_projects, p_bins, p_dates,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, v_kinds, v_last, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_last, c_views);
  end if;

  if n_days <> '{}' or d_shards <> '{}' or t_days <> '{}' then
    perform count_others(p_slot, p_shard, v_closed, p_projects,
      n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
      d_shards, d_projects, d_dates, d_reasons, d_families, d_hits,
      t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts);
  end if;
  return v_closed;
end $$;

-- What it appends is packed as fast as it can be; not every build has that. Set here, as the tables are in use.
do $$ declare
  v_function regprocedure := (
    select oid from pg_proc where proname = 'count_grouped_batch' and pronamespace = current_schema()::regnamespace
    -- Nodes of a release before may still call another with fewer.
    order by pronargs desc limit 1);
begin
  execute format('alter function %s set default_toast_compression = lz4', v_function);
exception when invalid_parameter_value then null;
end $$;
