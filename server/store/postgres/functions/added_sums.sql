-- Notes what was seen, and answers what that adds to counts. Its parameters are as for `count_traced_batch`.
create or replace function added_sums(
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
