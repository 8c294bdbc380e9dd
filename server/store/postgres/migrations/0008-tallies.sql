-- Sums by day that are no views (shared/tallies.ts): how often, and what is added up besides. A path of the site is a name.
create table tallies (
  shard int not null,
  project int not null,
  day int not null,
  -- Its number.
  tally smallint not null,
  slot smallint not null,
  -- Fields with tabs between them, such as AI client and status.
  subject text collate "C" not null,
  -- Empty: there is none.
  name text collate "C" not null,
  hits bigint not null,
  amount bigint not null,
  primary key (shard, project, tally, day, subject, name, slot)
) with (fillfactor = 50);

-- `p_closed` has the places of days of which nothing is counted; place 0: hits that are no views.
create function count_tallies(
  p_slot int, p_shard int, p_closed int[],
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns void language plpgsql as $$
begin
  insert into tallies as c (shard, project, tally, day, subject, name, slot, hits, amount)
  select x.shard, x.project, x.tally, x.date, x.subject, x.name, p_slot, sum(x.hits), sum(x.amount)
  from unnest(t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts)
    as x(place, shard, project, date, tally, subject, name, hits, amount)
  where case when x.place = 0 then exists (select from projects p where p.id = x.project)
    else p_closed is null or x.place <> all (p_closed) end
  group by 1, 2, 3, 4, 5, 6
  order by 1, 2, 3, 4, 5, 6
  on conflict (shard, project, tally, day, subject, name, slot) do update set
    hits = c.hits + excluded.hits, amount = c.amount + excluded.amount;
end $$;

-- As `count_batch`, and adds to tallies. Nodes of the version before go on with that one.
create function count_tallied_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[],
  p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[],
  -- The place of the day whose views they are of; 0: of hits that are no views.
  t_days int[], t_shards int[], t_projects int[], t_dates int[], t_tallies int[], t_subjects text[], t_names text[],
  t_hits int[], t_amounts bigint[]
) returns int[] language plpgsql
set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_closed int[];
begin
  if p_id is not null then
    insert into batches (shard, turn, id) values (p_shard, p_turn, p_id) on conflict do nothing;
    if not found then
      -- Locked, as `count_batch` does.
      select refused into v_closed from batches where shard = p_shard and turn = p_turn and id = p_id for update;
      return v_closed;
    end if;
  end if;

  v_closed := count_batch(
    p_shard, null, null, p_slot, p_days, p_projects, p_bins, p_name_changes, p_last_blocks, p_spans, p_starts,
    v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
    c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai,
    n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views,
    d_shards, d_projects, d_dates, d_reasons, d_families, d_hits
  );
  if p_id is not null and v_closed is not null then
    update batches set refused = v_closed where shard = p_shard and turn = p_turn and id = p_id;
  end if;

  if t_days <> '{}' then
    perform count_tallies(
      p_slot, p_shard, v_closed, t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts
    );
  end if;
  return v_closed;
end $$;
