-- The same, as all that a visitor was seen on, and how many of these were known before.
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
