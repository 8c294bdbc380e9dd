-- What batches add to `counts` is appended first, as it comes, and added up later for many batches at once: a view adds to a
-- dozen names, and hardly two views of a batch to the same. The two tables together are the truth. Only of days that are open,
-- as whoever closes a day, or moves or deletes names of it, has all of it added up before (`await_batches`).
create table pending_counts (
  shard int not null,
  project int not null,
  day int not null,
  -- How many numbers the two lists have.
  size int not null,
  at timestamptz not null default now(),
  -- Views of a name, as bits: 29 of its number, 17 of people's, 17 of AI clients'.
  views bigint[] not null,
  -- What a visitor was not seen on before: name * 4 + kind, as in `seen`. With all bits turned where it had been seen on it as
  -- the other kind, so that it is no further visitor.
  sightings int[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index pending_counts_of_project on pending_counts (shard, project);

-- What such a row adds, many times to the same name.
create function increments(p_views bigint[], p_sightings int[]) returns table (
  name int, human_visitors int, ai_visitors int, visitors int, human_views int, ai_views int
) language sql immutable as $$
  select (v >> 34)::int, 0, 0, 0, ((v >> 17) & 131071)::int, (v & 131071)::int from unnest(p_views) v
  union all
  select (case when s < 0 then ~s else s end) >> 2, (case when s < 0 then ~s else s end) & 1,
    ((case when s < 0 then ~s else s end) >> 1) & 1, case when s < 0 then 0 else 1 end, 0, 0
  from unnest(p_sightings) s
$$;

-- Adds rows up, and takes them away. How many numbers they have no plan knows, so it is told not to sort them. Slot 8 is of no batch, so that nobody waits for it but who does the same.
create function fold_rows(p_shard int, p_rows tid[]) returns void language plpgsql
set jit = off set enable_seqscan = off set enable_sort = off as $$
begin
  with gone as (
    delete from pending_counts where shard = p_shard and ctid = any (p_rows) returning project, day, views, sightings
  ),
  added as (
    select g.project, g.day, i.name, sum(i.human_visitors) as human_visitors, sum(i.ai_visitors) as ai_visitors,
      sum(i.visitors) as visitors, sum(i.human_views) as human_views, sum(i.ai_views) as ai_views
    from gone g cross join lateral increments(g.views, g.sightings) i
    group by g.project, g.day, i.name
  )
  insert into counts as c (shard, project, span, day, what, parent, name, slot,
    human_visitors, ai_visitors, visitors, human_views, ai_views)
  -- A name that is not there fails, as `what` may not be null.
  select p_shard, a.project, 1, a.day, case when a.name = 0 then 0 else n.what end, coalesce(n.parent, 0), a.name, 8,
    a.human_visitors, a.ai_visitors, a.visitors, a.human_views, a.ai_views
  from added a
    left join lateral (select o.what, o.parent from names o where o.project = a.project and o.id = a.name limit 1) n on true
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (shard, project, span, day, what, parent, name, slot) do update set
    human_visitors = c.human_visitors + excluded.human_visitors,
    ai_visitors = c.ai_visitors + excluded.ai_visitors,
    visitors = c.visitors + excluded.visitors,
    human_views = c.human_views + excluded.human_views,
    ai_views = c.ai_views + excluded.ai_views;
end $$;

-- Some of what waits in a shard, and nothing that somebody else is about to add up. Answers how many rows that were.
create function fold_shard(p_shard int, p_limit int) returns int language plpgsql as $$
declare
  v_rows tid[] := array(select ctid from pending_counts where shard = p_shard limit p_limit for update skip locked);
begin
  if v_rows <> '{}' then perform fold_rows(p_shard, v_rows); end if;
  return cardinality(v_rows);
end $$;

-- All of a project; waits for whoever adds some of it up.
create function fold_project(p_shard int, p_project int) returns void language plpgsql as $$
declare
  v_rows tid[] := array(select ctid from pending_counts where shard = p_shard and project = p_project for update);
begin
  if v_rows <> '{}' then perform fold_rows(p_shard, v_rows); end if;
end $$;

-- All of all.
create function fold_all() returns void language plpgsql as $$
declare
  v_place record;
begin
  for v_place in select distinct shard, project from pending_counts order by 1, 2 loop
    perform fold_project(v_place.shard, v_place.project);
  end loop;
end $$;

-- Waits for the batches that saw the salts of these days before they were taken away, and adds up what they left. A node of the
-- release before deletes the hours of a day between this and its sealing.
alter function await_batches(int[]) rename to await_ends_of_batches;
create function await_batches(p_days int[]) returns void language plpgsql as $$
declare
  v_place record;
begin
  perform await_ends_of_batches(p_days);
  for v_place in
    select distinct s as shard, p.id as project
    from days d join projects p on p.id = d.project, unnest(shards_of(p.id, p.buckets)) s
    where d.id = any (p_days) order by 1, 2
  loop
    perform fold_project(v_place.shard, v_place.project);
  end loop;
end $$;

alter function counted_days(int[], int) rename to folded_days;
create function counted_days(p_shards int[], p_project int, out first int, out last int) language plpgsql stable as $$
declare
  v record;
begin
  select * into v from folded_days(p_shards, p_project);
  select least(v.first, min(day)), greatest(v.last, max(day)) into first, last
  from pending_counts where shard = any (p_shards) and project = p_project;
end $$;

alter function newest_days() rename to newest_folded_days;
create function newest_days() returns table (project int, day int) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select project, max(day)
  from (
    select project, day from newest_folded_days()
    union all
    select project, max(day) from pending_counts group by project
  ) d
  group by project;
end $$;

-- Notes what visitors were seen on, as `note_seen` does, and answers the visitors of whom something is new: that, and what was
-- known. What is new goes to the front, as of a changed row only what is before the same end is written to the log; and who is
-- known is updated, as an insert that meets a conflict locks the row first, and logs that.
create function note_sightings(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql
set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  return query
  with given as materialized (
    select v_shards[x.place] as shard, p_bins[v_days[x.place]] as bin, p_days[v_days[x.place]] as day,
      v_visitors[x.place] as visitor, array_agg(x.sighting) as sightings
    from unnest(s_visitors, s_sightings) as x(place, sighting)
    where p_closed is null or v_days[x.place] <> all (p_closed)
    group by x.place
    -- So that nobody waits for somebody who waits for them.
    order by day, visitor
  ),
  changed as (
    update seen s set
      was = cardinality(s.sightings),
      sightings = array(select x from unnest(g.sightings) x where x <> all (s.sightings)) || s.sightings
    from given g
    where s.shard = g.shard and s.bin = g.bin and s.day = g.day and s.visitor = g.visitor and not s.sightings @> g.sightings
    returning s.shard, s.day, s.visitor, s.was, s.sightings
  ),
  added as (
    insert into seen as s (shard, bin, day, visitor, sightings)
    select g.shard, g.bin, g.day, g.visitor, g.sightings from given g
    where (g.day, g.visitor) not in (select c.day, c.visitor from changed c) and not exists (
      select from seen k where k.shard = g.shard and k.bin = g.bin and k.day = g.day and k.visitor = g.visitor)
    -- Somebody was quicker.
    on conflict (shard, bin, day, visitor) do update set
      was = cardinality(s.sightings),
      sightings = array(select x from unnest(excluded.sightings) x where x <> all (s.sightings)) || s.sightings
    where not s.sightings @> excluded.sightings
    returning s.shard, s.day, s.visitor, s.was, s.sightings
  )
  select c.shard, c.day, c.visitor, c.sightings[:cardinality(c.sightings) - c.was], c.sightings[cardinality(c.sightings) - c.was + 1:]
  from (select * from changed union all select * from added) c;
end $$;

-- As `count_views`, and leaves adding up for later. Places of days are those of `p_days`.
create function append_views(
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

-- Notes what was seen, and answers what is to be appended: a row for each day and shard.
create function appended_rows(
  p_shard int, p_closed int[], p_days int[], p_projects int[], p_dates int[], p_bins int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[], p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_names int[], c_human int[], c_ai int[]
) returns table (shard int, project int, day int, views bigint[], sightings int[]) language plpgsql
set enable_nestloop = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  with added as (
    select shard, day, visitor, sighting,
      -- Of two kinds that are new at once the person is the one who was there first.
      not ((sighting # 3) = any (known) or (sighting & 3 = 2 and (sighting # 3) = any (fresh))) as is_new
    from (
      select shard, day, visitor, fresh, known, unnest(fresh) as sighting
      from note_sightings(p_shard, p_days, p_bins, p_closed, v_days, v_shards, v_visitors, s_visitors, s_sightings)
    ) x
  ),
  -- Whoever is new on the site is new on what follows a visitor.
  followed as (
    select a.shard, a.day, p_set_names[generate_series(coalesce(p_last_names[a.set - 1], 0) + 1, p_last_names[a.set])] as name,
      a.kind, a.is_new
    from (
      select a.shard, a.day, a.sighting as kind, a.is_new, case when a.sighting = 1 then v.human_set else v.ai_set end as set
      from added a join unnest(v_shards, v_days, v_visitors, v_human_sets, v_ai_sets)
        as v(shard, place, visitor, human_set, ai_set) on v.visitor = a.visitor and p_days[v.place] = a.day
      where a.sighting in (1, 2)
    ) a
    where a.set > 0
  ),
  noted as (
    select shard, day, array_agg(case when is_new then sighting else ~sighting end) as sightings
    from (
      select shard, day, sighting, is_new from added
      union all
      select shard, day, name * 4 + kind, is_new from followed
    ) s
    group by shard, day
  ),
  viewed as (
    select shard, place, array_agg((name::bigint << 34) | (human::bigint << 17) | ai) as views
    from unnest(c_days, c_shards, c_names, c_human, c_ai) as x(place, shard, name, human, ai)
    where p_closed is null or place <> all (p_closed)
    group by shard, place
  )
  select v.shard, p_projects[v.place], p_dates[v.place], v.views, coalesce(s.sightings, '{}')
  from viewed v left join noted s on s.shard = v.shard and s.day = p_days[v.place]
  order by 1, 2, 3;
end $$;

-- As `count_tallied_batch`, with which nodes of the release before go on, but that views are appended: of days that are open as
-- usual, which have one block each.
create function append_batch(
  p_shard int, p_turn int, p_id uuid, p_slot int,
  p_days int[], p_projects int[], p_bins int[], p_name_changes int[], p_last_blocks int[], p_spans int[], p_starts int[],
  v_days int[], v_shards int[], v_visitors bigint[], v_human_sets int[], v_ai_sets int[],
  s_visitors int[], s_sightings int[],
  p_last_names int[], p_set_names int[],
  c_days int[], c_shards int[], c_whats int[], c_parents int[], c_names int[], c_human int[], c_ai int[],
  n_days int[], n_shards int[], n_dates int[], n_whats int[], n_caps text[], n_kinds int[], n_clients text[], n_views int[],
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
    perform append_views(p_shard, v_closed, p_days, p_projects, p_starts, p_bins,
      v_days, v_shards, v_visitors, v_human_sets, v_ai_sets, s_visitors, s_sightings, p_last_names, p_set_names,
      c_days, c_shards, c_names, c_human, c_ai);
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
