-- Notes what visitors were seen on, and answers those of whom something is new: that, and what was known.
create or replace function note_sightings(
  p_shard int, p_days int[], p_bins int[], p_closed int[],
  v_days int[], v_shards int[], v_visitors bigint[], s_visitors int[], s_sightings int[]
) returns table (shard int, day int, visitor bigint, fresh int[], known int[]) language plpgsql as $$
begin
  return query
  select * from note_each(p_closed, p_days, p_bins, v_days, v_shards, v_visitors, s_visitors, s_sightings);
end $$;
