-- Notes what visitors were seen on, and answers those of whom something is new: that, and what was known where they were seen
-- as both kinds. What a visitor was seen on comes in one piece, up to `v_last`; `v_kinds` has all of its kinds, as bits, and 4
-- where the visitor is known to have a row.
--
-- Rows are made first and changed then, in the same order by all: so of two calls that wait for rows neither waits for the
-- other, also where a row is new to one of them and known to the other. To make a row that is there waits for whoever changes it.
create or replace function note_visitors(
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
