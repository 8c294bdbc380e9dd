-- Notes what was seen, and answers what is to be appended: a row for each day and shard.
create or replace function appended_rows(
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
