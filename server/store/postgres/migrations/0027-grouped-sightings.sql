set local citus.multi_shard_modify_mode to 'sequential';

-- All kinds of a visitor's sightings, as bits, and perhaps more; null: not known. Of one that only ever was of one kind nothing
-- is looked for under the other.
alter table seen add column kinds smallint;

-- Notes what visitors were seen on, and answers those of whom something is new: that, and what was known where they were seen
-- as both kinds. What a visitor was seen on comes in one piece, up to `v_last`; `v_kinds` has all of its kinds, as bits, and 4
-- where the visitor is known to have a row.
--
-- Rows are made first and changed then, in the same order by all: so of two calls that wait for rows neither waits for the
-- other, also where a row is new to one of them and known to the other. To make a row that is there waits for whoever changes it.
create function note_visitors(
  p_closed int[], p_days int[], p_bins int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_kinds int[], v_last int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql
set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  v_new_days int[];
  v_new_visitors bigint[];
begin
  with made as (
    insert into seen as s (shard, bin, day, visitor, sightings, kinds)
    select v.shard, p_bins[v.day], p_days[v.day], v.visitor,
      s_sightings[coalesce(v_last[v.place::int - 1], 0) + 1:v.last], v.kinds
    from unnest(v_shards, v_days, v_visitors, v_kinds, v_last) with ordinality
      as v(shard, day, visitor, kinds, last, place)
    where v.kinds < 4 and (p_closed is null or v.day <> all (p_closed))
    order by 3, 4
    on conflict do nothing
    returning s.day, s.visitor
  )
  select array_agg(m.day), array_agg(m.visitor) into v_new_days, v_new_visitors from made m;

  -- A statement of its own, which sees the rows that others have made meanwhile. What is new goes to the front, as of a changed
  -- row only what is before the same end is written to the log.
  return query
  with given as materialized (
    select v.shard, p_bins[v.day] as bin, p_days[v.day] as day, v.visitor, (v.kinds & 3)::smallint as kinds,
      s_sightings[coalesce(v_last[v.place::int - 1], 0) + 1:v.last] as sightings,
      (p_days[v.day], v.visitor) in (select m.day, m.visitor from unnest(v_new_days, v_new_visitors) as m(day, visitor))
        as is_made
    from unnest(v_shards, v_days, v_visitors, v_kinds, v_last) with ordinality
      as v(shard, day, visitor, kinds, last, place)
    where p_closed is null or v.day <> all (p_closed)
    order by 3, 4
  ),
  changed as (
    update seen s set
      was = cardinality(s.sightings), kinds = s.kinds | g.kinds,
      sightings = case when s.sightings && g.sightings
        then array(select x from unnest(g.sightings) x where x <> all (s.sightings)) else g.sightings end || s.sightings
    from given g
    where not g.is_made
      and s.shard = g.shard and s.bin = g.bin and s.day = g.day and s.visitor = g.visitor and not s.sightings @> g.sightings
    returning s.shard, s.day, s.visitor, s.was, s.sightings, s.kinds
  )
  select g.shard, g.day, g.visitor, g.sightings, case when g.kinds = 3 then '{}'::int[] end
  from given g where g.is_made
  union all
  select c.shard, c.day, c.visitor, c.sightings[:cardinality(c.sightings) - c.was],
    case when c.kinds in (1, 2) then null else c.sightings[cardinality(c.sightings) - c.was + 1:] end
  from changed c;
end $$;

-- The same for those who have what visitors were seen on one by one: imports, batches on days that are open for one, very large
-- batches, and nodes of the release before. Servers of shards have functions of their own.
create function note_each(
  p_closed int[], p_days int[], p_bins int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql as $$
#variable_conflict use_column
declare
  v_places int[];
  v_kinds int[];
  v_last int[];
  v_sightings int[];
begin
  select array_agg(x.place order by x.place), array_agg(x.kinds order by x.place), array_agg(x.last::int order by x.place)
    into v_places, v_kinds, v_last
  from (
    select place, bit_or(sighting & 3) as kinds, sum(count(*)) over (order by place) as last
    from unnest(s_visitors, s_sightings) as s(place, sighting) group by place
  ) x;
  select array_agg(sighting order by place) into v_sightings from unnest(s_visitors, s_sightings) as s(place, sighting);
  return query
  select n.shard, n.day, n.visitor, n.fresh, coalesce(n.known, '{}')
  from note_visitors(p_closed, p_days, p_bins,
    array(select v_days[x.place] from unnest(v_places) with ordinality as x(place, i) order by x.i),
    array(select v_shards[x.place] from unnest(v_places) with ordinality as x(place, i) order by x.i),
    array(select v_visitors[x.place] from unnest(v_places) with ordinality as x(place, i) order by x.i),
    v_kinds, v_last, v_sightings) n;
end $$;

do $migration$ begin
  if exists (select from pg_extension where extname = 'citus') then return; end if;

  create or replace function note_seen(
    p_shard int, p_days int[], p_bins int[], p_closed int[],
    v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
  ) returns table (shard int, day int, visitor bigint, was int, sightings int[]) language plpgsql as $$
  #variable_conflict use_column
  begin
    return query
    select n.shard, n.day, n.visitor, cardinality(n.known), n.known || n.fresh
    from note_each(p_closed, p_days, p_bins, v_days, v_shards, v_visitors, s_visitors, s_sightings) n;
  end $$;

  create or replace function note_sightings(
    p_shard int, p_days int[], p_bins int[], p_closed int[],
    v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
  ) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql as $$
  begin
    return query
    select * from note_each(p_closed, p_days, p_bins, v_days, v_shards, v_visitors, s_visitors, s_sightings);
  end $$;
end $migration$;

-- Appends views and sightings, as `append_views` does: a row for each day and shard, whose views are those up to `c_last`, as
-- `pending_counts` has them.
create function append_visitors(
  p_closed int[], p_days int[], p_projects int[], p_bins int[], p_dates int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[], v_kinds int[], v_last int[],
  s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_last int[], c_views bigint[]
) returns void language plpgsql
set enable_nestloop = off set enable_sort = off as $$
begin
  insert into pending_counts (shard, project, day, size, views, sightings)
  with added as (
    select n.shard, n.day, n.visitor, n.sighting,
      -- Of two kinds that are new at once the person is the one who was there first.
      n.known is null or not (
        (n.sighting # 3) = any (n.known) or (n.sighting & 3 = 2 and (n.sighting # 3) = any (n.fresh))) as is_new
    from (
      select v.*, unnest(v.fresh) as sighting
      from note_visitors(p_closed, p_days, p_bins, v_days, v_shards, v_visitors, v_kinds, v_last, s_sightings) v
    ) n
  ),
  -- Whoever is new on the site is new on what follows a visitor.
  followed as (
    select a.shard, a.day, p_set_names[generate_series(coalesce(p_last_names[a.set - 1], 0) + 1, p_last_names[a.set])] as name,
      a.kind, a.is_new
    from (
      select a.shard, a.day, a.sighting as kind, a.is_new, case when a.sighting = 1 then v.human_set else v.ai_set end as set
      from added a join unnest(v_days, v_visitors, v_human_sets, v_ai_sets) as v(place, visitor, human_set, ai_set)
        on v.visitor = a.visitor and p_days[v.place] = a.day
      where a.sighting in (1, 2)
    ) a
    where a.set > 0
  ),
  noted as (
    select s.shard, s.day, array_agg(case when s.is_new then s.sighting else ~s.sighting end) as sightings
    from (
      select a.shard, a.day, a.sighting, a.is_new from added a
      union all
      select f.shard, f.day, f.name * 4 + f.kind, f.is_new from followed f
    ) s
    group by s.shard, s.day
  ),
  viewed as (
    select c.shard, c.place, c_views[coalesce(c_last[c.number::int - 1], 0) + 1:c.last] as views
    from unnest(c_days, c_shards, c_last) with ordinality as c(place, shard, last, number)
    where p_closed is null or c.place <> all (p_closed)
  )
  select v.shard, p_projects[v.place], p_dates[v.place], cardinality(v.views) + coalesce(cardinality(n.sightings), 0),
    v.views, coalesce(n.sightings, '{}')
  from viewed v left join noted n on n.shard = v.shard and n.day = p_days[v.place]
  order by 1, 2, 3;
end $$;

-- As `count_traced_batch`, for days that are open as usual where all shards are on one server. Views are kept before the rows
-- of visitors are locked, for which other batches wait.
create function count_grouped_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_dates int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[], v_kinds int[], v_last int[],
  s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_last int[], c_views bigint[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
  x_days int[], x_shards int[], x_last_views int[], x_human int[], x_ai int[], x_visitors bigint[], x_views bigint[],
  x_traced boolean[], x_origins bigint[],
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
      -- Locked, as `count_batch` does.
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
        x_traced, x_origins);
    end if;
    perform append_visitors(v_closed, p_days, p_projects, p_bins, p_dates,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, v_kinds, v_last, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_last, c_views);
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
  if t_days <> '{}' then
    perform count_tallies(
      p_slot, p_shard, v_closed, t_days, t_shards, t_projects, t_dates, t_tallies, t_subjects, t_names, t_hits, t_amounts
    );
  end if;
  return v_closed;
end $$;

-- What it appends is packed as fast as it can be; not every build has that. Set here, as the tables are in use.
do $$ declare
  v_function regprocedure := (
    select oid from pg_proc where proname = 'count_grouped_batch' and pronamespace = current_schema()::regnamespace);
begin
  execute format('alter function %s set default_toast_compression = lz4', v_function);
exception when invalid_parameter_value then null;
end $$;
