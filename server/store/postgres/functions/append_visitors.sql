-- Appends views and sightings, as `append_views` does: a row for each day and shard, whose views are those up to `c_last`, as
-- `pending_counts` has them.
create or replace function append_visitors(
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
