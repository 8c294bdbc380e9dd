-- Counts a batch, once: whoever does not hear the answer asks again with the same turn and id. Answers the places of days that
-- are closed, of which nothing was counted. Without an id it is part of a larger transaction, which sees to that itself.
--
-- A table of several columns comes as several arrays. Where shards are on several servers, all of a batch is of one shard.
create function count_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  -- Days by ascending row, and the `name_changes` of their projects that the names were found with.
  p_days int[], p_projects int[], p_bins int[], p_buckets int[], p_name_changes int[],
  -- Visitors: the place of the day, and the sets of names that are new with the visitor, as a person and as an AI client.
  v_days int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  -- What they were seen on, each once: the place of the visitor.
  s_visitors int[], s_sightings int[],
  -- Those sets, a row for each name.
  t_sets int[], t_names int[],
  -- Views of names: place of the day, block of days that it is a part of, number of the name and what it names.
  c_days int[], c_shards int[], c_spans int[], c_starts int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[],
  -- Views without a name of their own.
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  -- Hits that were not counted.
  d_shards int[], d_projects int[], d_dates int[], d_reasons text[], d_families text[], d_hits int[]
) returns int[] language plpgsql
set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_closed int[];
  v_is_outdated boolean;
begin
  if p_id is not null then
    insert into batches (shard, turn, id) values (p_shard, p_turn, p_id) on conflict do nothing;
    if not found then
      select refused into v_closed from batches where shard = p_shard and turn = p_turn and id = p_id;
      return v_closed;
    end if;
  end if;

  if p_days <> '{}' then
    -- Whoever closes a day takes its salt away and then waits for this lock. Closed ones are not asked for, so that nobody
    -- waits for what follows.
    perform pg_advisory_xact_lock_shared(1, o.id)
    from (select d.id from days d where d.id = any (p_days) and d.salt is not null order by d.id) o;
    -- A statement of its own, which sees what was committed until the locks were there.
    select array_agg(x.place order by x.place) filter (where d.salt is null),
      coalesce(bool_or(p.name_changes <> x.changes) filter (where d.salt is not null), false)
      into v_closed, v_is_outdated
    from unnest(p_days, p_name_changes) with ordinality as x(id, changes, place)
      left join days d on d.id = x.id left join projects p on p.id = d.project;
    if v_is_outdated then
      raise exception 'The names of a project were changed.' using errcode = 'HC001';
    end if;
    if p_id is not null and v_closed is not null then
      update batches set refused = v_closed where shard = p_shard and turn = p_turn and id = p_id;
    end if;

    with given as (
      select (p_projects[v_days[g.visitor]] + (v_visitors[g.visitor] & (p_buckets[v_days[g.visitor]] - 1))::int) & 63 as shard,
        p_bins[v_days[g.visitor]] as bin, p_days[v_days[g.visitor]] as day, v_visitors[g.visitor] as visitor,
        g.sightings, g.visitor as place
      from (
        select visitor, array_agg(sighting) as sightings from unnest(s_visitors, s_sightings) as x(visitor, sighting) group by 1
      ) g
      where v_closed is null or v_days[g.visitor] <> all (v_closed)
    ),
    -- Who is known with all of it is left out first, as a conflict writes the row even where nothing is new.
    changed as (
      insert into seen as s (shard, bin, day, visitor, sightings)
      select g.shard, g.bin, g.day, g.visitor, g.sightings
      from given g
      where not coalesce(
        (select k.sightings @> g.sightings from seen k
         where k.shard = g.shard and k.bin = g.bin and k.day = g.day and k.visitor = g.visitor), false)
      order by g.day, g.visitor
      on conflict (shard, bin, day, visitor) do update set
        was = cardinality(s.sightings),
        sightings = s.sightings || array(select x from unnest(excluded.sightings) x where x <> all (s.sightings))
      where not s.sightings @> excluded.sightings
      returning s.shard, s.day, s.visitor, s.was, s.sightings
    ),
    added as (
      select c.shard, c.day, c.visitor, x >> 2 as name, x & 3 as kind,
        -- Of two kinds that are new at once the person is the one who was there first.
        case when (x # 3) = any (c.sightings[:c.was]) or (x & 3 = 2 and (x # 3) = any (c.sightings)) then 0 else 1 end as is_new
      from changed c, unnest(c.sightings[c.was + 1:]) x
    ),
    arrived as (
      select shard, day, name, sum(kind & 1) as human, sum(kind >> 1) as ai, sum(is_new) as visitors from added group by 1, 2, 3
      union all
      select a.shard, a.day, t.name, sum(a.kind & 1), sum(a.kind >> 1), sum(a.is_new)
      from added a
        join given g on g.day = a.day and g.visitor = a.visitor
        join unnest(t_sets, t_names) as t(set, name)
          on t.set = case a.kind when 1 then v_human_sets[g.place] else v_ai_sets[g.place] end
      where a.name = 0
      group by 1, 2, 3
    )
    insert into counts as c (shard, project, span, day, what, parent, name, slot,
      human_visitors, ai_visitors, visitors, human_views, ai_views)
    select v.shard, v.project, v.span, v.start, v.what, v.parent, v.name, p_slot,
      coalesce(a.human, 0), coalesce(a.ai, 0), coalesce(a.visitors, 0), v.human, v.ai
    from (
      select x.*, p_projects[x.place] as project, p_days[x.place] as day
      from unnest(c_days, c_shards, c_spans, c_starts, c_whats, c_parents, c_names, c_human, c_ai)
        as x(place, shard, span, start, what, parent, name, human, ai)
      where v_closed is null or x.place <> all (v_closed)
    ) v
      left join (select shard, day, name, sum(human) as human, sum(ai) as ai, sum(visitors) as visitors from arrived group by 1, 2, 3) a
        on a.shard = v.shard and a.day = v.day and a.name = v.name
    order by v.shard, v.project, v.span, v.start, v.what, v.parent, v.name
    on conflict (shard, project, span, day, what, parent, name, slot) do update set
      human_visitors = c.human_visitors + excluded.human_visitors,
      ai_visitors = c.ai_visitors + excluded.ai_visitors,
      visitors = c.visitors + excluded.visitors,
      human_views = c.human_views + excluded.human_views,
      ai_views = c.ai_views + excluded.ai_views;
  end if;

  if n_days <> '{}' then
    insert into name_caps as c (shard, project, day, what, cap, kind, client, slot, views)
    select x.shard, p_projects[x.place], x.date, x.what, x.cap, x.kind, x.client, p_slot, x.views
    from unnest(n_days, n_shards, n_dates, n_whats, n_caps, n_kinds, n_clients, n_views)
      as x(place, shard, date, what, cap, kind, client, views)
    where v_closed is null or x.place <> all (v_closed)
    order by 1, 2, 3, 4, 5, 6, 7
    on conflict (shard, project, day, what, cap, kind, client, slot) do update set views = c.views + excluded.views;
  end if;

  if d_shards <> '{}' then
    insert into dropped as c (shard, project, day, reason, family, slot, hits)
    select x.shard, x.project, x.date, x.reason, x.family, p_slot, x.hits
    from unnest(d_shards, d_projects, d_dates, d_reasons, d_families, d_hits) as x(shard, project, date, reason, family, hits)
    where exists (select from projects p where p.id = x.project)
    order by 1, 2, 3, 4, 5
    on conflict (shard, project, day, reason, family, slot) do update set hits = c.hits + excluded.hits;
  end if;
  return v_closed;
end $$;
