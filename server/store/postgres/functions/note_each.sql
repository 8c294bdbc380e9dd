-- The same for those who have what visitors were seen on one by one: imports, batches on days that are open for one, very large
-- batches, and nodes of the release before. Servers of shards have functions of their own.
create or replace function note_each(
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
