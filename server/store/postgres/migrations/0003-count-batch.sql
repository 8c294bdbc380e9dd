-- Counting a batch: `count_batch`, at the end, says in which order, and each function before it does one thing. Where shards are
-- on several servers, those that ask or change tables of shards are replaced (see the migration that distributes them).
--
-- A table of several columns comes as several arrays. `p_shard`: that of all rows, where shards are on several servers.

-- Whoever closes a day takes its salt away and then waits for this lock. Closed days are not asked for, so that nobody waits
-- for what follows.
create function hold_days(p_shard int, p_days int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(1, o.id)
  from (select d.id from days d where d.id = any (p_days) and d.salt is not null order by d.id) o;
end $$;

-- By day, those of its project; null: the day is closed.
create function name_changes_of(p_days int[]) returns int[] language plpgsql as $$
begin
  return array(
    select (select p.name_changes from days d join projects p on p.id = d.project where d.id = x.day and d.salt is not null)
    from unnest(p_days) with ordinality as x(day, place) order by x.place
  );
end $$;

-- Notes what visitors were seen on: `v_days` is the place of the day, `p_closed` has those that are left out. Answers the
-- visitors of whom something is new, which is what comes after the first `was` sightings.
create function note_seen(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, was int, sightings int[]) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  insert into seen as s (shard, bin, day, visitor, sightings)
  select g.shard, g.bin, g.day, g.visitor, g.sightings
  from (
    select v_shards[x.place] as shard, p_bins[v_days[x.place]] as bin, p_days[v_days[x.place]] as day,
      v_visitors[x.place] as visitor, array_agg(x.sighting) as sightings
    from unnest(s_visitors, s_sightings) as x(place, sighting)
    where p_closed is null or v_days[x.place] <> all (p_closed)
    group by x.place
  ) g
  -- Who is known with all of it is left out first, as a conflict writes the row even where nothing is new.
  where not coalesce(
    (select k.sightings @> g.sightings from seen k
     where k.shard = g.shard and k.bin = g.bin and k.day = g.day and k.visitor = g.visitor), false)
  order by g.day, g.visitor
  on conflict (shard, bin, day, visitor) do update set
    was = cardinality(s.sightings),
    sightings = s.sightings || array(select x from unnest(excluded.sightings) x where x <> all (s.sightings))
  where not s.sightings @> excluded.sightings
  returning s.shard, s.day, s.visitor, s.was, s.sightings;
end $$;

-- Notes what was seen, and answers what that adds to counts. Its parameters are as for `count_batch`.
create function added_sums(
  p_shard int, p_closed int[], p_days int[], p_projects int[], p_bins int[], p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[]
) returns table (
  shard int, project int, span int, day int, what int, parent int, name int,
  human_visitors bigint, ai_visitors bigint, visitors bigint, human_views bigint, ai_views bigint
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with changed as (
    select * from note_seen(p_shard, p_days, p_bins, p_closed, v_days, v_shards, v_visitors, s_visitors, s_sightings)
  ),
  -- From here on there are no joins: how many rows there are is not known when the plan is made.
  added as (
    select shard, day, visitor, sighting >> 2 as name, sighting & 1 as human, (sighting >> 1) & 1 as ai,
      -- Of two kinds that are new at once the person is the one who was there first.
      case when (sighting # 3) = any (sightings[:was]) or (sighting & 3 = 2 and (sighting # 3) = any (sightings))
        then 0 else 1 end as is_new
    from (select shard, day, visitor, was, sightings, unnest(sightings[was + 1:]) as sighting from changed) x
  ),
  arrived as (
    select shard, day, max(human_set) as human_set, max(ai_set) as ai_set,
      sum(human) as human, sum(ai) as ai, sum(human * is_new) as new_human, sum(ai * is_new) as new_ai
    from (
      select shard, day, visitor, 0 as human_set, 0 as ai_set, human, ai, is_new from added where name = 0
      union all
      select x.shard, p_days[x.place], x.visitor, x.human_set, x.ai_set, 0, 0, 0
      from unnest(v_shards, v_days, v_visitors, v_human_sets, v_ai_sets) as x(shard, place, visitor, human_set, ai_set)
    ) x
    group by shard, day, visitor having sum(human + ai) > 0
  ),
  followed as (
    select shard, day, set, sum(human) as human, sum(ai) as ai, sum(is_new) as is_new
    from (
      select shard, day, human_set as set, human, 0 as ai, new_human as is_new from arrived
      union all
      select shard, day, ai_set, 0, ai, new_ai from arrived
    ) x
    where set > 0
    group by 1, 2, 3
  ),
  delta as (
    select shard, day, name, max(place) as place, max(what) as what, max(parent) as parent,
      sum(human_visitors) as human_visitors, sum(ai_visitors) as ai_visitors, sum(visitors) as visitors,
      sum(human_views) as human_views, sum(ai_views) as ai_views
    from (
      select x.shard, p_days[x.place] as day, x.name, x.place, x.what, x.parent,
        0 as human_visitors, 0 as ai_visitors, 0 as visitors, x.human as human_views, x.ai as ai_views
      from unnest(c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai) as x(place, shard, what, parent, name, human, ai)
      where p_closed is null or x.place <> all (p_closed)
      union all
      select shard, day, name, 0, 0, 0, human, ai, is_new, 0, 0 from added
      union all
      select shard, day, p_set_names[generate_series(coalesce(p_last_names[set - 1], 0) + 1, p_last_names[set])], 0, 0, 0,
        human, ai, is_new, 0, 0
      from followed
    ) x
    group by 1, 2, 3
  )
  select shard, p_projects[place], p_spans[block], p_starts[block], what, parent, name,
    sum(human_visitors)::bigint, sum(ai_visitors)::bigint, sum(visitors)::bigint,
    sum(human_views)::bigint, sum(ai_views)::bigint
  from (
    select *, generate_series(coalesce(p_last_blocks[place - 1], 0) + 1, p_last_blocks[place]) as block from delta
  ) x
  group by 1, 2, 3, 4, 5, 6, 7;
end $$;

create function count_views(
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

create function count_capped(
  p_slot int, p_shard int, n_shards int[], n_projects int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[],
  n_clients text[], n_views int[]
) returns void language plpgsql as $$
begin
  insert into name_caps as c (shard, project, day, what, cap, kind, client, slot, views)
  select x.shard, x.project, x.date, x.what, x.cap, x.kind, x.client, p_slot, x.views
  from unnest(n_shards, n_projects, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views)
    as x(shard, project, date, what, cap, kind, client, views)
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, day, what, cap, kind, client, slot) do update set views = c.views + excluded.views;
end $$;

create function count_dropped(
  p_slot int, p_shard int, d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[]
) returns void language plpgsql as $$
begin
  insert into dropped as c (shard, project, day, reason, family, slot, hits)
  select x.shard, x.project, x.date, x.reason, x.family, p_slot, x.hits
  from unnest(d_shards, d_projects, d_dates, d_reasons, d_families, d_hits) as x(shard, project, date, reason, family, hits)
  where exists (select from projects p where p.id = x.project)
  order by 1, 2, 3, 4, 5
  on conflict (shard, project, day, reason, family, slot) do update set hits = c.hits + excluded.hits;
end $$;

-- Counts a batch, once: whoever does not hear the answer asks again with the same turn and id. Answers the places of days that
-- are closed, of which nothing was counted. Without an id it is part of a larger transaction, which sees to that itself.
create function count_batch(
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
  -- Hits that were not counted.
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[]
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
    perform count_views(p_slot, p_shard, v_closed, p_days, p_projects, p_bins, p_last_blocks, p_spans, p_starts,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_whats, c_parents, c_names, c_human, c_ai);
  end if;

  if n_days <> '{}' then
    perform count_capped(p_slot, p_shard, array_agg(x.shard), array_agg(p_projects[x.place]), array_agg(x.date),
      array_agg(x.what), array_agg(x.cap), array_agg(x.kind), array_agg(x.client), array_agg(x.views))
    from unnest(n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views)
      as x(place, shard, date, what, cap, kind, client, views)
    where v_closed is null or x.place <> all (v_closed);
  end if;

  if d_shards <> '{}' then
    perform count_dropped(p_slot, p_shard, d_shards, d_projects, d_dates, d_reasons, d_families, d_hits);
  end if;
  return v_closed;
end $$;
