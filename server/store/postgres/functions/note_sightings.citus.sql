create or replace function note_sightings(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  select shard, day, visitor, sightings[was + 1:], sightings[:was]
  from note_seen(p_shard, p_days, p_bins, p_closed, v_days, v_shards, v_visitors, s_visitors, s_sightings);
end $$;
