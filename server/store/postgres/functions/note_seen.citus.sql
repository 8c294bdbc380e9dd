create or replace function note_seen(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, was int, sightings int[]) language plpgsql
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
begin
  return query
  insert into seen as s (shard, bin, day, visitor, sightings)
  select h.shard, g.bin, g.day, g.visitor, g.sightings
  from shards h, (
    select p_bins[v_days[x.place]] as bin, p_days[v_days[x.place]] as day, v_visitors[x.place] as visitor,
      array_agg(x.sighting) as sightings
    from unnest(s_visitors, s_sightings) as x(place, sighting)
    group by x.place
  ) g
  where h.shard = p_shard and not coalesce(
    (select k.sightings @> g.sightings from seen k
     where k.shard = p_shard and k.bin = g.bin and k.day = g.day and k.visitor = g.visitor), false)
  order by g.day, g.visitor
  on conflict (shard, bin, day, visitor) do update set
    was = cardinality(s.sightings),
    sightings = s.sightings || array(select x from unnest(excluded.sightings) x where x <> all (s.sightings))
  where not s.sightings @> excluded.sightings
  returning s.shard, s.day, s.visitor, s.was, s.sightings;
end $$;
